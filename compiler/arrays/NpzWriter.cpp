#include "compiler/arrays/Npy.h"
#include "compiler/arrays/Npz.h"
#include "compiler/arrays/ZipFormat.h"

#include <zlib.h>

#include <algorithm>

using namespace keratin::compiler;
using namespace keratin::compiler::zip;

static void append(std::string &to, uint64_t value, size_t length) {
  for (size_t i = 0; i < length; ++i)
    to += char(value >> (8 * i) & 0xFF);
}

namespace {

class ArchiveWriter {
public:
  explicit ArchiveWriter(const ByteSink &sink) : sink(sink) {}

  void add(const std::string &name, const ArrayView &array) {
    std::string widened;
    const ArrayView content = forNumpy(array, widened);
    const std::string header = npyHeader(content);
    uLong crc = crcOf(crc32_z(0, nullptr, 0), header);
    crc = crcOf(crc, content.data);
    const uint64_t size = header.size() + content.data.size(), offset = written;
    // In the local header both sizes are elsewhere or none; in the directory those that must be.
    std::string sizes, places;
    if (size >= isElsewhere32) {
      append(sizes, size, 8);
      append(sizes, size, 8);
      places = sizes;
    }
    if (offset >= isElsewhere32)
      append(places, offset, 8);
    std::string local, central;
    append(local, localSignature, 4);
    appendCommon(local, name, crc, size, sizes);
    local += name + ".npy" + extraOf(sizes);
    append(central, centralSignature, 4);
    append(central, versionFor(places), 2);
    appendCommon(central, name, crc, size, places);
    append(central, 0, 8); // no comment, the first disk, no attributes
    append(central, 0, 2);
    append(central, std::min(offset, isElsewhere32), 4);
    directory += central + name + ".npy" + extraOf(places);
    write(local);
    write(header);
    write(content.data);
    ++count;
  }

  void finish() {
    const uint64_t offset = written, size = directory.size();
    write(directory);
    std::string end;
    if (count >= isElsewhere16 || offset >= isElsewhere32 || size >= isElsewhere32) {
      append(end, end64Signature, 4);
      append(end, end64Bytes - 12, 8); // behind this field
      append(end, 45, 2);
      append(end, 45, 2);
      append(end, 0, 8); // the first disk
      append(end, count, 8);
      append(end, count, 8);
      append(end, size, 8);
      append(end, offset, 8);
      append(end, locatorSignature, 4);
      append(end, 0, 4);
      append(end, offset + size, 8);
      append(end, 1, 4);
    }
    append(end, endSignature, 4);
    append(end, 0, 4);
    append(end, std::min<uint64_t>(count, isElsewhere16), 2);
    append(end, std::min<uint64_t>(count, isElsewhere16), 2);
    append(end, std::min(size, isElsewhere32), 4);
    append(end, std::min(offset, isElsewhere32), 4);
    append(end, 0, 2);
    write(end);
  }

private:
  static uLong crcOf(uLong crc, std::string_view bytes) {
    // Of a null pointer it would be that of no bytes at all.
    return bytes.empty()
               ? crc
               : crc32_z(crc, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size());
  }

  static unsigned versionFor(const std::string &elsewhere) { return elsewhere.empty() ? 20 : 45; }

  // What the two headers of a member share; `elsewhere` is what zip64's field will hold.
  static void appendCommon(std::string &to, const std::string &name, uLong crc, uint64_t size,
                           const std::string &elsewhere) {
    append(to, versionFor(elsewhere), 2);
    append(to, hasUtf8Name, 2);
    append(to, stored, 2);
    append(to, 0, 2);
    append(to, 0x21, 2); // 1 January 1980: equal arrays give equal files
    append(to, crc, 4);
    append(to, std::min(size, isElsewhere32), 4);
    append(to, std::min(size, isElsewhere32), 4);
    append(to, name.size() + 4, 2);
    append(to, extraOf(elsewhere).size(), 2);
  }

  static std::string extraOf(const std::string &elsewhere) {
    std::string extra;
    if (elsewhere.empty())
      return extra;
    append(extra, zip64Extra, 2);
    append(extra, elsewhere.size(), 2);
    return extra + elsewhere;
  }

  void write(std::string_view bytes) {
    sink(bytes);
    written += bytes.size();
  }

  const ByteSink &sink;
  std::string directory;
  uint64_t written = 0, count = 0;
};

} // namespace

absl::Status keratin::compiler::writeNpz(const std::vector<NamedView> &arrays,
                                         const ByteSink &sink) {
  if (arrays.size() > maxNpzMembers)
    return absl::ResourceExhaustedError("a .npz file of " + std::to_string(arrays.size()) +
                                        " arrays; at most " + std::to_string(maxNpzMembers) +
                                        " are written");
  for (const NamedView &named : arrays)
    if (named.name.size() + 4 > 0xFFFF)
      return absl::ResourceExhaustedError("a name of " + std::to_string(named.name.size()) +
                                          " bytes is too long for a .npz file");
  ArchiveWriter archive(sink);
  for (const NamedView &named : arrays)
    archive.add(named.name, named.array);
  archive.finish();
  return absl::OkStatus();
}
