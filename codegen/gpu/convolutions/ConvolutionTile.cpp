#include "codegen/gpu/convolutions/ConvolutionTile.h"

#include "codegen/lowering/KernelPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace keratin::codegen;
using namespace mlir;

void keratin::codegen::print(llvm::raw_ostream &out, const ConvolutionTile &tile, size_t window) {
  if (tile.rows > 1)
    out << counted(tile.rows, "row") << " x ";
  out << counted(tile.outputs, "output") << " x " << counted(tile.taps, "tap") << " of window "
      << window;
  if (tile.lanes > 1)
    out << " x " << tile.lanes << " lanes along " << (tile.alongGroups ? "groups" : "filters");
}

Type ConvolutionTileEmitter::sumType() const {
  Type type = spec.accumulatorType;
  return lanes == 1 ? type : Type(VectorType::get(int64_t(lanes), type));
}

ConvolutionTileEmitter::Values ConvolutionTileEmitter::zeros() {
  return Values(tile.sums(), emit.zero(sumType()));
}

Value ConvolutionTileEmitter::multiplyAdd(Value x, Value y, Value z) {
  if (lanes > 1 || !isa<FloatType>(x.getType()))
    return emit.multiplyAdd(x, y, z);
  return emit.builder.create<LLVM::FMAOp>(emit.loc, x, y, z);
}

// Lanes are neighbours that begin on multiples of their bytes, or of 16.
Value ConvolutionTileEmitter::load(const ConvolutionOperand &operand, Value offset, bool hasLanes) {
  Value pointer = emit.address(operand.base, operand.elementType, offset);
  if (lanes == 1)
    return emit.loadAs(spec.accumulatorType, operand.elementType, pointer);
  if (hasLanes)
    return emit.loadAs(spec.accumulatorType, operand.elementType, lanes, pointer);
  return emit.splat(emit.loadAs(spec.accumulatorType, operand.elementType, pointer), lanes);
}

// One comparison of numbers without a sign.
Value ConvolutionTileEmitter::isInside(const Place &at, int64_t steps) {
  if (tile.isInside)
    return Value();
  return emit.builder.create<arith::CmpIOp>(emit.loc, arith::CmpIPredicate::ult,
                                            emit.add(at.position, steps), at.positions);
}

ConvolutionTileEmitter::Values ConvolutionTileEmitter::add(const Place &at, ValueRange before) {
  Values sums(before), taps;
  for (unsigned tap = 0; tap < tile.taps; ++tap)
    taps.push_back(loadFilter(emit.add(at.filter, emit.mul(at.filterStep, tap))));
  // Those that an output and a tap meet at, in order: few are loaded before they are used.
  std::map<int64_t, SmallVector<std::pair<unsigned, unsigned>>> meetings;
  for (unsigned output = 0; output < tile.outputs; ++output)
    for (unsigned tap = 0; tap < tile.taps; ++tap)
      meetings[output * tile.outputStep + tap * tile.tapStep].push_back({output, tap});
  for (const auto &[steps, pairs] : meetings) {
    Value inside = isInside(at, steps);
    for (unsigned row = 0; row < tile.rows; ++row) {
      Value exists = at.rowExist[row];
      if (!exists || !inside)
        exists = exists ? exists : inside;
      else
        exists = emit.logicalAnd(exists, inside);
      auto element = [&] { return loadX(emit.add(at.rows[row], emit.mul(at.xStep, steps))); };
      Value x;
      if (exists)
        x = emit.choose(
            exists, sumType(), [&] { return Values{element()}; },
            [&] { return Values{emit.zero(sumType())}; })[0];
      else
        x = element();
      for (auto [output, tap] : pairs) {
        Value &sum = sums[row * tile.outputs + output];
        sum = multiplyAdd(x, taps[tap], sum);
      }
    }
  }
  return sums;
}
