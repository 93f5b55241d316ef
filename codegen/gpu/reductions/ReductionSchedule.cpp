// How threads share reductions of loop nests.
#include "codegen/gpu/reductions/ReductionPlan.h"
#include "codegen/gpu/threads/AccessWidth.h"
#include "codegen/gpu/threads/OrderedUnits.h"
#include "codegen/gpu/threads/ThreadSharing.h"
#include "codegen/lowering/RandomNest.h"

#include "llvm/ADT/bit.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getShape;

// Elements that a thread keeps in registers.
static constexpr int64_t mostKept = 32;
// Sums of more elements than these are compensated.
static constexpr int64_t mostPlain = 256;
// Bytes next to each other of a unit's columns at least: the memory hands over 32 at once.
static constexpr unsigned leastRun = 64;

// Nothing is passed over twice, or stored on the way.
static bool isOnePass(const LoopNest &nest) {
  return nest.space.stages.size() == 1 && nest.fullOutputs(0).empty() &&
         nest.fullOutputs(1).empty();
}

// Results at most that several units make in passes: more keep a device busy by themselves.
static constexpr int64_t mostInPasses = 64;

static unsigned lanesOf(const LoopNest &nest, Block &body, unsigned most) {
  const DimExpr &extent = nest.innermost().extent;
  if (!extent.isConstant())
    return 1;
  // Lines of other lengths would begin anywhere.
  unsigned lanes = elementsOfAccess(body, most);
  while (extent.constantValue() % lanes != 0)
    lanes /= 2;
  return lanes;
}

// Groups that a thread can keep of each tensor of all elements.
static int64_t groupsKept(const LoopNest &nest, Block &body, unsigned lanes) {
  int64_t tensors = llvm::count_if(body.getArguments(), [&](Value input) {
    return product(getShape(input)) == nest.elements();
  });
  return std::clamp<int64_t>(mostKept / (std::max<int64_t>(tensors, 1) * lanes), 1, mostOfThread);
}

// Threads next to each other that can make random bits of columns together (SharedRandomBits).
static unsigned neighboursForBits(const LoopNest &nest, Block &body, unsigned lanes) {
  const DimExpr &line = nest.innermost().extent;
  bool suits = !body.getOps<ir::RandomBitsOp>().empty() && lanes % RandomNest::words == 0 &&
               line.isConstant() && line.constantValue() % RandomNest::groupElements == 0;
  return suits ? unsigned(RandomNest::groupElements / lanes) : 1;
}

ReductionSchedule::ReductionSchedule(const LoopNest &nest, Block &body, unsigned warpThreads) {
  bool ofRows = nest.form == LoopNest::Form::Rows, onePass = isOnePass(nest);
  lanes = lanesOf(nest, body, ofRows ? 8 : 4);
  int64_t most = onePass ? mostOfThread : groupsKept(nest, body, lanes);
  const DimExpr across =
      ofRows ? DimExpr(1) : *ceildiv(nest.innermost().extent, DimExpr(int64_t{lanes}));
  const unsigned together = warpThreads > 1 ? neighboursForBits(nest, body, lanes) : 1;
  auto share = [&](bool isDivided) {
    DimExpr units = nest.outerRows();
    if (ofRows) {
      DimExpr groups = *floordiv(nest.reducedElements(), DimExpr(int64_t{lanes}));
      threads = ThreadSharing::ofRows(
          groups, units, most, isDivided ? ThreadSharing::blockThreads : ThreadSharing::mostThreads,
          warpThreads);
    } else {
      unsigned bytes = lanes * accessBytes / elementsOfAccess(body, accessBytes);
      unsigned least = std::max(isDivided ? warpThreads : std::max(1u, leastRun / bytes), together);
      threads = ThreadSharing::ofColumns(nest.reducedElements(), across, units, least, warpThreads);
      // A thread a column: neighbours are a unit.
      if (threads.threads() == 1)
        threads.columns = together;
      units = mul(units, threads.stretches(across)).value_or(DimExpr(INT64_MAX));
    }
    // Of passes each ends with one unit that takes the parts of all.
    if (isDivided)
      threads.divide(units, onePass ? ThreadSharing::mostUnits : ThreadSharing::mostUnits / 2);
    return units;
  };
  DimExpr units = share(onePass);
  // A thread by itself has all registers.
  bool keeps = !onePass && !threads.hasLooseColumns(across) &&
               threads.groupsOfThread() <= (threads.rows == 1 ? 2 : 1) * most &&
               threads.partGroups.constantValue() >= int64_t{threads.rows};
  // For each unit, and for each result of a pass.
  bool hasCounters =
      nest.stages() * (ThreadSharing::mostUnits + mostInPasses) <= OrderedUnits::mostUnits;
  if (!onePass && !keeps && hasCounters && units.isConstant() &&
      units.constantValue() <= mostInPasses) {
    ThreadSharing whole = threads;
    share(/*isDivided=*/true);
    isInPasses = threads.isDivided();
    if (!isInPasses)
      threads = whole;
  }
  int64_t ofThread = threads.groupsOfThread();
  isCompensated = ofThread > mostPlain;
  if (keeps)
    kept = unsigned(ofThread);
  else
    inFlight = unsigned(llvm::bit_floor(uint64_t(std::clamp<int64_t>(ofThread, 1, mostInFlight))));
}
