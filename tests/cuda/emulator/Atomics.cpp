// atom and red.
#include "tests/cuda/emulator/Access.h"
#include "tests/cuda/emulator/Formats.h"
#include "tests/cuda/emulator/Handlers.h"

#include <bit>
#include <cstring>

namespace keratin::ptx {

namespace {

template <class T> T updated(AtomicOp op, T old, T value, T other) {
  switch (op) {
  case AtomicOp::Add:
    return T(old + value);
  case AtomicOp::Min:
    return value < old ? value : old;
  case AtomicOp::Max:
    return old < value ? value : old;
  case AtomicOp::Inc:
    return old >= value ? T(0) : T(old + 1);
  case AtomicOp::Dec:
    return old == 0 || old > value ? value : T(old - 1);
  case AtomicOp::And:
    return T(old & value);
  case AtomicOp::Or:
    return T(old | value);
  case AtomicOp::Xor:
    return T(old ^ value);
  case AtomicOp::Exchange:
    return value;
  case AtomicOp::CompareAndSwap:
    return old == value ? other : old;
  }
  return old;
}

template <class T> uint64_t onIntegers(AtomicOp op, uint64_t old, uint64_t value, uint64_t other) {
  using U = std::make_unsigned_t<T>;
  // Signed sums wrap.
  if (op == AtomicOp::Add)
    return U(U(old) + U(value));
  return U(updated<T>(op, T(old), T(value), T(other)));
}

uint64_t halves(Type type, uint64_t old, uint64_t value) {
  bool isHalf = type == Type::F16 || type == Type::F16x2;
  auto sum = [&](uint16_t a, uint16_t b) -> uint64_t {
    return isHalf ? toHalf(addToOdd(fromHalf(a), fromHalf(b)), Rounding::Nearest)
                  : toBfloat(addToOdd(fromBfloat(a), fromBfloat(b)), Rounding::Nearest);
  };
  uint64_t low = sum(uint16_t(old), uint16_t(value));
  return bytesOf(type) == 2 ? low : low | sum(uint16_t(old >> 16), uint16_t(value >> 16)) << 16;
}

uint64_t onFloats(Type type, uint64_t old, uint64_t value) {
  switch (type) {
  case Type::F32:
    return std::bit_cast<uint32_t>(std::bit_cast<float>(uint32_t(old)) +
                                   std::bit_cast<float>(uint32_t(value)));
  case Type::F64:
    return std::bit_cast<uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
  default:
    return halves(type, old, value);
  }
}

uint64_t newValue(const Atomic &atomic, uint64_t old, uint64_t value, uint64_t other) {
  if (isFloat(atomic.type) && atomic.op == AtomicOp::Add)
    return onFloats(atomic.type, old, value);
  switch (bytesOf(atomic.type)) {
  case 2:
    return onIntegers<uint16_t>(atomic.op, old, value, other);
  case 4:
    return isSigned(atomic.type) ? onIntegers<int32_t>(atomic.op, old, value, other)
                                 : onIntegers<uint32_t>(atomic.op, old, value, other);
  default:
    return isSigned(atomic.type) ? onIntegers<int64_t>(atomic.op, old, value, other)
                                 : onIntegers<uint64_t>(atomic.op, old, value, other);
  }
}

} // namespace

void updateMemory(Warp &warp, const Instruction &i, uint32_t mask) {
  const Atomic &atomic = warp.code().atomics[i.detail];
  uint32_t bytes = atomic.access.bytes;
  touchSpaces(warp, atomic.access, bytes, mask, [&](const Touch &touch) {
    countTraffic(warp, touch, true);
    checkLoad(warp, touch, true);
    synchronise(warp, touch, true, true, atomic.access.acquire, atomic.access.release);
    checkStore(warp, touch, true, nullptr);
    // Lanes at one address come one after the other.
    for (uint32_t left = touch.mask; left; left &= left - 1) {
      uint32_t l = uint32_t(std::countr_zero(left));
      uint64_t old = 0;
      std::memcpy(&old, touch.data[l], bytes);
      uint64_t value = warp.value(atomic.value, bytes, l),
               other = warp.value(atomic.other, bytes, l);
      uint64_t next = newValue(atomic, old, value, other);
      std::memcpy(touch.data[l], &next, bytes);
      if (atomic.hasResult)
        std::memcpy(warp.registers + atomic.result + l * bytes, &old, bytes);
    }
  });
}

} // namespace keratin::ptx
