// Zip archives as no good program writes them.
#ifndef KERATIN_TESTS_ARRAYS_ZIP_H
#define KERATIN_TESTS_ARRAYS_ZIP_H

#include "compiler/arrays/Npz.h"
#include "tests/arrays/NpyBytes.h"

#include <zlib.h>

#include <cstdlib>

namespace keratin::tests {

// A zip archive, piece by piece, so that each can be wrong.
struct Zip {
  struct Member {
    std::string name, data; // as they stand in the archive
    uint64_t size = 0;      // inflated
    uint32_t crc = 0;
    unsigned method = 0, flags = 0;
    uint64_t offset = 0, packed = 0; // filled by build(), unless given
    bool hasOffset = false, hasPacked = false;
    std::string localName;
  };
  std::vector<Member> members;

  static uint32_t crcOf(const std::string &content) {
    return uint32_t(
        crc32(0, reinterpret_cast<const Bytef *>(content.data()), uInt(content.size())));
  }
  static std::string deflated(const std::string &content) {
    std::string out(compressBound(content.size()) + 64, '\0');
    z_stream stream = {};
    if (deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
      std::abort();
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(content.data()));
    stream.avail_in = uInt(content.size());
    stream.next_out = reinterpret_cast<Bytef *>(out.data());
    stream.avail_out = uInt(out.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
      std::abort();
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
  }

  Member &add(const std::string &name, const std::string &content, bool compress = false) {
    Member member;
    member.name = member.localName = name;
    member.data = compress ? deflated(content) : content;
    member.size = content.size();
    member.crc = crcOf(content);
    member.method = compress ? 8 : 0;
    return members.emplace_back(member);
  }

  // As numpy.savez writes it: sizes in the local header stand in a zip64 field. With isZip64 all
  // numbers of the directory and of the end do, too.
  std::string build(const std::string &comment = "", bool isZip64 = false) const {
    std::string archive, directory;
    for (const Member &member : members) {
      uint64_t offset = member.hasOffset ? member.offset : archive.size();
      uint64_t packed = member.hasPacked ? member.packed : member.data.size();
      std::string common = bytesOf(45, 2) + bytesOf(member.flags, 2) + bytesOf(member.method, 2) +
                           bytesOf(0, 4) + bytesOf(member.crc, 4);
      std::string sizes =
          bytesOf(1, 2) + bytesOf(16, 2) + bytesOf(member.size, 8) + bytesOf(packed, 8);
      // Behind a field of another kind.
      std::string places = bytesOf(0x7075, 2) + bytesOf(3, 2) + "xyz" + bytesOf(1, 2) +
                           bytesOf(24, 2) + bytesOf(member.size, 8) + bytesOf(packed, 8) +
                           bytesOf(offset, 8);
      if (!isZip64)
        places.clear();
      auto number = [&](uint64_t value) { return bytesOf(isZip64 ? 0xFFFFFFFF : value, 4); };
      directory += bytesOf(0x02014b50, 4) + bytesOf(45, 2) + common + number(packed) +
                   number(member.size) + bytesOf(member.name.size(), 2) +
                   bytesOf(places.size(), 2) + bytesOf(0, 10) + number(offset) + member.name +
                   places;
      if (!member.hasOffset)
        archive += bytesOf(0x04034b50, 4) + common + bytesOf(0xFFFFFFFFFFFFFFFF, 8) +
                   bytesOf(member.localName.size(), 2) + bytesOf(sizes.size(), 2) +
                   member.localName + sizes + member.data;
    }
    std::string end64;
    if (isZip64)
      end64 = bytesOf(0x06064b50, 4) + bytesOf(44, 8) + bytesOf(45, 2) + bytesOf(45, 2) +
              bytesOf(0, 8) + bytesOf(members.size(), 8) + bytesOf(members.size(), 8) +
              bytesOf(directory.size(), 8) + bytesOf(archive.size(), 8) + bytesOf(0x07064b50, 4) +
              bytesOf(0, 4) + bytesOf(archive.size() + directory.size(), 8) + bytesOf(1, 4);
    auto number = [&](uint64_t value, size_t length) {
      return bytesOf(isZip64 ? 0xFFFFFFFF : value, length);
    };
    return archive + directory + end64 + bytesOf(0x06054b50, 4) + bytesOf(0, 4) +
           number(members.size(), 2) + number(members.size(), 2) + number(directory.size(), 4) +
           number(archive.size(), 4) + bytesOf(comment.size(), 2) + comment;
  }
};

// What writeNpz writes.
inline std::string archiveOf(const std::vector<compiler::NamedArray> &arrays) {
  std::vector<compiler::NamedView> views;
  for (const auto &[name, array] : arrays)
    views.push_back({name, array});
  std::string archive;
  if (!compiler::writeNpz(views, [&](std::string_view bytes) { archive += bytes; }).ok())
    std::abort();
  return archive;
}

} // namespace keratin::tests

#endif // KERATIN_TESTS_ARRAYS_ZIP_H
