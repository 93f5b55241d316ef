// Loops over lanes that compilers turn into vectors. Internal linkage throughout (Formats.h says
// why), and nothing of the C++ library for the same reason.
#pragma once

#include "tests/cuda/emulator/Lanes.h"

#if defined(__clang__)
#define KERATIN_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define KERATIN_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace keratin::ptx {
namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;

constexpr uint32_t allLanes = ~0u;
constexpr int laneCount = 32;

template <class T> void commit(T *d, const T *result, uint32_t mask) {
  KERATIN_LANE_LOOP
  for (int l = 0; l < laneCount; ++l)
    d[l] = (mask >> l & 1) ? result[l] : d[l];
}

template <class R, class A, auto f>
void unary(void *d, const void *a, const void *, const void *, uintptr_t, uint32_t mask) {
  const A *x = static_cast<const A *>(a);
  R *into = static_cast<R *>(d), result[laneCount];
  R *to = mask == allLanes ? into : result;
  KERATIN_LANE_LOOP
  for (int l = 0; l < laneCount; ++l)
    to[l] = f(x[l]);
  if (mask != allLanes)
    commit(into, result, mask);
}

template <class R, class A, class B, auto f>
void binary(void *d, const void *a, const void *b, const void *, uintptr_t, uint32_t mask) {
  const A *x = static_cast<const A *>(a);
  const B *y = static_cast<const B *>(b);
  R *into = static_cast<R *>(d), result[laneCount];
  R *to = mask == allLanes ? into : result;
  KERATIN_LANE_LOOP
  for (int l = 0; l < laneCount; ++l)
    to[l] = f(x[l], y[l]);
  if (mask != allLanes)
    commit(into, result, mask);
}

template <class R, class A, class B, class C, auto f>
void ternary(void *d, const void *a, const void *b, const void *c, uintptr_t, uint32_t mask) {
  const A *x = static_cast<const A *>(a);
  const B *y = static_cast<const B *>(b);
  const C *z = static_cast<const C *>(c);
  R *into = static_cast<R *>(d), result[laneCount];
  R *to = mask == allLanes ? into : result;
  KERATIN_LANE_LOOP
  for (int l = 0; l < laneCount; ++l)
    to[l] = f(x[l], y[l], z[l]);
  if (mask != allLanes)
    commit(into, result, mask);
}

// With a fourth operand behind `e`.
template <class R, class A, class B, class C, class E, auto f>
void quaternary(void *d, const void *a, const void *b, const void *c, uintptr_t e, uint32_t mask) {
  const A *x = static_cast<const A *>(a);
  const B *y = static_cast<const B *>(b);
  const C *z = static_cast<const C *>(c);
  const E *w = reinterpret_cast<const E *>(e);
  R *into = static_cast<R *>(d);
  for (int l = 0; l < laneCount; ++l)
    if (mask >> l & 1)
      into[l] = f(x[l], y[l], z[l], w[l]);
}

// Lane by lane, for what has no vector: only lanes that are on are computed.
template <class R, class A, auto f>
void scalarUnary(void *d, const void *a, const void *, const void *, uintptr_t, uint32_t mask) {
  for (int l = 0; l < laneCount; ++l)
    if (mask >> l & 1)
      static_cast<R *>(d)[l] = f(static_cast<const A *>(a)[l]);
}
template <class R, class A, class B, auto f>
void scalarBinary(void *d, const void *a, const void *b, const void *, uintptr_t, uint32_t mask) {
  for (int l = 0; l < laneCount; ++l)
    if (mask >> l & 1)
      static_cast<R *>(d)[l] = f(static_cast<const A *>(a)[l], static_cast<const B *>(b)[l]);
}
template <class R, class A, class B, class C, auto f>
void scalarTernary(void *d, const void *a, const void *b, const void *c, uintptr_t, uint32_t mask) {
  for (int l = 0; l < laneCount; ++l)
    if (mask >> l & 1)
      static_cast<R *>(d)[l] = f(static_cast<const A *>(a)[l], static_cast<const B *>(b)[l],
                                 static_cast<const C *>(c)[l]);
}

// A comparison into a predicate.
template <class A, auto f>
void comparison(void *d, const void *a, const void *b, const void *, uintptr_t, uint32_t mask) {
  const A *x = static_cast<const A *>(a);
  const A *y = static_cast<const A *>(b);
  uint32_t result = 0;
  KERATIN_LANE_LOOP
  for (int l = 0; l < laneCount; ++l)
    result |= uint32_t(f(x[l], y[l])) << l;
  uint32_t &to = *static_cast<uint32_t *>(d);
  to = (to & ~mask) | (result & mask);
}

// A property into a predicate.
template <class A, auto f>
void property(void *d, const void *a, const void *, const void *, uintptr_t, uint32_t mask) {
  uint32_t result = 0;
  for (int l = 0; l < laneCount; ++l)
    result |= uint32_t(f(static_cast<const A *>(a)[l])) << l;
  uint32_t &to = *static_cast<uint32_t *>(d);
  to = (to & ~mask) | (result & mask);
}

// Choice by a predicate in `c`.
template <class T>
void choice(void *d, const void *a, const void *b, const void *c, uintptr_t, uint32_t mask) {
  uint32_t first = *static_cast<const uint32_t *>(c);
  const T *x = static_cast<const T *>(a);
  const T *y = static_cast<const T *>(b);
  T result[laneCount];
  KERATIN_LANE_LOOP
  for (int l = 0; l < laneCount; ++l)
    result[l] = (first >> l & 1) ? x[l] : y[l];
  commit(static_cast<T *>(d), result, mask);
}

} // namespace
} // namespace keratin::ptx
