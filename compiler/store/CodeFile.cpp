#include "compiler/store/CodeFile.h"

#include "compiler/artifact/ByteStream.h"

using namespace keratin::compiler;
using llvm::StringRef;

// What no other file of ours begins with. Another format has another number.
static constexpr StringRef kMark = "code 2\n";

std::string CodeFile::head() const {
  ByteWriter fields;
  for (StringRef text : {producer, structure, description, memoryPlanPattern})
    fields.text(text);
  for (int64_t number : {kernels, uniqueKernels, arenaBytes, maxLiveBytes})
    fields.signedNumber(number);
  fields.number(scalarOfConstant.size());
  for (int64_t number : scalarOfConstant)
    fields.signedNumber(number);
  for (const std::vector<StringRef> *blobs : {&constants, &objects}) {
    fields.number(blobs->size());
    for (StringRef blob : *blobs)
      fields.number(blob.size());
  }
  ByteWriter head;
  head.bytes = kMark.str();
  head.text(fields.bytes);
  return std::move(head.bytes);
}

std::optional<CodeFile> CodeFile::of(StringRef bytes) {
  if (!bytes.consume_front(kMark))
    return std::nullopt;
  ByteReader file(bytes);
  ByteReader fields(file.text());
  StringRef blobs = file.remaining();
  CodeFile result;
  for (StringRef *text :
       {&result.producer, &result.structure, &result.description, &result.memoryPlanPattern})
    *text = fields.text();
  for (int64_t *number :
       {&result.kernels, &result.uniqueKernels, &result.arenaBytes, &result.maxLiveBytes})
    *number = fields.signedNumber();
  result.scalarOfConstant.resize(fields.count());
  for (int64_t &number : result.scalarOfConstant)
    number = fields.signedNumber();
  for (std::vector<StringRef> *list : {&result.constants, &result.objects}) {
    uint64_t count = fields.count();
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t size = fields.number();
      if (size > blobs.size())
        return std::nullopt;
      list->push_back(blobs.take_front(size));
      blobs = blobs.drop_front(size);
    }
  }
  if (!file.isGood() || !fields.isGood() || !fields.isAtEnd() || !blobs.empty())
    return std::nullopt;
  return result;
}
