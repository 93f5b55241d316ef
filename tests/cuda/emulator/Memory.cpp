#include "tests/cuda/emulator/Memory.h"

#include "tests/cuda/emulator/Allocation.h"

#include <cstring>

namespace keratin::ptx {

namespace {
// Above what x86-64 and AArch64 map for a process with 48 bits of address, within the 49 bits of a
// GPU.
constexpr uint64_t firstAddress = uint64_t(1) << 48, addressesOfOne = uint64_t(1) << 44;
constexpr uint64_t alignment = 256, gap = 64 * 1024;

uint64_t roundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
} // namespace

Memory::Memory(uint64_t capacity, unsigned number)
    : capacityBytes(capacity), nextAddress(firstAddress + number * addressesOfOne),
      endOfAddresses(nextAddress + addressesOfOne) {}
Memory::~Memory() = default;

uint64_t Memory::allocate(uint64_t bytes) {
  if (bytes > capacityBytes - usedBytes || bytes + alignment + gap > endOfAddresses - nextAddress)
    return 0;
  auto allocation = std::make_unique<Allocation>(nextAddress, bytes);
  std::memset(allocation->data.get(), int(filling), bytes);
  uint64_t address = nextAddress;
  nextAddress += roundUp(bytes, alignment) + gap;
  usedBytes += bytes;
  byAddress.emplace(address, std::move(allocation));
  return address;
}

bool Memory::release(uint64_t address) {
  auto found = byAddress.find(address);
  if (found == byAddress.end())
    return false;
  usedBytes -= found->second->bytes;
  byAddress.erase(found);
  return true;
}

Allocation *Memory::find(uint64_t address) const {
  auto next = byAddress.upper_bound(address);
  if (next == byAddress.begin())
    return nullptr;
  Allocation *candidate = std::prev(next)->second.get();
  return candidate->holds(address, 0) ? candidate : nullptr;
}

std::byte *Memory::at(uint64_t address, uint64_t bytes) {
  Allocation *allocation = find(address);
  if (!allocation || !allocation->holds(address, bytes))
    return nullptr;
  return allocation->data.get() + (address - allocation->address);
}

const std::byte *Memory::at(uint64_t address, uint64_t bytes) const {
  return const_cast<Memory *>(this)->at(address, bytes);
}

void Memory::setInitialised(uint64_t address, uint64_t bytes) {
  if (at(address, bytes)) {
    Allocation *allocation = find(address);
    allocation->initialised.addRange(address - allocation->address, bytes);
  }
}

void Memory::setUninitialised(uint64_t address, uint64_t bytes) {
  if (at(address, bytes)) {
    Allocation *allocation = find(address);
    allocation->initialised.removeRange(address - allocation->address, bytes);
  }
}

void Memory::copyInitialised(uint64_t to, uint64_t from, uint64_t bytes) {
  if (!at(to, bytes) || !at(from, bytes))
    return;
  Allocation *target = find(to), *source = find(from);
  for (uint64_t done = 0; done < bytes; ++done) {
    uint64_t there = from - source->address + done, here = to - target->address + done;
    constexpr uint64_t piece = 32;
    if (bytes - done >= piece && source->initialised.holds(there, piece)) {
      target->initialised.add(here, piece);
      done += piece - 1;
    } else if (source->initialised.holds(there, 1)) {
      target->initialised.add(here, 1);
    } else {
      target->initialised.removeRange(here, 1);
    }
  }
}

bool Memory::isInitialised(uint64_t address, uint64_t bytes) const {
  if (!at(address, bytes))
    return false;
  const Allocation *allocation = find(address);
  return allocation->initialised.holdsRange(address - allocation->address, bytes);
}

std::vector<Memory::Range> Memory::ranges() const {
  std::vector<Range> all;
  for (const auto &[address, allocation] : byAddress)
    all.push_back({address, allocation->bytes});
  return all;
}

Memory::Range Memory::rangeOf(uint64_t address) const {
  const Allocation *allocation = find(address);
  return allocation ? Range{allocation->address, allocation->bytes} : Range{0, 0};
}

} // namespace keratin::ptx
