// wgmma: products of warpgroups. Each warp computes its 16 rows of 64 when it waits for them, the
// latest time at which hardware may; until then nobody may touch their registers or write their
// operands.
#include "tests/cuda/emulator/Access.h"
#include "tests/cuda/emulator/Formats.h"
#include "tests/cuda/emulator/Handlers.h"
#include "tests/cuda/emulator/Lanes.h"
#include "tests/cuda/emulator/SharedMatrix.h"

#include <algorithm>
#include <bit>

namespace keratin::ptx {

namespace {

constexpr uint32_t linesOfA = 64, rowsOfWarp = 16, chunkBytes = 16;

const WarpgroupProduct &useOf(const Warp &warp, const PendingProduct &product) {
  return warp.code().products[product.instruction->detail];
}

SharedMatrix matrixOf(Warp &warp, uint64_t descriptor, bool isTransposed) {
  SharedMatrix matrix;
  std::string problem;
  if (!matrix.read(descriptor, isTransposed, problem))
    warp.fail(FaultKind::Unsupported, 0, problem);
  return matrix;
}

// Calls `use(touch)` with the chunks of 32 lanes: four core matrices, of two groups of lines.
template <class Use> void forTouches(const SharedMatrix &matrix, uint32_t lines, Use use) {
  uint32_t cores = lines / 8 * 2;
  for (uint32_t first = 0; first < cores; first += 4) {
    Touch touch;
    touch.space = Space::Shared;
    touch.bytes = chunkBytes;
    touch.mask = cores - first >= 4 ? ~0u : (1u << 8 * (cores - first)) - 1;
    for (uint32_t l = 0; l < warpLanes; ++l) {
      uint32_t core = std::min(first + l / 8, cores - 1);
      touch.address[l] = matrix.chunk(core / 2, core % 2, l % 8);
    }
    use(touch);
  }
}

template <class Use> void forOperands(Warp &warp, const PendingProduct &product, Use use) {
  const WarpgroupProduct &form = useOf(warp, product);
  if (form.factors.empty())
    forTouches(matrixOf(warp, product.a, form.a.isTransposed), linesOfA,
               [&](Touch &touch) { use(touch, true); });
  forTouches(matrixOf(warp, product.b, form.b.isTransposed), form.columns,
             [&](Touch &touch) { use(touch, false); });
}

//===-- Steps of a warpgroup ------------------------------------------------------------------===//

void failApart(Warp &warp, const std::string &what) {
  warp.fail(FaultKind::DivergentBarrier, 0, what + ": a warpgroup does the same in all its warps");
}

void takeStep(Warp &warp, const Warpgroup::Step &step) {
  Block &block = *warp.block;
  Warpgroup &group = block.warpgroups[warp.number / Warpgroup::warps];
  uint32_t first = warp.number / Warpgroup::warps * Warpgroup::warps;
  if (first + Warpgroup::warps > block.warps.size())
    warp.fail(FaultKind::DivergentBarrier, 0,
              "a warpgroup is four warps, the block ends after " +
                  std::to_string(block.warps.size() - first));
  size_t ahead = size_t(warp.warpgroupSteps - group.forgotten);
  if (ahead < group.steps.size()) {
    const Warpgroup::Step &expected = group.steps[ahead];
    if (expected.instruction != step.instruction)
      failApart(warp, "another warp does what is in line " +
                          std::to_string(expected.instruction->line) + " instead");
    if (!(expected == step))
      failApart(warp, "another warp has other descriptors or another predicate here");
  } else {
    for (uint32_t w = first; w < first + Warpgroup::warps; ++w)
      if (block.warps[w].finished())
        failApart(warp, "warp " + std::to_string(w) + " has left");
    group.steps.push_back(step);
  }
  ++warp.warpgroupSteps;
  uint64_t least = warp.warpgroupSteps;
  for (uint32_t w = first; w < first + Warpgroup::warps; ++w)
    least = std::min(least, block.warps[w].warpgroupSteps);
  for (; group.forgotten < least; ++group.forgotten)
    group.steps.pop_front();
}

} // namespace

void leaveWarpgroup(Warp &warp) {
  const Warpgroup &group = warp.block->warpgroups[warp.number / Warpgroup::warps];
  size_t taken = size_t(warp.warpgroupSteps - group.forgotten);
  if (taken < group.steps.size())
    failApart(warp, "leaves before what is in line " +
                        std::to_string(group.steps[taken].instruction->line));
}

//===-- Registers -----------------------------------------------------------------------------===//

void touchProductRegisters(Warp &warp, const Code::Touches &touches, uint32_t mask) {
  if (!warp.grid->checks())
    return;
  auto touch = [&](uint32_t number, bool writes) {
    ProductRegister &state = warp.productRegisters[number];
    if (state.pendingSums || (writes && state.pendingFactors))
      warp.fail(FaultKind::AsyncProduct, uint32_t(std::countr_zero(mask)),
                std::string(writes ? "writes" : "reads") + " the register " +
                    warp.code().productRegisters[number] +
                    ", which a wgmma.mma_async may still use: no wgmma.wait_group has been made "
                    "for it");
    state.touched = warp.current->line;
  };
  for (uint32_t number : touches.reads)
    touch(number, false);
  for (uint32_t number : touches.writes)
    touch(number, true);
}

namespace {

[[noreturn]] void failUnfenced(Warp &warp, const std::string &what) {
  warp.fail(FaultKind::AsyncProduct, 0, what + ", with no wgmma.fence since");
}

void checkRegisters(Warp &warp, const WarpgroupProduct &use) {
  if (!warp.hasFencedProducts)
    failUnfenced(warp, "is the first product of its warpgroup");
  auto name = [&](uint32_t number) { return warp.code().productRegisters[number]; };
  auto checkTouched = [&](uint32_t number) {
    if (int line = warp.productRegisters[number].touched)
      failUnfenced(warp, "uses the register " + name(number) + ", which is used in line " +
                             std::to_string(line));
  };
  for (uint32_t number : use.sumNumbers) {
    const ProductRegister &state = warp.productRegisters[number];
    checkTouched(number);
    if (state.columns && state.columns != use.columns)
      failUnfenced(warp, "sums in the register " + name(number) + ", as a product of " +
                             std::to_string(state.columns) + " columns does");
    if (state.pendingFactors)
      warp.fail(FaultKind::AsyncProduct, 0,
                "writes the register " + name(number) +
                    ", which a wgmma.mma_async may still read: no wgmma.wait_group has been made "
                    "for it");
  }
  for (uint32_t number : use.factorNumbers) {
    const ProductRegister &state = warp.productRegisters[number];
    checkTouched(number);
    if (state.columns)
      failUnfenced(warp, "reads the register " + name(number) + ", in which a product sums");
    if (state.pendingSums)
      warp.fail(FaultKind::AsyncProduct, 0,
                "reads the register " + name(number) +
                    ", in which a wgmma.mma_async may still sum: no wgmma.wait_group has been "
                    "made for it");
  }
}

} // namespace

void fenceProducts(Warp &warp, const Instruction &i, uint32_t mask) {
  needWholeWarp(warp, mask);
  takeStep(warp, {&i, 0, 0, false});
  warp.hasFencedProducts = true;
  for (ProductRegister &state : warp.productRegisters) {
    state.touched = 0;
    state.columns = 0;
  }
}

//===-- Memory --------------------------------------------------------------------------------===//

void fenceProxy(Warp &warp, const Instruction &, uint32_t mask) {
  warp.clock.fenceProxy(mask == warp.live);
}

namespace {

// Writes by other instructions need a fence before a product sees them.
void checkProxy(Warp &warp, const Touch &touch) {
  const Block &block = *warp.block;
  uint32_t shift = warp.code().sharedShift;
  forLanes(touch.mask, [&](uint32_t l) {
    const Granule *first = &block.sharedGranules[touch.address[l] >> shift];
    for (uint32_t g = 0; g < chunkBytes >> shift; ++g)
      if (Access write = first[g].write; write && !warp.clock.isSeenByProxy(write))
        warp.fail(FaultKind::AsyncProduct, l,
                  describe(touch, false, l) + ", which thread " +
                      spell(warp.grid->threadOf(write.warp(), write.lane())) +
                      " has written with no fence.proxy.async since",
                  touch.address[l] + (uint64_t(g) << shift));
  });
}

// Until it is waited for, and from then on with what happened since the wait.
void holdOperands(Warp &warp, const PendingProduct &product, bool hold) {
  Block &block = *warp.block;
  block.productsInFlight += hold ? 1 : -1;
  forOperands(warp, product, [&](Touch &touch, bool) {
    resolve(warp, touch, false);
    checkLoad(warp, touch, false);
    if (hold)
      checkProxy(warp, touch);
    forLanes(touch.mask, [&](uint32_t l) {
      block.productReads[touch.address[l] / chunkBytes] += uint16_t(hold ? 1 : -1);
    });
  });
}

void holdRegisters(Warp &warp, const WarpgroupProduct &use, bool hold) {
  uint32_t change = hold ? 1 : ~0u;
  for (uint32_t number : use.sumNumbers) {
    warp.productRegisters[number].pendingSums += change;
    if (hold)
      warp.productRegisters[number].columns = use.columns;
  }
  for (uint32_t number : use.factorNumbers)
    warp.productRegisters[number].pendingFactors += change;
}

// Bounds, and what it costs: each chunk is read once for the warpgroup. So of A a warp counts its
// own rows, of B a part.
void reachOperands(Warp &warp, const PendingProduct &product) {
  uint32_t number[2] = {0, 0};
  forOperands(warp, product, [&](Touch &touch, bool isA) {
    resolve(warp, touch, false);
    if (number[isA]++ % Warpgroup::warps == warp.number % Warpgroup::warps)
      countTraffic(warp, touch, false);
  });
}

bool reads(Warp &warp, const PendingProduct &product, uint64_t first, uint64_t last) {
  bool found = false;
  forOperands(warp, product, [&](Touch &touch, bool) {
    forLanes(touch.mask, [&](uint32_t l) {
      found |= touch.address[l] <= last && first < touch.address[l] + chunkBytes;
    });
  });
  return found;
}

} // namespace

void checkProductReads(Warp &warp, uint64_t address, uint32_t bytes, uint32_t lane,
                       const std::string &what) {
  const Block &block = *warp.block;
  uint64_t last = address + bytes - 1;
  bool isRead = false;
  for (uint64_t chunk = address / chunkBytes; chunk <= last / chunkBytes; ++chunk)
    isRead |= block.productReads[chunk] != 0;
  if (!isRead)
    return;
  int line = 0;
  for (Warp &other : warp.block->warps) {
    auto look = [&](const PendingProduct &product) {
      if (!line && reads(other, product, address, last))
        line = product.instruction->line;
    };
    for (const auto &group : other.productGroups)
      std::for_each(group.begin(), group.end(), look);
    std::for_each(other.openProducts.begin(), other.openProducts.end(), look);
  }
  warp.fail(FaultKind::AsyncProduct, lane,
            what + ", which the product of line " + std::to_string(line) +
                " may still read: no wgmma.wait_group has been made for it",
            address);
}

//===-- Products ------------------------------------------------------------------------------===//

void multiplyAsync(Warp &warp, const Instruction &i, uint32_t mask) {
  needWholeWarp(warp, mask);
  const WarpgroupProduct &use = warp.code().products[i.detail];
  uint32_t adds = warp.predicate(use.adds) ^ use.addsFlip;
  if (adds != 0 && adds != ~0u)
    warp.fail(FaultKind::DivergentBarrier, uint32_t(std::countr_zero(~adds)),
              "the lanes of a warp give different predicates");
  PendingProduct product{&i, 0, 0, adds != 0};
  if (use.factors.empty())
    product.a = uniform<uint64_t>(warp, use.a.descriptor, mask, "descriptors of A");
  product.b = uniform<uint64_t>(warp, use.b.descriptor, mask, "descriptors of B");
  takeStep(warp, {&i, product.a, product.b, product.adds});
  reachOperands(warp, product);
  if (warp.grid->checks()) {
    checkRegisters(warp, use);
    holdRegisters(warp, use, true);
    holdOperands(warp, product, true);
  }
  warp.openProducts.push_back(product);
}

void commitProducts(Warp &warp, const Instruction &i, uint32_t mask) {
  needWholeWarp(warp, mask);
  takeStep(warp, {&i, 0, 0, false});
  warp.productGroups.push_back(std::move(warp.openProducts));
  warp.openProducts.clear();
}

namespace {

using Operands = MatrixOperands<float>;

// Of tf32 the 13 lowest bits are ignored.
float numberOf(const WarpgroupProduct &use, const WarpgroupProduct::Factor &factor, uint32_t bits) {
  float number = use.type == Type::TF32  ? std::bit_cast<float>(bits & 0xffffe000u)
                 : use.type == Type::F16 ? fromHalf(uint16_t(bits))
                                         : fromBfloat(uint16_t(bits));
  return factor.isNegated ? -number : number;
}

float numberAt(Warp &warp, const WarpgroupProduct &use, const WarpgroupProduct::Factor &factor,
               const SharedMatrix &matrix, uint32_t line, uint32_t depth) {
  uint32_t bits = 0;
  if (use.type == Type::TF32)
    std::memcpy(&bits, warp.block->shared.data() + matrix.word(line, depth), 4);
  else
    std::memcpy(&bits, warp.block->shared.data() + matrix.element(line, depth), 2);
  return numberOf(use, factor, bits);
}

// Rows 16 w to 16 w + 15 are those of warp w. In registers they lie as for mma.m16n8k16, or m16n8k8
// in tf32.
void gatherRows(Warp &warp, const PendingProduct &product, Operands &to) {
  const WarpgroupProduct &use = useOf(warp, product);
  if (use.factors.empty()) {
    SharedMatrix matrix = matrixOf(warp, product.a, use.a.isTransposed);
    uint32_t first = warp.number % Warpgroup::warps * rowsOfWarp;
    for (uint32_t row = 0; row < rowsOfWarp; ++row)
      for (uint32_t depth = 0; depth < use.depths; ++depth)
        to.a[row][depth] = numberAt(warp, use, use.a, matrix, first + row, depth);
    return;
  }
  const uint32_t ofWord = use.depths / 8;
  for (uint32_t r = 0; r < use.factors.size(); ++r)
    for (uint32_t l = 0; l < warpLanes; ++l)
      for (uint32_t h = 0; h < ofWord; ++h)
        to.a[l / 4 + 8 * (r & 1)][ofWord * (l % 4) + h + use.depths / 2 * (r >> 1)] =
            numberOf(use, use.a, warp.lanes<uint32_t>(use.factors[r])[l] >> 16 * h);
}

// Eight columns at a time: two neighbours of a row in a lane, then two of the row 8 below.
void compute(Warp &warp, const PendingProduct &product) {
  const WarpgroupProduct &use = useOf(warp, product);
  SharedMatrix matrix = matrixOf(warp, product.b, use.b.isTransposed);
  Operands operands;
  gatherRows(warp, product, operands);
  for (uint32_t first = 0; first < use.columns; first += 8) {
    for (uint32_t column = 0; column < 8; ++column)
      for (uint32_t depth = 0; depth < use.depths; ++depth)
        operands.b[depth][column] = numberAt(warp, use, use.b, matrix, first + column, depth);
    auto forSums = [&](auto exchange) {
      for (uint32_t s = 0; s < 4; ++s) {
        float *sums = warp.lanes<float>(use.sums[first / 2 + s]);
        for (uint32_t l = 0; l < warpLanes; ++l)
          exchange(sums[l], operands.c[l / 4 + 8 * (s >> 1)][2 * (l % 4) + (s & 1)]);
      }
    };
    forSums([&](float &sum, float &c) { c = product.adds ? sum : 0; });
    matrixLanes().multiply(operands, rowsOfWarp, use.depths, warp.grid->options.permuteMatrix);
    forSums([](float &sum, float &c) { sum = c; });
  }
}

} // namespace

// All groups but the last `e` are done.
void waitProducts(Warp &warp, const Instruction &i, uint32_t mask) {
  needWholeWarp(warp, mask);
  takeStep(warp, {&i, 0, 0, false});
  for (; warp.productGroups.size() > i.e; warp.productGroups.pop_front())
    for (const PendingProduct &product : warp.productGroups.front()) {
      compute(warp, product);
      if (!warp.grid->checks())
        continue;
      holdOperands(warp, product, false);
      holdRegisters(warp, useOf(warp, product), false);
    }
}

} // namespace keratin::ptx
