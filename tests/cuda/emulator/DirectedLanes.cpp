// Arithmetic rounded towards zero, down and up. The file is compiled so that the rounding mode is
// obeyed.
#include "tests/cuda/emulator/LaneLoops.h"

#include <cfenv>
#include <cmath>

namespace keratin::ptx {
namespace {

class RoundingMode {
public:
  explicit RoundingMode(int mode) : before(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(before); }
  RoundingMode(const RoundingMode &) = delete;
  RoundingMode &operator=(const RoundingMode &) = delete;

private:
  int before;
};

template <class T> T canonical(T value) {
  if (sizeof(T) == 4 && value != value)
    return T(__builtin_bit_cast(float, 0x7fffffffu));
  return value;
}
template <class T> T flush(T x) { return std::fabs(x) < T(0x1p-126) ? std::copysign(T(0), x) : x; }
template <class T, bool ftz> T in(T x) { return ftz ? flush(x) : x; }

// Operands go through volatile places, so that nothing is computed under another mode.
template <class T, int mode, bool ftz, auto f>
void directed(void *d, const void *a, const void *b, const void *c, uintptr_t, uint32_t mask) {
  RoundingMode scope(mode);
  for (int l = 0; l < laneCount; ++l) {
    if (!(mask >> l & 1))
      continue;
    volatile T x = in<T, ftz>(static_cast<const T *>(a)[l]);
    volatile T y = b ? in<T, ftz>(static_cast<const T *>(b)[l]) : T(0);
    volatile T z = c ? in<T, ftz>(static_cast<const T *>(c)[l]) : T(0);
    volatile T result = f(T(x), T(y), T(z));
    static_cast<T *>(d)[l] = canonical<T>(in<T, ftz>(result));
  }
}
// The unused operands of shorter instructions lie where no float need be; f does not look at them.
constexpr auto add = [](auto x, auto y, auto) { return x + y; };
constexpr auto sub = [](auto x, auto y, auto) { return x - y; };
constexpr auto mul = [](auto x, auto y, auto) { return x * y; };
constexpr auto fma = [](auto x, auto y, auto z) { return std::fma(x, y, z); };
constexpr auto div = [](auto x, auto y, auto) { return x / y; };
constexpr auto rcp = [](auto x, auto, auto) { return decltype(x)(1) / x; };
constexpr auto root = [](auto x, auto, auto) { return std::sqrt(x); };

#define IN_MODE(NAME, MODE, T, SUFFIX, FTZ)                                                        \
  {"add" NAME SUFFIX, directed<T, MODE, FTZ, add>},                                                \
      {"sub" NAME SUFFIX, directed<T, MODE, FTZ, sub>},                                            \
      {"mul" NAME SUFFIX, directed<T, MODE, FTZ, mul>},                                            \
      {"fma" NAME SUFFIX, directed<T, MODE, FTZ, fma>},                                            \
      {"div" NAME SUFFIX, directed<T, MODE, FTZ, div>},                                            \
      {"rcp" NAME SUFFIX, directed<T, MODE, FTZ, rcp>}, {                                          \
    "sqrt" NAME SUFFIX, directed<T, MODE, FTZ, root>                                               \
  }
#define IN_MODES(T, SUFFIX, FTZ)                                                                   \
  IN_MODE(".rz", FE_TOWARDZERO, T, SUFFIX, FTZ), IN_MODE(".rm", FE_DOWNWARD, T, SUFFIX, FTZ),      \
      IN_MODE(".rp", FE_UPWARD, T, SUFFIX, FTZ)

constexpr LaneEntry entries[] = {IN_MODES(float, ".f32", false), IN_MODES(float, ".ftz.f32", true),
                                 IN_MODES(double, ".f64", false)};

} // namespace

LaneTable directedLanes() { return {entries, std::size(entries)}; }

} // namespace keratin::ptx
