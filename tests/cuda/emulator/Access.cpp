#include "tests/cuda/emulator/Access.h"

#include "tests/cuda/emulator/Handlers.h"
#include "tests/cuda/emulator/Lanes.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace keratin::ptx {

namespace {

std::string plural(uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

const char *nameOf(Space space) {
  switch (space) {
  case Space::Shared:
    return "shared";
  case Space::Local:
    return "local";
  case Space::Parameter:
    return "parameter";
  default:
    return "global";
  }
}

} // namespace

std::string describe(const Touch &touch, bool isStore, uint32_t lane) {
  return std::string(isStore ? "writes " : "reads ") + plural(touch.bytes) + " of " +
         nameOf(touch.space) + " memory at " + hex(touch.address[lane]);
}

namespace {

[[noreturn]] void failOutside(Warp &warp, const Touch &touch, bool isStore, uint32_t lane) {
  uint64_t address = touch.address[lane];
  std::string where = ", where nothing is allocated";
  if (touch.space == Space::Global) {
    // The last allocation that begins at or before the address says most.
    Memory::Range near{0, 0};
    for (const Memory::Range &range : warp.grid->memory.ranges())
      if (range.address <= address)
        near = range;
    if (near.address)
      where = ", " + std::to_string(address - near.address) + " bytes into the allocation of " +
              plural(near.bytes) + " at " + hex(near.address) +
              (address - near.address < near.bytes ? ", which ends before" : "");
    if (near.address && address - near.address > near.bytes + 65536)
      where = ", where nothing is allocated";
  } else {
    uint64_t size = touch.space == Space::Shared  ? warp.grid->sharedBytes()
                    : touch.space == Space::Local ? warp.code().localBytes
                                                  : warp.grid->parameters.size();
    where = ", of " + plural(size);
  }
  warp.fail(FaultKind::OutOfBounds, lane, describe(touch, isStore, lane) + where, address);
}

void resolveGlobal(Warp &warp, Touch &touch, bool isStore, const AddressScan &scan) {
  Allocation *&last = warp.lastAllocation;
  uint64_t span = scan.greatest - scan.least + touch.bytes;
  if (!last || !last->holds(scan.least, span)) {
    if (Allocation *found = warp.grid->memory.find(scan.least))
      last = found;
  }
  if (last && last->holds(scan.least, span)) {
    touch.origin = last->data.get();
    touch.originAddress = last->address;
    touch.allocation = last;
    for (uint32_t l = 0; l < warpLanes; ++l)
      touch.data[l] = last->data.get() + (touch.address[l] - last->address);
    return;
  }
  forLanes(touch.mask, [&](uint32_t l) {
    Allocation *found = warp.grid->memory.find(touch.address[l]);
    if (!found || !found->holds(touch.address[l], touch.bytes))
      failOutside(warp, touch, isStore, l);
    touch.data[l] = found->data.get() + (touch.address[l] - found->address);
    last = found;
  });
}

void resolveWithin(Warp &warp, Touch &touch, bool isStore, const AddressScan &scan, std::byte *data,
                   uint64_t size, uint64_t stride) {
  if (scan.greatest > size || touch.bytes > size - scan.greatest)
    forLanes(touch.mask, [&](uint32_t l) {
      if (touch.address[l] > size || touch.bytes > size - touch.address[l])
        failOutside(warp, touch, isStore, l);
    });
  touch.origin = stride == 0 ? data : nullptr;
  touch.originAddress = 0;
  for (uint32_t l = 0; l < warpLanes; ++l)
    touch.data[l] = data + l * stride + touch.address[l];
}

} // namespace

void findAddresses(Warp &warp, const MemoryAccess &access, uint32_t mask, uint64_t *address) {
  if (access.baseBytes == 8) {
    const uint64_t *base = warp.lanes<uint64_t>(access.base);
    for (uint32_t l = 0; l < warpLanes; ++l)
      address[l] = base[l] + uint64_t(access.offset);
  } else {
    const uint32_t *base = warp.lanes<uint32_t>(access.base);
    for (uint32_t l = 0; l < warpLanes; ++l)
      address[l] = uint32_t(base[l] + uint32_t(access.offset));
  }
}

void resolve(Warp &warp, Touch &touch, bool isStore) {
  if (!touch.full()) {
    uint64_t first = touch.address[std::countr_zero(touch.mask)];
    for (uint32_t l = 0; l < warpLanes; ++l)
      touch.address[l] = (touch.mask >> l & 1) ? touch.address[l] : first;
  }
  AddressScan scan;
  addressLanes().scan(touch.address, touch.bytes, scan);
  touch.leaders = scan.leaders;
  touch.contiguous = scan.contiguous && touch.full();
  touch.allocation = nullptr;
  touch.origin = nullptr;
  uint32_t alignment = touch.alignment ? touch.alignment : touch.bytes;
  if (scan.combined & (alignment - 1))
    forLanes(touch.mask, [&](uint32_t l) {
      if (touch.address[l] & (alignment - 1))
        warp.fail(FaultKind::Misaligned, l,
                  describe(touch, isStore, l) + ": a multiple of " + plural(alignment) +
                      " is needed",
                  touch.address[l]);
    });
  switch (touch.space) {
  case Space::Shared:
    return resolveWithin(warp, touch, isStore, scan, warp.block->shared.data(),
                         warp.grid->sharedBytes(), 0);
  case Space::Local:
    return resolveWithin(warp, touch, isStore, scan, warp.local.data(), warp.code().localBytes,
                         warp.code().localBytes);
  case Space::Parameter:
    return resolveWithin(warp, touch, isStore, scan, warp.grid->parameters.data(),
                         warp.grid->parameters.size(), 0);
  default:
    return resolveGlobal(warp, touch, isStore, scan);
  }
}

namespace {

// Loads and stores between registers and the lanes' memory.
template <class T> void loadElements(Warp &warp, const MemoryAccess &access, const Touch &touch) {
  for (uint32_t element = 0; element < access.count; ++element) {
    T *to = warp.lanes<T>(access.registers[element]);
    if (touch.contiguous && access.count == 1)
      std::memcpy(to, touch.data[0], sizeof(T) * warpLanes);
    else if (sizeof(T) == 4 && touch.full() && touch.origin)
      addressLanes().gatherWords(reinterpret_cast<uint32_t *>(to),
                                 touch.origin + element * sizeof(T), touch.address,
                                 touch.originAddress);
    else
      forLanes(touch.mask, [&](uint32_t l) {
        std::memcpy(&to[l], touch.data[l] + element * sizeof(T), sizeof(T));
      });
  }
}

// Registers that are wider than what lies in memory.
void loadWidened(Warp &warp, const MemoryAccess &access, const Touch &touch) {
  uint32_t unused = 64 - access.bytes * 8;
  for (uint32_t element = 0; element < access.count; ++element)
    forLanes(touch.mask, [&](uint32_t l) {
      uint64_t value = 0;
      std::memcpy(&value, touch.data[l] + element * access.bytes, access.bytes);
      value <<= unused;
      value = access.signExtend ? uint64_t(int64_t(value) >> unused) : value >> unused;
      std::memcpy(warp.registers + access.registers[element] + l * access.registerBytes, &value,
                  access.registerBytes);
    });
}

void loadTouch(Warp &warp, const MemoryAccess &access, const Touch &touch) {
  if (access.bytes != access.registerBytes)
    return loadWidened(warp, access, touch);
  switch (access.bytes) {
  case 2:
    return loadElements<uint16_t>(warp, access, touch);
  case 4:
    return loadElements<uint32_t>(warp, access, touch);
  case 8:
    return loadElements<uint64_t>(warp, access, touch);
  default:
    return loadWidened(warp, access, touch);
  }
}

} // namespace

void loadMemory(Warp &warp, const Instruction &i, uint32_t mask) {
  const MemoryAccess &access = warp.code().accesses[i.detail];
  touchSpaces(warp, access, uint32_t(access.bytes) * access.count, mask, [&](const Touch &touch) {
    countTraffic(warp, touch, false);
    if (access.strong)
      synchronise(warp, touch, true, false, access.acquire, false);
    checkLoad(warp, touch, access.strong);
    loadTouch(warp, access, touch);
  });
}

void storeMemory(Warp &warp, const Instruction &i, uint32_t mask) {
  const MemoryAccess &access = warp.code().accesses[i.detail];
  alignas(16) std::byte values[warpLanes][16];
  for (uint32_t element = 0; element < access.count; ++element)
    forLanes(mask, [&](uint32_t l) {
      std::memcpy(values[l] + element * access.bytes,
                  warp.registers + access.registers[element] + l * access.registerBytes,
                  access.bytes);
    });
  touchSpaces(warp, access, uint32_t(access.bytes) * access.count, mask, [&](const Touch &touch) {
    countTraffic(warp, touch, true);
    checkStore(warp, touch, access.strong, values);
    if (access.strong)
      synchronise(warp, touch, false, true, false, access.release);
    if (touch.space == Space::Parameter)
      warp.fail(FaultKind::OutOfBounds, uint32_t(std::countr_zero(touch.mask)),
                "writes a parameter of the kernel");
    forLanes(touch.mask, [&](uint32_t l) { std::memcpy(touch.data[l], values[l], touch.bytes); });
  });
}

// A parameter of the kernel by name: the same for all.
void loadParameter(Warp &warp, const Instruction &i, uint32_t mask) {
  const MemoryAccess &access = warp.code().accesses[i.detail];
  const std::vector<std::byte> &parameters = warp.grid->parameters;
  if (uint64_t(access.offset) + access.bytes * access.count > parameters.size())
    warp.fail(FaultKind::OutOfBounds, uint32_t(std::countr_zero(mask)),
              "reads parameters at " + std::to_string(access.offset) + " of " +
                  plural(parameters.size()),
              uint64_t(access.offset));
  Touch touch;
  touch.mask = mask;
  touch.bytes = uint32_t(access.bytes) * access.count;
  for (std::byte *&data : touch.data)
    data = warp.grid->parameters.data() + access.offset;
  loadTouch(warp, access, touch);
}

} // namespace keratin::ptx
