// Integer arithmetic, logic, shifts and comparisons. Compiled twice: KERATIN_LANES names the table.
#include "tests/cuda/emulator/LaneLoops.h"

namespace keratin::ptx {
namespace {

template <class T> struct Wider;
template <> struct Wider<u16> {
  using type = u32;
};
template <> struct Wider<s16> {
  using type = s32;
};
template <> struct Wider<u32> {
  using type = u64;
};
template <> struct Wider<s32> {
  using type = s64;
};
template <> struct Wider<u64> {
  using type = unsigned __int128;
};
template <> struct Wider<s64> {
  using type = __int128;
};
template <class T> using Wide = typename Wider<T>::type;
template <class T> struct UnsignedOf {
  using type = T;
};
template <> struct UnsignedOf<s16> {
  using type = u16;
};
template <> struct UnsignedOf<s32> {
  using type = u32;
};
template <> struct UnsignedOf<s64> {
  using type = u64;
};
template <class T> using Unsigned = typename UnsignedOf<T>::type;
template <class T> constexpr int widthOf = int(sizeof(T) * 8);
template <class T> constexpr bool isSignedType = T(-1) < T(0);
template <class T>
constexpr T largestOf = T(Unsigned<T>(~Unsigned<T>(0)) >> (isSignedType<T> ? 1 : 0));

// Wrapping arithmetic is done in at least 32 unsigned bits: the language promotes narrower types to
// int.
template <class T> constexpr auto add = [](T a, T b) { return T(Unsigned<T>(a) + Unsigned<T>(b)); };
template <class T> constexpr auto sub = [](T a, T b) { return T(Unsigned<T>(a) - Unsigned<T>(b)); };
template <class T> constexpr auto mulLow = [](T a, T b) { return T(u64(a) * u64(b)); };
template <class T>
constexpr auto mulHigh = [](T a, T b) { return T((Wide<T>(a) * Wide<T>(b)) >> widthOf<T>); };
template <class T> constexpr auto mulWide = [](T a, T b) { return Wide<T>(a) * Wide<T>(b); };
template <class T>
constexpr auto madLow = [](T a, T b, T c) { return T(u64(a) * u64(b) + u64(c)); };
template <class T>
constexpr auto madHigh =
    [](T a, T b, T c) { return T(Unsigned<T>(mulHigh<T>(a, b)) + Unsigned<T>(c)); };
template <class T>
constexpr auto madWide = [](T a, T b, Wide<T> c) {
  return Wide<T>(Unsigned<Wide<T>>(Wide<T>(a) * Wide<T>(b)) + Unsigned<Wide<T>>(c));
};
template <class T> constexpr auto least = [](T a, T b) { return a < b ? a : b; };
template <class T> constexpr auto greatest = [](T a, T b) { return a < b ? b : a; };
// What the manual leaves open for a zero divisor is all ones here, as on the hardware.
template <class T>
constexpr auto quotient = [](T a, T b) {
  if (b == 0)
    return T(-1);
  if (isSignedType<T> && b == T(-1))
    return T(Unsigned<T>(0) - Unsigned<T>(a));
  return T(a / b);
};
template <class T>
constexpr auto remainderOf = [](T a, T b) {
  if (b == 0)
    return a;
  if (isSignedType<T> && b == T(-1))
    return T(0);
  return T(a % b);
};
template <class T> constexpr auto negate = [](T a) { return T(Unsigned<T>(0) - Unsigned<T>(a)); };
template <class T>
constexpr auto absolute = [](T a) { return a < 0 ? T(Unsigned<T>(0) - Unsigned<T>(a)) : a; };
template <class T>
constexpr auto difference = [](T a, T b, T c) {
  return T(Unsigned<T>(c) +
           (a < b ? Unsigned<T>(b) - Unsigned<T>(a) : Unsigned<T>(a) - Unsigned<T>(b)));
};
constexpr auto saturate = [](s64 wide) {
  return s32(wide > largestOf<s32>             ? largestOf<s32>
             : wide < -s64(largestOf<s32>) - 1 ? -s64(largestOf<s32>) - 1
                                               : wide);
};
constexpr auto addSaturated = [](s32 a, s32 b) { return saturate(s64(a) + b); };
constexpr auto subSaturated = [](s32 a, s32 b) { return saturate(s64(a) - b); };
constexpr auto madHighSaturated = [](s32 a, s32 b, s32 c) {
  return saturate(((s64(a) * b) >> 32) + c);
};
template <class T> constexpr s64 low24(T a) {
  return isSignedType<T> ? s64(s32(u32(a) << 8) >> 8) : s64(u32(a) & 0xffffff);
}
template <class T> constexpr auto mul24Low = [](T a, T b) { return T(low24(a) * low24(b)); };
template <class T>
constexpr auto mul24High = [](T a, T b) { return T((low24(a) * low24(b)) >> 16); };
template <class T>
constexpr auto mad24Low = [](T a, T b, T c) { return T(u32(low24(a) * low24(b)) + u32(c)); };

// Shifts clamp: beyond the width nothing, or the sign, is left.
template <class T>
constexpr auto shiftLeft = [](T a, u32 b) { return b >= u32(widthOf<T>) ? T(0) : T(u64(a) << b); };
template <class T>
constexpr auto shiftRight = [](T a, u32 b) {
  if (isSignedType<T>)
    return T(a >> (b >= u32(widthOf<T>) ? widthOf<T> - 1 : int(b)));
  return b >= u32(widthOf<T>) ? T(0) : T(a >> b);
};
constexpr u32 minimum(u32 a, u32 b) { return a < b ? a : b; }
constexpr auto funnelLeft = [](u32 low, u32 high, u32 by) {
  return u32((u64(high) << 32 | low) << by >> 32);
};
constexpr auto funnelRight = [](u32 low, u32 high, u32 by) {
  return u32((u64(high) << 32 | low) >> by);
};
constexpr auto funnelLeftWrap = [](u32 a, u32 b, u32 c) { return funnelLeft(a, b, c & 31); };
constexpr auto funnelLeftClamp = [](u32 a, u32 b, u32 c) {
  return funnelLeft(a, b, minimum(c, 32));
};
constexpr auto funnelRightWrap = [](u32 a, u32 b, u32 c) { return funnelRight(a, b, c & 31); };
constexpr auto funnelRightClamp = [](u32 a, u32 b, u32 c) {
  return funnelRight(a, b, minimum(c, 32));
};

template <class T> constexpr auto conjunction = [](T a, T b) { return T(a & b); };
template <class T> constexpr auto disjunction = [](T a, T b) { return T(a | b); };
template <class T> constexpr auto exclusive = [](T a, T b) { return T(a ^ b); };
template <class T> constexpr auto complement = [](T a) { return T(~a); };
template <class T> constexpr auto isZero = [](T a) { return T(a == 0); };
template <class T>
constexpr auto population = [](T a) { return u32(__builtin_popcountll(u64(a))); };
template <class T>
constexpr auto leadingZeros =
    [](T a) { return a == 0 ? u32(widthOf<T>) : u32(__builtin_clzll(u64(a)) - (64 - widthOf<T>)); };
template <class T>
constexpr auto reversed = [](T a) {
  T result = 0;
  for (int i = 0; i < widthOf<T>; ++i)
    result = T(result << 1 | (a >> i & 1));
  return result;
};
// The place of the first bit that differs from the sign, or of the first one.
template <class T>
constexpr auto findBit = [](T a) {
  Unsigned<T> word = Unsigned<T>(isSignedType<T> && a < 0 ? ~a : a);
  return word == 0 ? ~u32(0) : u32(63 - __builtin_clzll(u64(word)));
};
template <class T>
constexpr auto findShift = [](T a) {
  u32 place = findBit<T>(a);
  return place == ~u32(0) ? place : u32(widthOf<T> - 1) - place;
};

template <class T>
constexpr auto extractField = [](T a, u32 position, u32 length) {
  using U = Unsigned<T>;
  position &= 0xff;
  length &= 0xff;
  u32 width = u32(widthOf<T>);
  if (length == 0)
    return T(0);
  // The sign is the field's last bit, or the word's where the field reaches beyond it.
  u32 last = minimum(position + length - 1, width - 1);
  U sign = isSignedType<T> && (U(a) >> last & 1) ? U(~U(0)) : U(0);
  u32 taken = position >= width ? 0 : minimum(length, width - position);
  U mask = taken >= width ? U(~U(0)) : U((U(1) << taken) - 1);
  U field = taken == 0 ? U(0) : U(U(a) >> position & mask);
  return T(field | (sign & U(~mask)));
};
template <class T>
constexpr auto insertField = [](T a, T b, u32 position, u32 length) {
  position &= 0xff;
  length &= 0xff;
  u32 width = u32(widthOf<T>);
  if (length == 0 || position >= width)
    return b;
  T mask = length >= width ? T(~T(0)) : T((T(1) << length) - 1);
  return T((b & ~T(mask << position)) | T((a & mask) << position));
};

constexpr u32 byteOf(u32 a, u32 b, u32 selector) {
  u32 byte = u32((u64(b) << 32 | a) >> (8 * (selector & 7)) & 0xff);
  return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}
constexpr u32 permuteBy(u32 a, u32 b, u32 s0, u32 s1, u32 s2, u32 s3) {
  return byteOf(a, b, s0) | byteOf(a, b, s1) << 8 | byteOf(a, b, s2) << 16 | byteOf(a, b, s3) << 24;
}
constexpr auto permute = [](u32 a, u32 b, u32 c) {
  return permuteBy(a, b, c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15);
};
constexpr auto forwardExtract = [](u32 a, u32 b, u32 c) {
  c &= 3;
  return permuteBy(a, b, c, c + 1, c + 2, c + 3);
};
constexpr auto backwardExtract = [](u32 a, u32 b, u32 c) {
  c &= 3;
  return permuteBy(a, b, c, (c + 7) & 7, (c + 6) & 7, (c + 5) & 7);
};
constexpr auto replicateByte = [](u32 a, u32 b, u32 c) {
  return permuteBy(a, b, c & 3, c & 3, c & 3, c & 3);
};
constexpr auto replicateWord = [](u32 a, u32 b, u32 c) {
  u32 low = (c & 1) * 2;
  return permuteBy(a, b, low, low + 1, low, low + 1);
};
constexpr auto clampLeft = [](u32 a, u32 b, u32 c) {
  c &= 3;
  return permuteBy(a, b, c, c > 1 ? c : 1, c > 2 ? c : 2, 3);
};
constexpr auto clampRight = [](u32 a, u32 b, u32 c) {
  c &= 3;
  return permuteBy(a, b, 0, minimum(c, 1), minimum(c, 2), c);
};

void lookUp3(void *d, const void *a, const void *b, const void *c, uintptr_t table, uint32_t mask) {
  const u32 *x = static_cast<const u32 *>(a), *y = static_cast<const u32 *>(b),
            *z = static_cast<const u32 *>(c);
  u32 result[laneCount], term[8];
  for (int i = 0; i < 8; ++i)
    term[i] = (table >> i & 1) ? ~0u : 0;
  KERATIN_LANE_LOOP
  for (int l = 0; l < laneCount; ++l)
    result[l] = (term[7] & x[l] & y[l] & z[l]) | (term[6] & x[l] & y[l] & ~z[l]) |
                (term[5] & x[l] & ~y[l] & z[l]) | (term[4] & x[l] & ~y[l] & ~z[l]) |
                (term[3] & ~x[l] & y[l] & z[l]) | (term[2] & ~x[l] & y[l] & ~z[l]) |
                (term[1] & ~x[l] & ~y[l] & z[l]) | (term[0] & ~x[l] & ~y[l] & ~z[l]);
  commit(static_cast<u32 *>(d), result, mask);
}

template <bool aSigned, bool bSigned>
constexpr auto dot4 = [](u32 a, u32 b, u32 c) {
  for (int i = 0; i < 32; i += 8)
    c += u32((aSigned ? s32(s8(a >> i)) : s32(u8(a >> i))) *
             (bSigned ? s32(s8(b >> i)) : s32(u8(b >> i))));
  return c;
};

// Arithmetic with the carry flag, a predicate behind `e`. Subtraction borrows: the flag is then the
// borrow.
enum class Carry { Sets, Uses, Both };
template <class T, bool subtract, Carry carry>
void withCarry(void *d, const void *a, const void *b, const void *, uintptr_t e, uint32_t mask) {
  uint32_t &flags = *reinterpret_cast<uint32_t *>(e);
  uint32_t before = carry == Carry::Sets ? 0 : flags;
  for (int l = 0; l < laneCount; ++l) {
    if (!(mask >> l & 1))
      continue;
    T x = static_cast<const T *>(a)[l], y = static_cast<const T *>(b)[l], in = T(before >> l & 1);
    T result = subtract ? T(x - y - in) : T(x + y + in);
    bool out = subtract ? x < y || (in && x == y) : result < x || (in && result == x);
    static_cast<T *>(d)[l] = result;
    if (carry != Carry::Uses)
      flags = (flags & ~(1u << l)) | uint32_t(out) << l;
  }
}
template <class T, bool high, Carry carry>
void madWithCarry(void *d, const void *a, const void *b, const void *c, uintptr_t e,
                  uint32_t mask) {
  Unsigned<T> products[laneCount];
  for (int l = 0; l < laneCount; ++l) {
    T x = static_cast<const T *>(a)[l], y = static_cast<const T *>(b)[l];
    products[l] = Unsigned<T>(high ? mulHigh<T>(x, y) : mulLow<T>(x, y));
  }
  withCarry<Unsigned<T>, false, carry>(d, products, c, nullptr, e, mask);
}

template <class T> constexpr auto equal = [](T a, T b) { return a == b; };
template <class T> constexpr auto unequal = [](T a, T b) { return a != b; };
template <class T> constexpr auto less = [](T a, T b) { return a < b; };
template <class T> constexpr auto lessEqual = [](T a, T b) { return a <= b; };
template <class T> constexpr auto greater = [](T a, T b) { return a > b; };
template <class T> constexpr auto greaterEqual = [](T a, T b) { return a >= b; };

#define ARITHMETIC(T)                                                                              \
  {"add." #T, binary<T, T, T, add<T>>}, {"sub." #T, binary<T, T, T, sub<T>>},                      \
      {"mul.lo." #T, binary<T, T, T, mulLow<T>>}, {"mul.hi." #T, binary<T, T, T, mulHigh<T>>},     \
      {"mad.lo." #T, ternary<T, T, T, T, madLow<T>>},                                              \
      {"mad.hi." #T, ternary<T, T, T, T, madHigh<T>>}, {"min." #T, binary<T, T, T, least<T>>},     \
      {"max." #T, binary<T, T, T, greatest<T>>}, {"div." #T, scalarBinary<T, T, T, quotient<T>>},  \
      {"rem." #T, scalarBinary<T, T, T, remainderOf<T>>},                                          \
      {"sad." #T, ternary<T, T, T, T, difference<T>>},                                             \
      {"shr." #T, binary<T, T, u32, shiftRight<T>>}, {"setp.eq." #T, comparison<T, equal<T>>},     \
      {"setp.ne." #T, comparison<T, unequal<T>>}, {"setp.lt." #T, comparison<T, less<T>>},         \
      {"setp.le." #T, comparison<T, lessEqual<T>>}, {"setp.gt." #T, comparison<T, greater<T>>},    \
      {"setp.ge." #T, comparison<T, greaterEqual<T>>}, {"setp.lo." #T, comparison<T, less<T>>},    \
      {"setp.ls." #T, comparison<T, lessEqual<T>>}, {"setp.hi." #T, comparison<T, greater<T>>}, {  \
    "setp.hs." #T, comparison<T, greaterEqual<T>>                                                  \
  }
#define SIGNED_ONLY(T)                                                                             \
  {"neg." #T, unary<T, T, negate<T>>}, { "abs." #T, unary<T, T, absolute<T>> }
#define WIDENING(T)                                                                                \
  {"mul.wide." #T, binary<Wide<T>, T, T, mulWide<T>>}, {                                           \
    "mad.wide." #T, ternary<Wide<T>, T, T, Wide<T>, madWide<T>>                                    \
  }
#define BITS(B, T)                                                                                 \
  {"and." #B, binary<T, T, T, conjunction<T>>}, {"or." #B, binary<T, T, T, disjunction<T>>},       \
      {"xor." #B, binary<T, T, T, exclusive<T>>}, {"not." #B, unary<T, T, complement<T>>},         \
      {"cnot." #B, unary<T, T, isZero<T>>}, {"shl." #B, binary<T, T, u32, shiftLeft<T>>},          \
      {"shr." #B, binary<T, T, u32, shiftRight<T>>}, {"selp." #B, choice<T>},                      \
      {"setp.eq." #B, comparison<T, equal<T>>}, {"setp.ne." #B, comparison<T, unequal<T>>}, {      \
    "mov." #B, unary<T, T, [](T a) { return a; }>                                                  \
  }
#define COUNTING(B, T)                                                                             \
  {"popc." #B, unary<u32, T, population<T>>}, {"clz." #B, unary<u32, T, leadingZeros<T>>},         \
      {"brev." #B, unary<T, T, reversed<T>>}, {                                                    \
    "bfi." #B, quaternary<T, T, T, u32, u32, insertField<T>>                                       \
  }
#define FIELDS(T)                                                                                  \
  {"bfe." #T, ternary<T, T, u32, u32, extractField<T>>}, {"bfind." #T, unary<u32, T, findBit<T>>}, \
  {                                                                                                \
    "bfind.shiftamt." #T, unary<u32, T, findShift<T>>                                              \
  }
#define CARRYING(T, U)                                                                             \
  {"add.cc." #T, withCarry<U, false, Carry::Sets>},                                                \
      {"addc." #T, withCarry<U, false, Carry::Uses>},                                              \
      {"addc.cc." #T, withCarry<U, false, Carry::Both>},                                           \
      {"sub.cc." #T, withCarry<U, true, Carry::Sets>},                                             \
      {"subc." #T, withCarry<U, true, Carry::Uses>},                                               \
      {"subc.cc." #T, withCarry<U, true, Carry::Both>},                                            \
      {"mad.lo.cc." #T, madWithCarry<T, false, Carry::Sets>},                                      \
      {"mad.hi.cc." #T, madWithCarry<T, true, Carry::Sets>},                                       \
      {"madc.lo." #T, madWithCarry<T, false, Carry::Uses>},                                        \
      {"madc.hi." #T, madWithCarry<T, true, Carry::Uses>},                                         \
      {"madc.lo.cc." #T, madWithCarry<T, false, Carry::Both>}, {                                   \
    "madc.hi.cc." #T, madWithCarry<T, true, Carry::Both>                                           \
  }
#define MUL24(T)                                                                                   \
  {"mul24.lo." #T, binary<T, T, T, mul24Low<T>>}, {"mul24.hi." #T, binary<T, T, T, mul24High<T>>}, \
  {                                                                                                \
    "mad24.lo." #T, ternary<T, T, T, T, mad24Low<T>>                                               \
  }

constexpr LaneEntry entries[] = {
    ARITHMETIC(u16),
    ARITHMETIC(s16),
    ARITHMETIC(u32),
    ARITHMETIC(s32),
    ARITHMETIC(u64),
    ARITHMETIC(s64),
    SIGNED_ONLY(s16),
    SIGNED_ONLY(s32),
    SIGNED_ONLY(s64),
    WIDENING(u16),
    WIDENING(s16),
    WIDENING(u32),
    WIDENING(s32),
    BITS(b16, u16),
    BITS(b32, u32),
    BITS(b64, u64),
    COUNTING(b32, u32),
    COUNTING(b64, u64),
    FIELDS(u32),
    FIELDS(s32),
    FIELDS(u64),
    FIELDS(s64),
    CARRYING(u32, u32),
    CARRYING(s32, u32),
    CARRYING(u64, u64),
    CARRYING(s64, u64),
    MUL24(u32),
    MUL24(s32),
    {"add.sat.s32", binary<s32, s32, s32, addSaturated>},
    {"sub.sat.s32", binary<s32, s32, s32, subSaturated>},
    {"mad.hi.sat.s32", ternary<s32, s32, s32, s32, madHighSaturated>},
    {"shf.l.wrap.b32", ternary<u32, u32, u32, u32, funnelLeftWrap>},
    {"shf.l.clamp.b32", ternary<u32, u32, u32, u32, funnelLeftClamp>},
    {"shf.r.wrap.b32", ternary<u32, u32, u32, u32, funnelRightWrap>},
    {"shf.r.clamp.b32", ternary<u32, u32, u32, u32, funnelRightClamp>},
    {"prmt.b32", ternary<u32, u32, u32, u32, permute>},
    {"prmt.b32.f4e", ternary<u32, u32, u32, u32, forwardExtract>},
    {"prmt.b32.b4e", ternary<u32, u32, u32, u32, backwardExtract>},
    {"prmt.b32.rc8", ternary<u32, u32, u32, u32, replicateByte>},
    {"prmt.b32.rc16", ternary<u32, u32, u32, u32, replicateWord>},
    {"prmt.b32.ecl", ternary<u32, u32, u32, u32, clampLeft>},
    {"prmt.b32.ecr", ternary<u32, u32, u32, u32, clampRight>},
    {"lop3.b32", lookUp3},
    {"dp4a.u32.u32", ternary<u32, u32, u32, u32, dot4<false, false>>},
    {"dp4a.s32.s32", ternary<u32, u32, u32, u32, dot4<true, true>>},
    {"dp4a.s32.u32", ternary<u32, u32, u32, u32, dot4<true, false>>},
    {"dp4a.u32.s32", ternary<u32, u32, u32, u32, dot4<false, true>>},
    {"cvt.u64.u32", unary<u64, u32, [](u32 a) { return u64(a); }>},
    {"cvt.s64.s32", unary<s64, s32, [](s32 a) { return s64(a); }>},
    {"cvt.u32.u64", unary<u32, u64, [](u64 a) { return u32(a); }>},
    {"cvt.u32.u16", unary<u32, u16, [](u16 a) { return u32(a); }>},
    {"cvt.s32.s16", unary<s32, s16, [](s16 a) { return s32(a); }>},
    {"cvt.u16.u32", unary<u16, u32, [](u32 a) { return u16(a); }>},
};

} // namespace

LaneTable KERATIN_LANES() { return {entries, sizeof entries / sizeof *entries}; }

} // namespace keratin::ptx
