// Which sectors of global memory a launch has touched.
#ifndef KERATIN_TESTS_CUDA_EMULATOR_SECTORSET_H
#define KERATIN_TESTS_CUDA_EMULATOR_SECTORSET_H

#include <bitset>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace keratin::ptx {

class SectorSet {
public:
  static constexpr uint64_t sectorBytes = 32;

  // Whether the sector of the address was not there.
  bool insert(uint64_t address) {
    uint64_t sector = address / sectorBytes, number = sector / sectorsOfPage;
    if (!page || number != pageNumber) {
      std::unique_ptr<Page> &found = pages[number];
      if (!found)
        found = std::make_unique<Page>();
      page = found.get();
      pageNumber = number;
    }
    auto bit = (*page)[sector % sectorsOfPage];
    bool isNew = !bit;
    bit = true;
    return isNew;
  }

private:
  static constexpr uint64_t sectorsOfPage = 4096;
  using Page = std::bitset<sectorsOfPage>;

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  Page *page = nullptr; // the last one
  uint64_t pageNumber = 0;
};

} // namespace keratin::ptx

#endif // KERATIN_TESTS_CUDA_EMULATOR_SECTORSET_H
