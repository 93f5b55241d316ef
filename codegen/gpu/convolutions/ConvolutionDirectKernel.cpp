// Outputs from what they need, after a ConvolutionDirectPlan.
#include "codegen/gpu/convolutions/ConvolutionDirectPlan.h"

#include "codegen/elements/ConvolutionEpilogue.h"
#include "codegen/gpu/threads/Alignment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

class DirectKernel {
public:
  DirectKernel(DeviceKernelBuilder &k, const ConvolutionDirectPlan &plan)
      : k(k), plan(plan), emit(k.b, k.loc, k.target), epilogue(k, k.target, plan.nest),
        spec(plan.nest.describe(k.b, k.loc, [&](const DimExpr &size) { return k.sizeOf(size); })) {
    spec.x.base = k.inputs[cast<BlockArgument>(plan.nest.x()).getArgNumber()];
    spec.filter.base = k.inputs[cast<BlockArgument>(plan.nest.filter()).getArgNumber()];
  }

  void run();

private:
  using Values = LoopEmitter::Values;

  void openUnit(Value unit);
  void makeTile(bool hasLanes);
  Values overWindows(ConvolutionTileEmitter &tile, size_t window, Value x, Value filter,
                     Values sums);
  Values overContracted(ConvolutionTileEmitter &tile, Value x, Value filter, Values sums);
  Values alongWindow(ConvolutionTileEmitter &tile, Value x, Value filter, Values sums);
  void store(ArrayRef<Value> sums);

  Value stride(const ConvolutionSize &size) { return numberOf(emit, size); }

  DeviceKernelBuilder &k;
  const ConvolutionDirectPlan &plan;
  LoopEmitter emit;
  ConvolutionEpilogue epilogue;
  ConvolutionSpec spec;
  // Of the unit at hand.
  Value batch, group, filter;
  SmallVector<ConvolutionAxis, 3> axes;
  SmallVector<Value, 3> outputs; // of the phase, the first of the tile
};

// Which outputs: the number counts them as they lie in memory.
void DirectKernel::openUnit(Value unit) {
  Value zero = emit.constant(0), rest = unit;
  batch = group = filter = zero;
  SmallVector<Value, 3> phases(spec.windows.size(), zero);
  outputs.assign(spec.windows.size(), zero);
  for (size_t i = plan.dims.size(); i-- > 0;) {
    const ConvolutionDim &dim = plan.dims[i];
    Value part = i == 0 ? rest : emit.popCounter(rest, k.sizeOf(plan.parts(dim)));
    auto first = [&](bool hasLanes) { return emit.mul(part, hasLanes ? plan.tile.lanes : 1); };
    switch (dim.kind) {
    case ConvolutionDim::Batch:
      batch = part;
      break;
    case ConvolutionDim::Groups:
      group = first(plan.tile.alongGroups);
      break;
    case ConvolutionDim::Filters:
      filter = first(!plan.tile.alongGroups);
      break;
    default:
      phases[dim.window] = emit.popCounter(part, emit.constant(plan.steps[dim.window].phases));
      outputs[dim.window] = emit.mul(part, dim.window == plan.along ? plan.tile.outputs : 1);
      break;
    }
  }
  axes.clear();
  for (size_t j = 0; j < spec.windows.size(); ++j)
    axes.push_back(openConvolutionAxis(emit, spec, j, plan.steps[j], phases[j]));
}

//===-- Sums ----------------------------------------------------------------------------------===//

// Taps of the windows from `window` on but the tile's, where they meet elements of x.
DirectKernel::Values DirectKernel::overWindows(ConvolutionTileEmitter &tile, size_t window, Value x,
                                               Value filter, Values sums) {
  if (window == spec.windows.size())
    return overContracted(tile, x, filter, sums);
  if (window == plan.along)
    return overWindows(tile, window + 1, x, filter, sums);
  const ConvolutionAxis &axis = axes[window];
  TapRange taps = tapsOf(emit, axis, outputs[window]);
  return emit.loop(taps.begin, taps.end, 1, sums, [&](Value tap, ValueRange carried) {
    Value position = positionOf(emit, axis, outputs[window], tap);
    return overWindows(tile, window + 1, emit.add(x, emit.mul(position, axis.xStride)),
                       emit.add(filter, emit.mul(tap, axis.phase.filterStep)), Values(carried));
  });
}

DirectKernel::Values DirectKernel::overContracted(ConvolutionTileEmitter &tile, Value x,
                                                  Value filter, Values sums) {
  return emit.loop(
      emit.constant(0), stride(spec.contracted), 1, sums, [&](Value c, ValueRange carried) {
        return alongWindow(tile, emit.add(x, emit.mul(c, stride(spec.x.contracted))),
                           emit.add(filter, emit.mul(c, stride(spec.filter.contracted))),
                           Values(carried));
      });
}

// All taps of the tile's window: written out, or one by one.
DirectKernel::Values DirectKernel::alongWindow(ConvolutionTileEmitter &tile, Value x, Value filter,
                                               Values sums) {
  const ConvolutionAxis &axis = axes[plan.along];
  Value first = outputs[plan.along];
  Value taps = plan.tile.taps > 1 ? emit.constant(plan.tile.taps) : axis.phase.taps;
  return emit.loop(emit.constant(0), taps, plan.tile.taps, sums,
                   [&](Value tap, ValueRange carried) {
                     ConvolutionTileEmitter::Place at;
                     at.position = positionOf(emit, axis, first, tap);
                     at.positions = axis.x;
                     at.xStep = axis.xStride;
                     at.rows = {emit.add(x, emit.mul(at.position, axis.xStride))};
                     at.rowExist = {Value()};
                     at.filter = emit.add(filter, emit.mul(tap, axis.phase.filterStep));
                     at.filterStep = axis.phase.filterStep;
                     return tile.add(at, carried);
                   });
}

//===-- Units ---------------------------------------------------------------------------------===//

void DirectKernel::store(ArrayRef<Value> sums) {
  ConvolutionPlace place;
  place.alongGroups = plan.tile.alongGroups;
  place.batch = emit.toIndex(batch);
  place.group = emit.toIndex(group);
  place.filter = emit.toIndex(filter);
  const ConvolutionAxis &axis = axes[plan.along];
  for (unsigned output = 0; output < plan.tile.outputs; ++output) {
    Value number = emit.add(outputs[plan.along], output);
    auto storeIt = [&] {
      place.windows.clear();
      for (size_t j = 0; j < axes.size(); ++j) {
        Value o = j == plan.along ? number : outputs[j];
        place.windows.push_back(
            emit.toIndex(emit.add(emit.mul(o, plan.steps[j].phases), axes[j].number)));
      }
      epilogue.emit(k.b, k.loc, place, sums[output], Value());
    };
    if (plan.isOutputWhole)
      storeIt();
    else
      emit.branch(emit.less(number, axis.phase.outputs), storeIt);
  }
}

void DirectKernel::makeTile(bool hasLanes) {
  ConvolutionTileEmitter tile(emit, spec, plan.tile, hasLanes);
  Value x = emit.add(emit.mul(batch, stride(spec.x.batch)), emit.mul(group, stride(spec.x.groups)));
  Value weights = emit.add(emit.mul(group, stride(spec.filter.groups)),
                           emit.mul(filter, stride(spec.filter.filters)));
  for (const ConvolutionAxis &axis : axes)
    weights = emit.add(weights, axis.phase.filterBase);
  store(overWindows(tile, 0, x, weights, tile.zeros()));
}

void DirectKernel::run() {
  std::optional<Alignment> alignment;
  Value aligned;
  if (plan.tile.lanes > 1) {
    alignment.emplace(k);
    aligned = alignment->holds();
  }
  emit.loop(k.begin, k.end, 1, [&](Value unit) {
    // LLVM divides 32 bits where it knows that there are no more.
    if (plan.hasShortUnits)
      unit = k.b.create<arith::ExtUIOp>(k.loc, k.b.getI64Type(),
                                        k.b.create<arith::TruncIOp>(k.loc, k.b.getI32Type(), unit));
    openUnit(unit);
    if (!alignment)
      return makeTile(/*hasLanes=*/false);
    emit.branch(
        aligned,
        [&] {
          alignment->assume();
          makeTile(/*hasLanes=*/true);
        },
        [&] {
          Value &first = plan.tile.alongGroups ? group : filter;
          Value from = first;
          emit.loop(from, emit.add(from, plan.tile.lanes), 1, [&](Value lane) {
            first = lane;
            makeTile(/*hasLanes=*/false);
          });
          first = from;
        });
  });
}

} // namespace

void ConvolutionDirectPlan::emit(DeviceKernelBuilder &k) const { DirectKernel(k, *this).run(); }
