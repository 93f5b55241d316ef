// Numbers and texts as bytes.
#ifndef KERATIN_COMPILER_ARTIFACT_BYTESTREAM_H
#define KERATIN_COMPILER_ARTIFACT_BYTESTREAM_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace keratin::compiler {

// Small numbers, which most are, take one byte.
class ByteWriter {
public:
  void byte(uint8_t value) { bytes.push_back(char(value)); }
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      byte(uint8_t(value) | 0x80);
    byte(uint8_t(value));
  }
  // The same for negative ones.
  void signedNumber(int64_t value) { number(uint64_t(value) << 1 ^ uint64_t(value >> 63)); }
  void text(llvm::StringRef value) {
    number(value.size());
    bytes += value;
  }

  std::string bytes;
};

// Of bytes that may be anything. Beyond what cannot be read all is 0 and "", and isGood() is false.
class ByteReader {
public:
  explicit ByteReader(llvm::StringRef bytes) : rest(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest.empty())
        return fail();
      auto byte = uint8_t(rest.front());
      rest = rest.drop_front();
      if (shift == 63 && byte > 1)
        return fail();
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return value;
    }
    return fail();
  }
  int64_t signedNumber() {
    uint64_t value = number();
    return int64_t(value >> 1 ^ -(value & 1));
  }
  // Of things that take a byte at least.
  uint64_t count() {
    uint64_t value = number();
    return value <= rest.size() ? value : fail();
  }
  llvm::StringRef text() {
    llvm::StringRef value = rest.take_front(count());
    rest = rest.drop_front(value.size());
    return value;
  }
  uint64_t fail() {
    good = false;
    rest = {};
    return 0;
  }

  bool isGood() const { return good; }
  bool isAtEnd() const { return rest.empty(); }
  llvm::StringRef remaining() const { return rest; }

private:
  llvm::StringRef rest;
  bool good = true;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_BYTESTREAM_H
