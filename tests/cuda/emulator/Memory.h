// The memory of one emulated device: allocations with gaps between them, and what the checks know
// of every byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace keratin::ptx {

struct Allocation;

// Addresses are no host addresses: they lie above what a process of the host can map, never come
// twice, and every allocation has a gap on both sides, so that an index beyond an end, a freed
// address or a host pointer is found out.
//
// One thread at a time: whoever shares a Memory between threads locks it, for the length of a
// launch too.
class Memory {
public:
  // Of several memories none has addresses of another whose number is different: 0 to 15.
  explicit Memory(uint64_t capacity, unsigned number = 0);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  // A multiple of 256; 0 if there is no room. Fresh bytes hold the filling and count as
  // uninitialised. An allocation of no bytes has an address too.
  uint64_t allocate(uint64_t bytes);
  // False: no allocation begins there.
  bool release(uint64_t address);

  // The host's view of device bytes; null: not inside one allocation.
  std::byte *at(uint64_t address, uint64_t bytes);
  const std::byte *at(uint64_t address, uint64_t bytes) const;
  // Copies and fillings of the host's go through `at` and then say so here.
  void setInitialised(uint64_t address, uint64_t bytes);
  void setUninitialised(uint64_t address, uint64_t bytes);
  // Makes what is known of `bytes` at `to` equal to what is known at `from`: for copies on the
  // device.
  void copyInitialised(uint64_t to, uint64_t from, uint64_t bytes);
  bool isInitialised(uint64_t address, uint64_t bytes) const;

  // What fresh memory holds from now on, on the device and in the shared memory of blocks.
  void setFilling(std::byte value) { filling = value; }
  std::byte fillingByte() const { return filling; }

  uint64_t capacity() const { return capacityBytes; }
  uint64_t bytesInUse() const { return usedBytes; }
  size_t allocations() const { return byAddress.size(); }
  struct Range {
    uint64_t address, bytes;
  };
  // All allocations, by address: what is left at the end of a program has leaked.
  std::vector<Range> ranges() const;
  // The allocation with the address inside it: its first address and bytes; {0, 0} if there is
  // none.
  Range rangeOf(uint64_t address) const;

  // For the emulator: the allocation that holds the address, or null.
  Allocation *find(uint64_t address) const;
  // For the emulator: numbers the launches, for records of races.
  uint32_t nextLaunch() { return ++launch; }

private:
  std::map<uint64_t, std::unique_ptr<Allocation>> byAddress;
  uint64_t capacityBytes, usedBytes = 0, nextAddress, endOfAddresses;
  std::byte filling{0xcd};
  uint32_t launch = 0;
};

} // namespace keratin::ptx
