// One allocation of a device's memory, with what the checks know of its bytes.
#pragma once

#include "tests/cuda/emulator/ByteSet.h"
#include "tests/cuda/emulator/Races.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace keratin::ptx {

struct Allocation {
  Allocation(uint64_t address, uint64_t bytes)
      : address(address), bytes(bytes), data(new std::byte[bytes + 32]), initialised(bytes),
        races(bytes) {}
  bool holds(uint64_t at, uint64_t count) const {
    return at >= address && count <= bytes && at - address <= bytes - count;
  }

  uint64_t address, bytes;
  std::unique_ptr<std::byte[]> data;
  ByteSet initialised;
  GlobalRecords races;
};

} // namespace keratin::ptx
