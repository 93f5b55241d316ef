#include "compiler/arrays/Npy.h"
#include "compiler/arrays/Npz.h"
#include "compiler/arrays/Refusal.h"
#include "compiler/arrays/ZipFormat.h"

#include <zlib.h>

#include <algorithm>
#include <set>

using namespace keratin::compiler;
using namespace keratin::compiler::zip;

namespace {

uint64_t number(std::string_view bytes, size_t at, size_t length) {
  uint64_t value = 0;
  for (size_t i = 0; i < length; ++i)
    value |= uint64_t(uint8_t(bytes[at + i])) << (8 * i);
  return value;
}

// No deflated data is longer than this many times its bytes.
constexpr uint64_t deflateRatio = 1032;

struct Member {
  std::string_view name;
  unsigned method;
  uint32_t crc;
  uint64_t packed, size, offset; // bytes in the archive, inflated, and where the local header is
  std::string_view data;
};

std::string memberCalled(std::string_view name) { return "member '" + std::string(name) + "'"; }

class ArchiveReader {
public:
  explicit ArchiveReader(std::string_view bytes) : bytes(bytes) {}

  absl::Status read() {
    if (absl::Status status = findDirectory(); !status.ok())
      return status;
    size_t at = directory;
    for (size_t i = 0; i < count; ++i)
      if (absl::Status status = readEntry(at); !status.ok())
        return status;
    if (at != end)
      return refuse("the central directory has bytes that belong to no member");
    return checkOverlaps();
  }

  std::vector<Member> members;

private:
  absl::Status findDirectory() {
    if (bytes.size() < endBytes)
      return refuse("this is no .npz file: it is too short for a zip archive");
    // Last comes a comment of at most 65535 bytes.
    size_t least = bytes.size() - std::min<size_t>(bytes.size(), endBytes + 0xFFFF);
    for (end = bytes.size() - endBytes;; --end) {
      if (number(bytes, end, 4) == endSignature &&
          number(bytes, end + 20, 2) == bytes.size() - end - endBytes)
        break;
      if (end == least)
        return refuse("this is no .npz file: the end of a zip archive is missing");
    }
    count = number(bytes, end + 10, 2);
    uint64_t size = number(bytes, end + 12, 4), offset = number(bytes, end + 16, 4);
    if (number(bytes, end + 4, 2) != 0 || number(bytes, end + 6, 2) != 0 ||
        number(bytes, end + 8, 2) != count)
      return refuse("the archive has several parts");
    if (count == isElsewhere16 || size == isElsewhere32 || offset == isElsewhere32)
      if (absl::Status status = findDirectory64(size, offset); !status.ok())
        return status;
    if (count > maxNpzMembers)
      return absl::ResourceExhaustedError("the archive has " + std::to_string(count) +
                                          " members; at most " + std::to_string(maxNpzMembers) +
                                          " are read");
    if (offset > end || size != end - offset)
      return refuse("the central directory is not where the archive says");
    directory = offset;
    return absl::OkStatus();
  }

  // The end of the directory is that of zip64's records, which stand before the other's.
  absl::Status findDirectory64(uint64_t &size, uint64_t &offset) {
    const absl::Status damaged = refuse("zip64's end of the archive is missing or damaged");
    if (end < end64Bytes + locatorBytes)
      return damaged;
    const size_t locator = end - locatorBytes, record = locator - end64Bytes;
    if (number(bytes, locator, 4) != locatorSignature || number(bytes, locator + 8, 8) != record ||
        number(bytes, record, 4) != end64Signature ||
        number(bytes, record + 4, 8) != end64Bytes - 12)
      return damaged;
    if (number(bytes, locator + 4, 4) != 0 || number(bytes, locator + 16, 4) > 1 ||
        number(bytes, record + 16, 8) != 0 ||
        number(bytes, record + 24, 8) != number(bytes, record + 32, 8))
      return refuse("the archive has several parts");
    count = number(bytes, record + 32, 8);
    size = number(bytes, record + 40, 8);
    offset = number(bytes, record + 48, 8);
    end = record;
    return absl::OkStatus();
  }

  // Of a member's extra fields, each a header, a length and so many bytes, zip64's: the numbers
  // that are elsewhere, in this order.
  static bool takeZip64(std::string_view extra, Member &member) {
    for (size_t at = 0; extra.size() - at >= 4;) {
      const size_t length = number(extra, at + 2, 2);
      if (length > extra.size() - at - 4)
        return false;
      if (number(extra, at, 2) != zip64Extra) {
        at += 4 + length;
        continue;
      }
      std::string_view field = extra.substr(at + 4, length);
      for (uint64_t *value : {&member.size, &member.packed, &member.offset}) {
        if (*value != isElsewhere32)
          continue;
        if (field.size() < 8)
          return false;
        *value = number(field, 0, 8);
        field.remove_prefix(8);
      }
      return true;
    }
    return false;
  }

  absl::Status readEntry(size_t &at) {
    if (end - at < centralBytes || number(bytes, at, 4) != centralSignature)
      return refuse("the central directory is damaged");
    size_t nameBytes = number(bytes, at + 28, 2);
    uint64_t length =
        centralBytes + nameBytes + number(bytes, at + 30, 2) + number(bytes, at + 32, 2);
    if (length > end - at)
      return refuse("the central directory is damaged");
    Member member;
    member.name = bytes.substr(at + centralBytes, nameBytes);
    member.method = unsigned(number(bytes, at + 10, 2));
    member.crc = uint32_t(number(bytes, at + 16, 4));
    member.packed = number(bytes, at + 20, 4);
    member.size = number(bytes, at + 24, 4);
    member.offset = number(bytes, at + 42, 4);
    if (absl::Status status = checkName(member.name); !status.ok())
      return status;
    std::string name = memberCalled(member.name);
    if (number(bytes, at + 8, 2) & encrypted)
      return absl::UnimplementedError(name + " is encrypted");
    if ((member.packed == isElsewhere32 || member.size == isElsewhere32 ||
         member.offset == isElsewhere32) &&
        !takeZip64(bytes.substr(at + centralBytes + nameBytes, number(bytes, at + 30, 2)), member))
      return refuse(name + " has a damaged zip64 field");
    if (member.method != stored && member.method != deflated)
      return absl::UnimplementedError(name + " is compressed by method " +
                                      std::to_string(member.method) +
                                      "; only 0 (stored) and 8 (deflated) are read");
    if (absl::Status status = findData(member); !status.ok())
      return status;
    members.push_back(member);
    at += length;
    return absl::OkStatus();
  }

  absl::Status checkName(std::string_view name) {
    for (char c : name)
      if (uint8_t(c) < ' ' || c == '\x7f')
        return refuse("the name of a member has control characters");
    if (name.size() <= 4 || name.substr(name.size() - 4) != ".npy")
      return refuse(memberCalled(name) + " is not called NAME.npy");
    if (!names.insert(name).second)
      return refuse(memberCalled(name) + " is there twice");
    return absl::OkStatus();
  }

  absl::Status findData(Member &member) {
    std::string name = memberCalled(member.name);
    if (member.offset > directory || directory - member.offset < localBytes ||
        number(bytes, member.offset, 4) != localSignature)
      return refuse(name + " is not where the central directory says");
    uint64_t begin = member.offset + localBytes + number(bytes, member.offset + 26, 2) +
                     number(bytes, member.offset + 28, 2);
    if (begin > directory || directory - begin < member.packed)
      return refuse(name + " is longer than the archive");
    if (number(bytes, member.offset + 8, 2) != member.method ||
        number(bytes, member.offset + 26, 2) != member.name.size() ||
        bytes.substr(member.offset + localBytes, member.name.size()) != member.name)
      return refuse(name + " is described differently in the central directory");
    if (member.method == stored ? member.size != member.packed
                                : member.size / deflateRatio > member.packed)
      return refuse(name + " cannot have the " + std::to_string(member.size) + " bytes it claims");
    member.data = bytes.substr(begin, member.packed);
    // Neither sum nor bound is near 2^64: a size is at most 1032 times that of its bytes.
    inflated += member.size;
    if (inflated > npzBytesAllowed(bytes.size()))
      return absl::ResourceExhaustedError(
          "the arrays of an archive of " + std::to_string(bytes.size()) +
          " bytes may have at most " + std::to_string(npzBytesAllowed(bytes.size())) +
          "; save arrays of zeros and the like uncompressed");
    return absl::OkStatus();
  }

  absl::Status checkOverlaps() const {
    std::vector<const Member *> sorted;
    for (const Member &member : members)
      sorted.push_back(&member);
    std::sort(sorted.begin(), sorted.end(),
              [](const Member *a, const Member *b) { return a->offset < b->offset; });
    for (size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i - 1]->data.data() + sorted[i - 1]->data.size() >
          bytes.data() + sorted[i]->offset)
        return refuse(memberCalled(sorted[i - 1]->name) + " and " + memberCalled(sorted[i]->name) +
                      " overlap");
    return absl::OkStatus();
  }

  std::string_view bytes;
  size_t directory = 0, end = 0, count = 0;
  uint64_t inflated = 0;
  std::set<std::string_view> names;
};

// False where the data is not the deflated form of exactly `to`.
bool inflateInto(std::string_view data, std::string &to) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return false;
  // zlib's counters have 32 bits.
  constexpr size_t most = size_t(1) << 30;
  size_t in = 0, out = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data.data() + in));
    stream.avail_in = uInt(std::min(data.size() - in, most));
    stream.next_out = reinterpret_cast<Bytef *>(to.data() + out);
    stream.avail_out = uInt(std::min(to.size() - out, most));
    const uInt given = stream.avail_in, room = stream.avail_out;
    code = inflate(&stream, Z_NO_FLUSH);
    in += given - stream.avail_in;
    out += room - stream.avail_out;
  }
  inflateEnd(&stream);
  return code == Z_STREAM_END && out == to.size() && in == data.size();
}

absl::StatusOr<Array> readMember(const Member &member) {
  std::string inflated;
  std::string_view content = member.data;
  if (member.method == deflated) {
    inflated.resize(member.size);
    if (!inflateInto(member.data, inflated))
      return refuse("the compressed data is damaged");
    content = inflated;
  }
  if (crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef *>(content.data()),
              content.size()) != member.crc)
    return refuse("the checksum is wrong");
  return parseNpy(content);
}

} // namespace

absl::StatusOr<std::vector<NamedArray>>
keratin::compiler::parseNpz(std::string_view bytes,
                            const std::function<bool(const std::string &)> &isWanted) {
  ArchiveReader archive(bytes);
  if (absl::Status status = archive.read(); !status.ok())
    return status;
  std::vector<NamedArray> arrays;
  for (const Member &member : archive.members) {
    std::string name(member.name.substr(0, member.name.size() - 4));
    if (isWanted && !isWanted(name))
      continue;
    auto array = readMember(member);
    if (!array.ok())
      return absl::Status(array.status().code(),
                          memberCalled(member.name) + ": " + std::string(array.status().message()));
    arrays.push_back({std::move(name), *std::move(array)});
  }
  return arrays;
}
