// What reader and writer agree on beside graph.proto.
#ifndef KERATIN_IR_SAVED_SAVEDFORMAT_H
#define KERATIN_IR_SAVED_SAVEDFORMAT_H

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace keratin::ir {

// Graph.magic as the bytes of a file: the field's tag and "keratin\n".
inline constexpr std::string_view kSavedMagicBytes = "\x09keratin\n";
inline constexpr uint64_t kSavedMagic = 0x0a6e69746172656b;

inline constexpr uint32_t kSavedMajor = 1;
inline constexpr uint32_t kSavedMinor = 6;
// The first with bodies of loops and branches that define sizes.
inline constexpr uint32_t kSavedMinorOfLocalSizes = 2;
// The first with symbols for parts of values that may be negative.
inline constexpr uint32_t kSavedMinorOfValueParts = 3;
// The first with names of sizes that the user gave, with their limits, and with shards.
inline constexpr uint32_t kSavedMinorOfSizeNames = 4;
// The first with complex numbers.
inline constexpr uint32_t kSavedMinorOfComplex = 6;

// A splat takes few bytes in a file and many in use, so all splats of a file together may stand for
// this much; further ones are written in full.
inline constexpr uint64_t kMaxSplatBytes = 16 << 20;
// Protobuf's own limit.
inline constexpr uint64_t kMaxSavedBytes = INT32_MAX;
// Memory of the messages that a file is read as: about half of what is promised; the functions that
// are built take the rest. Small ops take 11 times their bytes.
inline constexpr uint64_t mostMessageBytes(uint64_t fileBytes) {
  return (uint64_t(24) << 20) + 16 * fileBytes;
}
// Entries of an attribute that lists integers or sizes: a few for each dimension.
inline constexpr int kMaxSavedList = 64;
// Numbers of all size expressions that the ops of a file meet in their types, each time counted: a
// verifier computes with them, which bytes that name a type again do not pay for.
inline constexpr uint64_t kMaxSavedSizeWork = 4 << 20;
// Loops and branches inside each other, so that the sizes of an op in them are messages at most
// kMaxSavedDepth (WireScan.h) deep.
inline constexpr unsigned kMaxSavedRegionDepth = 47;
// Names that a location is nested in.
inline constexpr int kMaxSavedScopes = 32;

// Names are shown in messages and headers: no control characters.
inline bool isSavedName(std::string_view name) {
  return std::none_of(name.begin(), name.end(),
                      [](char c) { return uint8_t(c) < 0x20 || c == 0x7f; });
}

} // namespace keratin::ir

#endif // KERATIN_IR_SAVED_SAVEDFORMAT_H
