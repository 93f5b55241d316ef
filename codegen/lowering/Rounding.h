// Integer division and multiples, rounded up.
#ifndef KERATIN_CODEGEN_LOWERING_ROUNDING_H
#define KERATIN_CODEGEN_LOWERING_ROUNDING_H

#include <cstdint>

namespace keratin::codegen {

// Precondition: y > 0. Of any x, however near the greatest.
inline int64_t ceilDiv(int64_t x, int64_t y) { return x / y + (x % y > 0); }
inline int64_t roundUp(int64_t x, int64_t y) { return ceilDiv(x, y) * y; }

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_ROUNDING_H
