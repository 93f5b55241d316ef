// Records of zip archives: their signatures, how long their fixed parts are, and what stands where.
#ifndef KERATIN_COMPILER_ARRAYS_ZIPFORMAT_H
#define KERATIN_COMPILER_ARRAYS_ZIPFORMAT_H

#include <cstddef>
#include <cstdint>

namespace keratin::compiler::zip {

constexpr uint32_t localSignature = 0x04034b50, centralSignature = 0x02014b50,
                   endSignature = 0x06054b50, end64Signature = 0x06064b50,
                   locatorSignature = 0x07064b50;
constexpr size_t localBytes = 30, centralBytes = 46, endBytes = 22, end64Bytes = 56,
                 locatorBytes = 20;
// A number that does not fit stands in zip64's records.
constexpr uint64_t isElsewhere16 = 0xFFFF, isElsewhere32 = 0xFFFFFFFF;
constexpr unsigned zip64Extra = 1; // the header of a member's extra field with them
constexpr unsigned stored = 0, deflated = 8;
constexpr unsigned encrypted = 1 << 0 | 1 << 6 | 1 << 13, hasUtf8Name = 1 << 11;

} // namespace keratin::compiler::zip

#endif // KERATIN_COMPILER_ARRAYS_ZIPFORMAT_H
