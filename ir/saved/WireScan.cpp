#include "ir/saved/WireScan.h"

#include "absl/strings/str_cat.h"

#include "llvm/Support/ConvertUTF.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <map>
#include <vector>

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

namespace {

enum WireType : uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

WireType wireTypeOf(const FieldDescriptor *field) {
  switch (field->type()) {
  case FieldDescriptor::TYPE_MESSAGE:
  case FieldDescriptor::TYPE_STRING:
  case FieldDescriptor::TYPE_BYTES:
    return Bytes;
  case FieldDescriptor::TYPE_FIXED64:
  case FieldDescriptor::TYPE_SFIXED64:
  case FieldDescriptor::TYPE_DOUBLE:
    return Fixed64;
  case FieldDescriptor::TYPE_FIXED32:
  case FieldDescriptor::TYPE_SFIXED32:
  case FieldDescriptor::TYPE_FLOAT:
    return Fixed32;
  default:
    return Varint;
  }
}

class Scanner {
public:
  Scanner(std::string_view bytes, size_t memoryLimit, keratin::ir::ReadingSteps &steps)
      : bytes(bytes), budget(memoryLimit), steps(steps) {}

  absl::Status run(const Descriptor *root) {
    std::vector<Frame> stack = {{root, bytes.size()}};
    for (size_t last = 0; !stack.empty(); last = position) {
      if (!steps.advance(position - last))
        return absl::CancelledError();
      Frame frame = stack.back();
      if (position == frame.end) {
        stack.pop_back();
        continue;
      }
      size_t start = position;
      uint64_t tag = 0;
      if (!varint(frame.end, tag))
        return damaged(start, "a field's tag is cut off");
      if (tag >> 32)
        return damaged(start, "a field's tag is too long");
      const FieldDescriptor *field = frame.message->FindFieldByNumber(int(tag >> 3));
      if (!field)
        return absl::InvalidArgumentError(
            absl::StrCat("unknown field ", tag >> 3, " in ", frame.message->name(), " at byte ",
                         start, ": the file is damaged, or of a newer format"));
      bool packed = field->is_packed();
      if ((tag & 7) != (packed ? Bytes : wireTypeOf(field)))
        return damaged(start, absl::StrCat("wire type ", tag & 7, " for ", field->full_name()));
      if (!packed && wireTypeOf(field) != Bytes) {
        if (!skipScalar(frame.end, wireTypeOf(field)))
          return damaged(start, absl::StrCat(field->full_name(), " is cut off"));
        continue;
      }
      uint64_t length = 0;
      if (!varint(frame.end, length) || length > frame.end - position)
        return damaged(start, absl::StrCat(field->full_name(), " is cut off"));
      size_t end = position + size_t(length);
      if (packed) {
        // Growing by doubling holds up to three times the elements for a moment.
        while (position < end)
          if (!skipScalar(end, wireTypeOf(field)) || !take(24))
            return damaged(start,
                           absl::StrCat(field->full_name(),
                                        outOfBudget ? " needs too much memory" : " is cut off"));
      } else if (field->type() == FieldDescriptor::TYPE_MESSAGE) {
        if (stack.size() >= keratin::ir::kMaxSavedDepth)
          return absl::InvalidArgumentError(absl::StrCat("messages are nested more than ",
                                                         keratin::ir::kMaxSavedDepth,
                                                         " deep at byte ", start));
        if (!take(sizeOf(field->message_type())))
          return damaged(start, absl::StrCat(field->full_name(), " needs too much memory"));
        stack.push_back({field->message_type(), end});
      } else {
        if (!take(size_t(length) + 64))
          return damaged(start, absl::StrCat(field->full_name(), " needs too much memory"));
        if (field->type() == FieldDescriptor::TYPE_STRING &&
            !isUtf8(bytes.substr(position, length)))
          return damaged(start, absl::StrCat(field->full_name(), " is not UTF-8"));
        position = end;
      }
    }
    return absl::OkStatus();
  }

private:
  struct Frame {
    const Descriptor *message;
    size_t end;
  };

  absl::Status damaged(size_t where, const std::string &what) {
    return absl::InvalidArgumentError(absl::StrCat("damaged at byte ", where, ": ", what));
  }

  bool take(size_t memory) {
    outOfBudget = memory > budget;
    budget -= outOfBudget ? 0 : memory;
    return !outOfBudget;
  }

  bool varint(size_t end, uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 70 && position < end; shift += 7) {
      auto byte = uint8_t(bytes[position++]);
      if (shift < 64)
        value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return true;
    }
    return false;
  }

  bool skipScalar(size_t end, WireType type) {
    uint64_t ignored;
    if (type == Varint)
      return varint(end, ignored);
    size_t size = type == Fixed64 ? 8 : 4;
    if (end - position < size)
      return false;
    position += size;
    return true;
  }

  static bool isUtf8(std::string_view text) {
    auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
    return llvm::isLegalUTF8String(&begin, begin + text.size());
  }

  // Bytes that a parsed message without contents takes, with its place in a list.
  size_t sizeOf(const Descriptor *message) {
    size_t &size = sizes[message];
    if (!size)
      size = google::protobuf::MessageFactory::generated_factory()
                 ->GetPrototype(message)
                 ->SpaceUsedLong() +
             32;
    return size;
  }

  std::string_view bytes;
  size_t position = 0;
  size_t budget;
  keratin::ir::ReadingSteps &steps;
  bool outOfBudget = false;
  std::map<const Descriptor *, size_t> sizes;
};

} // namespace

absl::Status keratin::ir::scanWire(std::string_view bytes, const Descriptor *message,
                                   size_t memoryLimit, ReadingSteps &steps) {
  return Scanner(bytes, memoryLimit, steps).run(message);
}
