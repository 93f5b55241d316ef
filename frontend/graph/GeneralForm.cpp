#include "frontend/graph/GeneralForm.h"

#include "compiler/driver/Attempt.h"
#include "frontend/graph/FunctionContext.h"
#include "frontend/graph/RuntimeStatus.h"
#include "ir/dialect/Signature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/DenseMap.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace mlir;
using ir::DimExpr;

namespace {

class Generalizer {
public:
  Generalizer(ModuleOp module, const OpenNumbers &numbers, NumberInputs &inputs)
      : function(*module.getOps<func::FuncOp>().begin()), b(module.getContext()), numbers(numbers),
        inputs(inputs) {
    SizePattern(numbers.sizes).match(numbers.sizes, distinct);
  }

  bool run() {
    // What does not fit is compiled for its own sizes, and nobody is told.
    ScopedDiagnosticHandler quiet(b.getContext(), [](Diagnostic &) { return success(); });
    Block &block = function.front();
    const unsigned firstVariable = nextInput = ir::Signature(function).firstVariable();
    for (BlockArgument input : block.getArguments().take_front(firstVariable)) {
      for (int64_t size : ir::getTensorType(input).getShape())
        if (OpenNumbers::isOpen(size) && !sizes.contains(size))
          sizes[size] = DimExpr::symbol(nextSymbol++);
      input.setType(generalType(input));
    }
    // Their dimensions bind no symbols.
    for (BlockArgument variable : llvm::to_vector(block.getArguments().drop_front(firstVariable)))
      variable.setType(generalType(variable));
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (!visit(&op))
        return false;
    function.setType(
        b.getFunctionType(block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
    return nextOther == numbers.others.size() && succeeded(verify(function));
  }

private:
  BlockArgument addInput(ir::SignatureEntry entry) {
    function.insertArgument(nextInput, RankedTensorType::get({}, b.getI64Type()),
                            entry.attributes(), function.getLoc());
    return function.getArgument(nextInput++);
  }

  // A symbol whose value is a further input.
  DimExpr addSymbol() {
    addInput(ir::SignatureEntry::input(b.getContext(), "size")
                 .setSymbol({ir::ValuePart::Whole, nextSymbol}));
    return DimExpr::symbol(nextSymbol++);
  }

  DimExpr general(int64_t size) {
    if (!OpenNumbers::isOpen(size))
      return size;
    auto [known, isNew] = sizes.try_emplace(size);
    if (isNew) {
      known->second = addSymbol();
      inputs.addSize(size_t(llvm::find(distinct, size) - distinct.begin()));
    }
    return known->second;
  }

  // Of a value that has its own sizes yet.
  Type generalType(Value value) {
    ir::Shape shape;
    for (int64_t size : ir::getTensorType(value).getShape())
      shape.push_back(general(size));
    return ir::getTensorType(shape, ir::getElementType(value));
  }

  // Whether the next of the other numbers is this one, which it must be.
  bool takeOther(int64_t number) {
    if (nextOther == numbers.others.size() || numbers.others[nextOther] != number)
      return false;
    inputs.addOther(nextOther++);
    return true;
  }

  bool openAttributes(Operation *op) {
    for (StringAttr name : op->getName().getAttributeNames()) {
      auto dims = dyn_cast_or_null<ir::DimsAttr>(op->getInherentAttr(name).value_or(Attribute()));
      if (!dims || llvm::none_of(dims.getDims(),
                                 [](const DimExpr &dim) { return OpenNumbers::isOpen(dim); }))
        continue;
      std::vector<DimExpr> open(dims.getDims());
      for (DimExpr &dim : open)
        if (OpenNumbers::isOpen(dim)) {
          if (!takeOther(dim.constantValue()))
            return false;
          dim = addSymbol();
        }
      op->setAttr(name, ir::DimsAttr::get(b.getContext(), open));
    }
    return true;
  }

  bool visit(Operation *op) {
    if (std::optional<int64_t> number = OpenNumbers::ofConstant(op)) {
      if (!takeOther(*number))
        return false;
      op->getResult(0).replaceAllUsesWith(
          addInput(ir::SignatureEntry::input(b.getContext(), "number")));
      op->erase();
      return true;
    }
    if (!openAttributes(op))
      return false;
    SmallVector<Type> types;
    if (op->hasTrait<OpTrait::ConstantLike>())
      types.assign(op->result_type_begin(), op->result_type_end());
    else if (auto infers = dyn_cast<InferTypeOpInterface>(op)) {
      if (failed(infers.inferReturnTypes(b.getContext(), op->getLoc(), op->getOperands(),
                                         op->getDiscardableAttrDictionary(),
                                         op->getPropertiesStorage(), op->getRegions(), types)))
        return false;
      for (auto [result, type] : llvm::zip(op->getResults(), types))
        learn(result, type);
    }
    b.setInsertionPointAfter(op);
    for (auto [index, result] : llvm::enumerate(op->getResults())) {
      Type needed = generalType(result);
      result.setType(types.empty() ? needed : types[index]);
      if (result.getType() == needed)
        continue;
      auto reshape = b.create<ir::ReshapeOp>(op->getLoc(), needed, result);
      result.replaceAllUsesExcept(reshape, reshape);
    }
    return true;
  }

  // The expressions of sizes that are met first where they follow from others.
  void learn(Value result, Type inferred) {
    ArrayRef<int64_t> own = ir::getTensorType(result).getShape();
    ir::Shape shape = ir::getShape(cast<RankedTensorType>(inferred));
    for (auto [size, expression] : llvm::zip(own, shape))
      if (OpenNumbers::isOpen(size))
        sizes.try_emplace(size, expression);
  }

  func::FuncOp function;
  OpBuilder b;
  const OpenNumbers &numbers;
  NumberInputs &inputs;
  std::vector<int64_t> distinct;          // the open sizes
  llvm::DenseMap<int64_t, DimExpr> sizes; // what they are
  unsigned nextInput = 0;
  int64_t nextSymbol = 0;
  size_t nextOther = 0;
};

} // namespace

bool frontend::generalize(FunctionModule &module, const OpenNumbers &numbers,
                          NumberInputs &inputs) {
  bool isGeneral = false;
  absl::Status status;
  withThreadObjects([&] {
    status = compiler::attempt("a function for all sizes", [&] {
      isGeneral = Generalizer(*module.module, numbers, inputs).run();
    });
  });
  if (!status.ok()) {
    module.abandon();
    throwStatus(status.code(), std::string(status.message()));
  }
  return isGeneral;
}
