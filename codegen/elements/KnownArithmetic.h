// The arithmetic of LoopEmitter on what is known of numbers when code is planned: the same
// formulas say then how much of them is constant, and are code afterwards.
#ifndef KERATIN_CODEGEN_ELEMENTS_KNOWNARITHMETIC_H
#define KERATIN_CODEGEN_ELEMENTS_KNOWNARITHMETIC_H

#include <algorithm>
#include <cstdint>
#include <optional>

namespace keratin::codegen {

// Numbers wrap and quotients are of unsigned numbers, as in the code.
class KnownArithmetic {
public:
  using Number = std::optional<int64_t>; // none: known at run time only

  Number constant(int64_t value) const { return value; }
  Number add(Number x, Number y) const {
    return both(x, y, [](uint64_t a, uint64_t b) { return a + b; });
  }
  Number sub(Number x, Number y) const {
    return both(x, y, [](uint64_t a, uint64_t b) { return a - b; });
  }
  Number mul(Number x, Number y) const {
    if (x == 0 || y == 0)
      return 0;
    return both(x, y, [](uint64_t a, uint64_t b) { return a * b; });
  }
  Number div(Number x, Number y) const {
    if (y == 0)
      return std::nullopt;
    return both(x, y, [](uint64_t a, uint64_t b) { return a / b; });
  }
  Number ceilDiv(Number x, Number y) const { return div(add(x, sub(y, 1)), y); }
  Number roundUp(Number x, int64_t y) const { return mul(ceilDiv(x, y), y); }
  Number min(Number x, Number y) const {
    return both(x, y, [](int64_t a, int64_t b) { return std::min(a, b); });
  }
  Number max(Number x, Number y) const {
    return both(x, y, [](int64_t a, int64_t b) { return std::max(a, b); });
  }
  Number less(Number x, Number y) const {
    return both(x, y, [](int64_t a, int64_t b) { return int64_t(a < b); });
  }
  Number equal(Number x, Number y) const {
    return both(x, y, [](int64_t a, int64_t b) { return int64_t(a == b); });
  }
  Number select(Number condition, Number x, Number y) const {
    return condition ? (*condition ? x : y) : std::nullopt;
  }

private:
  template <typename Function> static Number both(Number x, Number y, Function function) {
    return x && y ? Number(int64_t(function(*x, *y))) : std::nullopt;
  }
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_KNOWNARITHMETIC_H
