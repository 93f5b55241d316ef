// A contraction with everything that follows elementwise from its result, in the store of the
// register tile.
#include "codegen/cpu/AttentionGradientPlan.h"
#include "codegen/cpu/AttentionPlan.h"
#include "codegen/cpu/ContractionBlocks.h"
#include "codegen/cpu/ContractionFew.h"
#include "codegen/cpu/ContractionKernel.h"
#include "codegen/cpu/ProductPlan.h"
#include "codegen/elements/ContractionEpilogue.h"
#include "ir/dialect/Signature.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/interfaces/WeightPanels.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

// Sizes that a call may turn out to have, with code of their own: so many rows, or columns within
// bounds, or few rows of which the plan says how few.
struct SizeCase {
  std::optional<int64_t> rows; // just so many; nullopt for any
  int64_t leastColumns = 0;
  std::optional<int64_t> mostColumns = std::nullopt;
  ContractionPlan schedule = {};

  // The same product, in the case.
  ContractionSpec of(ContractionSpec spec) const {
    if (rows) {
      spec.m.constant = *rows;
      spec.m.size = DimExpr(*rows);
    }
    return spec;
  }
  // Whether the sizes are those of the case.
  template <typename Arithmetic>
  auto holds(Arithmetic &arithmetic, const ContractionSpec &spec) const {
    if (!rows && schedule.few)
      return isFew(arithmetic, spec, *schedule.few);
    llvm::SmallVector<typename Arithmetic::Number> conditions;
    if (mostColumns)
      conditions.push_back(
          arithmetic.less(numberOf(arithmetic, spec.n), arithmetic.constant(*mostColumns + 1)));
    if (leastColumns > 0)
      conditions.push_back(
          arithmetic.less(arithmetic.constant(leastColumns - 1), numberOf(arithmetic, spec.n)));
    if (rows)
      conditions.push_back(
          arithmetic.equal(numberOf(arithmetic, spec.m), arithmetic.constant(*rows)));
    typename Arithmetic::Number all = conditions.front();
    for (const auto &condition : llvm::drop_begin(conditions))
      all = arithmetic.logicalAnd(all, condition);
    return all;
  }
  void print(llvm::raw_ostream &out) const {
    out << "of ";
    if (!rows && schedule.few)
      out << "few rows";
    if (rows)
      out << (*rows == 1 ? "one row" : "two rows");
    if (leastColumns > 0)
      out << " and at least " << leastColumns << " columns";
    if (mostColumns)
      out << "at most " << *mostColumns << " columns";
    keratin::codegen::print(out << ", ", schedule);
  }
};

bool updatesVariables(ir::KernelOp kernel) {
  auto function = kernel->getParentOfType<func::FuncOp>();
  if (!function)
    return false;
  // Updates come last.
  const unsigned results = function.getNumResults();
  return results > 0 && ir::Signature(function).isUpdate(results - 1);
}

// One column, of which each vector holds a number, is better taken for a row: so are the sums, and
// what follows from them. Memory that no vector reads is better left to tiles.
bool isBetterTurned(const ContractionSpec &spec) {
  return spec.n.constant == 1 && spec.m.constant != 1 &&
         (spec.a.constantRowStride == 1 || spec.a.constantColStride == 1);
}

bool knowsSizes(const ContractionSpec &spec) {
  return spec.m.constant && spec.n.constant && spec.k.constant;
}

// Whether sizes are left to the call, and to code for some of them beside that for any. What trains
// gets many rows and columns, and is spared a fifth of its compilation.
bool mayHaveCasesOf(ir::KernelOp kernel, const ContractionSpec &spec) {
  return !knowsSizes(spec) && !updatesVariables(kernel);
}

bool isInLoop(ir::KernelOp kernel) { return bool(kernel->getParentOfType<ir::LoopOpInterface>()); }

// Of sizes of any number.
ContractionCall callOf(ir::KernelOp kernel, bool mayHaveFewRows, int64_t panelColumns) {
  ContractionCall call;
  call.mayHaveFewRows = mayHaveFewRows;
  call.panelColumns = panelColumns;
  for (Operation &op : kernel.getBody().front())
    if (!isa<ir::DotGeneralOp>(op))
      call.instructionsOfStore += ir::instructionsOf(&op);
  call.isInLoop = isInLoop(kernel);
  return call;
}

class ContractionKernelPlan final : public ProductPlan {
public:
  ContractionKernelPlan(ir::KernelOp kernel, ContractionNest product, const MachineTarget &target)
      : ProductPlan(kernel, product.operations()), nest(std::move(product)), target(target),
        mayHaveCases(mayHaveCasesOf(kernel, nest.describe())),
        panelColumns(ir::panelColumnsOf(kernel)),
        schedule(
            planContraction(nest.describe(), target, callOf(kernel, mayHaveCases, panelColumns))) {
    scratchBytes = schedule.scratch.bytes;
    if (!mayHaveCases || !(schedule.isTiled() || schedule.strips))
      return;
    const ContractionSpec spec = nest.describe();
    // What of B is read once, or a few times, is not packed, nor is it found out how it would be.
    const ContractionPlan few = planContraction(spec, target, {.hasFewRows = true});
    // Else one or two rows have code of their own.
    if (!spec.m.constant && !few.few)
      for (int64_t rows : {1, 2})
        add({.rows = rows}, {.columns = ContractionCall::Panel});
    if (few.few)
      add({}, {.hasFewRows = true});
    // Tiles of two vectors take twice as long for a few columns.
    if (!spec.n.constant && !(few.few && spec.m.constant))
      add({.rows = std::nullopt, .mostColumns = schedule.lanes},
          {.columns = ContractionCall::OneVector});
  }

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    print(out, schedule);
    for (const SizeCase &sizes : cases)
      sizes.print(out);
  }

private:
  Value emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const override;
  SizeCases unitSizes() const override;
  void emitUnitsOf(CpuKernelBuilder &k) const override;
  Value emitUnits(LoopEmitter &emit, const ContractionSpec &spec,
                  llvm::ArrayRef<SizeCase> rest) const;
  void add(SizeCase sizes, ContractionCall call);
  void emitUnitsOf(CpuKernelBuilder &k, const ContractionSpec &spec,
                   llvm::ArrayRef<SizeCase> rest) const;
  void emitUnitsOf(CpuKernelBuilder &k, ContractionSpec spec, const ContractionPlan &plan) const;

  ContractionNest nest;
  const MachineTarget &target;
  const bool mayHaveCases;
  const int64_t panelColumns; // of weights that are packed; 0: they are not
  ContractionPlan schedule;
  std::vector<SizeCase> cases; // the first that holds counts; none where sizes are known
};

void ContractionKernelPlan::add(SizeCase sizes, ContractionCall call) {
  const ContractionSpec spec = sizes.of(nest.describe());
  call.panelColumns = panelColumns;
  call.isInLoop = isInLoop(kernel);
  sizes.schedule = planContraction(spec, target, call);
  if (call.columns == ContractionCall::Panel && !spec.n.constant && sizes.schedule.isTiled())
    sizes.leastColumns = sizes.schedule.tileColumns();
  scratchBytes = std::max(scratchBytes, sizes.schedule.scratch.bytes);
  cases.push_back(std::move(sizes));
}

Value ContractionKernelPlan::emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const {
  const ContractionSpec spec = nest.describe(b, loc, sizeOf);
  LoopEmitter emit(b, loc, target);
  return emit.toIndex(emitUnits(emit, spec, cases));
}

// Asks for one case after the other: to cut a product takes longer than some take.
Value ContractionKernelPlan::emitUnits(LoopEmitter &emit, const ContractionSpec &spec,
                                       llvm::ArrayRef<SizeCase> rest) const {
  auto count = [&](const ContractionSpec &spec, const ContractionPlan &plan) {
    return emit.fromIndex(emitContractionUnits(emit.builder, emit.loc, spec, plan, target));
  };
  if (rest.empty())
    return count(spec, schedule);
  const SizeCase &sizes = rest.front();
  return emit
      .choose(
          sizes.holds(emit, spec), emit.constant(0).getType(),
          [&] { return LoopEmitter::Values{count(sizes.of(spec), sizes.schedule)}; },
          [&] { return LoopEmitter::Values{emitUnits(emit, spec, rest.drop_front())}; })
      .front();
}

SizeCases ContractionKernelPlan::unitSizes() const {
  SizeArithmetic arithmetic;
  const ContractionSpec spec = nest.describe();
  SizeCases units = contractionUnits(spec, schedule);
  for (const SizeCase &sizes : llvm::reverse(cases))
    units = arithmetic.select(sizes.holds(arithmetic, spec),
                              contractionUnits(sizes.of(spec), sizes.schedule), units);
  return units;
}

void ContractionKernelPlan::emitUnitsOf(CpuKernelBuilder &k) const {
  emitUnitsOf(k, nest.describe(k.b, k.loc, [&](const DimExpr &size) { return k.sizeOf(size); }),
              cases);
}

// Asks for one case after the other.
void ContractionKernelPlan::emitUnitsOf(CpuKernelBuilder &k, const ContractionSpec &spec,
                                        llvm::ArrayRef<SizeCase> rest) const {
  if (rest.empty())
    return emitUnitsOf(k, spec, schedule);
  const SizeCase &sizes = rest.front();
  LoopEmitter emit(k.b, k.loc, target);
  emit.branch(
      sizes.holds(emit, spec), [&] { emitUnitsOf(k, sizes.of(spec), sizes.schedule); },
      [&] { emitUnitsOf(k, spec, rest.drop_front()); });
}

void ContractionKernelPlan::emitUnitsOf(CpuKernelBuilder &k, ContractionSpec spec,
                                        const ContractionPlan &plan) const {
  ContractionEpilogue epilogue(k, k.target, nest);
  spec.a.base = memoryOf(k, nest.a());
  spec.b.base = memoryOf(k, plan.readsPanels() ? ir::panelsOf(kernel) : nest.b());
  spec.store = [&](OpBuilder &builder, Location loc, Value batch, Value m, Value n, Value sums,
                   Value mask) { epilogue.emit(builder, loc, batch, m, n, sums, mask); };
  spec.askForResults = [&](OpBuilder &builder, Location loc, Value batch, Value m, Value n,
                           int64_t lanes) {
    epilogue.askForResults(builder, loc, batch, m, n, lanes);
  };
  spec.scratch = k.scratch();
  spec.unitsDone = k.unitsDone();
  if (plan.turnsInLoops) {
    LoopEmitter emit(k.b, k.loc, k.target);
    spec.isBackwards = emit.equal(emit.rem(k.step(), emit.constant(2)), emit.constant(1));
  }
  Value begin = toIndex(k, k.begin), end = toIndex(k, k.end);
  emitContraction(k.b, k.loc, spec, plan, k.target, begin, end);
}

} // namespace

int64_t keratin::codegen::contractionPanelColumns(ir::KernelOp kernel,
                                                  const MachineTarget &target) {
  if (AttentionNest::of(kernel) || AttentionGradientNest::of(kernel))
    return 0;
  std::optional<ContractionNest> nest = ContractionNest::of(kernel);
  if (!nest || isBetterTurned(nest->describe()))
    return 0;
  const ContractionSpec spec = nest->describe();
  const ContractionPlan plan =
      planContraction(spec, target, callOf(kernel, mayHaveCasesOf(kernel, spec), 0));
  return panelColumns(spec, plan);
}

CpuPlan keratin::codegen::planContractionKernel(ir::KernelOp kernel, const MachineTarget &target) {
  if (std::optional<AttentionNest> attention = AttentionNest::of(kernel))
    return std::make_shared<AttentionPlan>(kernel, std::move(*attention), target);
  if (std::optional<AttentionGradientNest> gradient = AttentionGradientNest::of(kernel))
    return std::make_shared<AttentionGradientPlan>(kernel, std::move(*gradient), target);
  std::optional<ContractionNest> nest = ContractionNest::of(kernel);
  if (!nest)
    return nullptr;
  if (isBetterTurned(nest->describe()))
    nest->turn();
  return std::make_shared<ContractionKernelPlan>(kernel, std::move(*nest), target);
}
