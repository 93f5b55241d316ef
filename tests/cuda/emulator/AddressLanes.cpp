// What the addresses of a warp have in common. Compiled twice: KERATIN_LANES names the table.
#include "tests/cuda/emulator/LaneLoops.h"

namespace keratin::ptx {
namespace {

void scanAddresses(const uint64_t *address, uint32_t bytes, AddressScan &scan) {
  uint64_t least = ~uint64_t(0), greatest = 0, combined = 0, apart = 0;
  uint32_t leaders = 1;
  KERATIN_LANE_LOOP
  for (int l = 0; l < laneCount; ++l) {
    least = address[l] < least ? address[l] : least;
    greatest = address[l] > greatest ? address[l] : greatest;
    combined |= address[l];
    apart |= address[l] ^ (address[0] + uint64_t(l) * bytes);
  }
  KERATIN_LANE_LOOP
  for (int l = 1; l < laneCount; ++l)
    leaders |= uint32_t(address[l] != address[l - 1]) << l;
  scan = {least, greatest, combined, leaders, apart == 0};
}

// Words of lanes out of a memory, which begins at the address `first`.
void gatherWords(uint32_t *to, const void *memory, const uint64_t *address, uint64_t first) {
  auto bytes = static_cast<const unsigned char *>(memory);
  KERATIN_LANE_LOOP
  for (int l = 0; l < laneCount; ++l)
    to[l] = *reinterpret_cast<const uint32_t *>(bytes + (address[l] - first));
}

} // namespace

AddressLanes KERATIN_LANES() { return {scanAddresses, gatherWords}; }

} // namespace keratin::ptx
