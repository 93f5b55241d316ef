#include "passes/fusion/OpenScalars.h"

#include "passes/Passes.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_OPENSCALARS
#include "passes/Passes.h.inc"

static constexpr char scalarAttr[] = "keratin.scalar";

// What reads a scalar reads its value, and not a tensor in memory.
static bool isArithmetic(Operation *op) { return isa<BroadcastOp, ElementwiseOpInterface>(op); }

static bool isOpen(ConstantOp constant) {
  RankedTensorType type = getTensorType(constant);
  if (type.getRank() != 0 || !isa<FloatType>(type.getElementType()) ||
      !isa<KernelOp>(constant->getParentOp()) || !llvm::all_of(constant->getUsers(), isArithmetic))
    return false;
  auto value = cast<DenseElementsAttr>(constant.getValue()).getSplatValue<APFloat>();
  return value.isFiniteNonZero() && value.getExactLog2Abs() == INT_MIN;
}

OpenScalars::OpenScalars(func::FuncOp function) {
  function.walk([&](ConstantOp constant) {
    if (isOpen(constant))
      numbers.insert({constant.getValue(), numbers.size()});
  });
}

std::optional<size_t> OpenScalars::numberOf(ConstantOp constant) const {
  auto known = numbers.find(constant.getValue());
  return known != numbers.end() && isOpen(constant) ? std::optional(known->second) : std::nullopt;
}

std::vector<std::string> OpenScalars::bytes() const {
  std::vector<std::string> result;
  for (const auto &[value, number] : numbers) {
    ArrayRef<char> data = cast<DenseElementsAttr>(value).getRawData();
    result.emplace_back(data.begin(), data.end());
  }
  return result;
}

std::optional<int64_t> OpenScalars::numberOfOpened(Value constant) {
  auto number = constant.getDefiningOp()->getAttrOfType<IntegerAttr>(scalarAttr);
  return number ? std::optional(number.getInt()) : std::nullopt;
}

namespace {

class OpenScalarsPass : public impl::OpenScalarsBase<OpenScalarsPass> {
public:
  void runOnOperation() override {
    const OpenScalars scalars(getOperation());
    // In each block that has kernels.
    llvm::DenseMap<std::pair<Block *, size_t>, Value> made;
    getOperation().walk([&](KernelOp kernel) {
      for (ConstantOp constant :
           llvm::make_early_inc_range(kernel.getBody().getOps<ConstantOp>())) {
        std::optional<size_t> number = scalars.numberOf(constant);
        if (!number)
          continue;
        Value &outside = made[{kernel->getBlock(), *number}];
        if (!outside)
          outside = makeOutside(kernel, constant, *number);
        constant.getY().replaceAllUsesWith(asArgument(kernel, outside));
        constant.erase();
      }
    });
  }

private:
  static Value makeOutside(KernelOp kernel, ConstantOp constant, size_t number) {
    OpBuilder builder(kernel);
    auto copy = builder.create<ConstantOp>(constant.getLoc(), constant.getValue());
    copy->setAttr(scalarAttr, builder.getI64IntegerAttr(int64_t(number)));
    return copy;
  }

  static Value asArgument(KernelOp kernel, Value value) {
    auto place = llvm::find(kernel.getInputs(), value) - kernel.getInputs().begin();
    if (size_t(place) == kernel.getInputs().size()) {
      kernel.getInputsMutable().append(value);
      kernel.getBody().addArgument(value.getType(), value.getLoc());
    }
    return kernel.getBody().getArgument(unsigned(place));
  }
};

} // namespace
} // namespace keratin::passes
