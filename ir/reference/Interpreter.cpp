#include "ir/reference/Interpreter.h"

#include "ir/dialect/ComplexNumbers.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeLimits.h"
#include "ir/dialect/SizeNames.h"
#include "ir/dialect/SourceLine.h"
#include "ir/reference/BlockRunner.h"
#include "ir/reference/Evaluation.h"
#include "ir/reference/HostConversions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <string>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

static std::string text(Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

//===-- Arguments -----------------------------------------------------------------------------===//

static LogicalResult bindSymbol(EvaluationContext &context, func::FuncOp function, int64_t id,
                                int64_t value) {
  auto [known, isNew] = context.symbols.try_emplace(id, value);
  if (!isNew && known->second != value)
    return fail(context,
                SizeNames(function)[id] + " is " + Twine(known->second) + " and " + Twine(value));
  return success();
}

// A dimension of an argument.
static LogicalResult bindSize(EvaluationContext &context, func::FuncOp function,
                              const LimitedSize &limited, int64_t symbol, int64_t size) {
  if (!limited.limits.allow(size))
    return fail(context, "size '" + SizeNames(function)[symbol] + "' is " + Twine(size) +
                             "; needed " + limited.limits.str());
  return bindSymbol(context, function, symbol, size / limited.unit);
}

// The argument has the rank and element type of the parameter, and as many elements as it says.
static LogicalResult checkForm(EvaluationContext &context, unsigned number,
                               RankedTensorType parameter, const HostTensor &argument) {
  std::string name = "argument " + std::to_string(number);
  if (argument.dtype != dtypeOf(parameter.getElementType()) ||
      int64_t(argument.dims.size()) != parameter.getRank())
    return fail(context, name + " does not have the element type and rank of " + text(parameter));
  std::optional<HostTensor> expected = makeHostTensor(argument.dtype, argument.dims);
  if (!expected || expected->floats.size() != argument.floats.size() ||
      expected->ints.size() != argument.ints.size())
    return fail(context, name + " does not hold as many elements as its dimensions say");
  return success();
}

static LogicalResult bindArguments(func::FuncOp function, ArrayRef<HostTensor> arguments,
                                   EvaluationContext &context) {
  if (arguments.size() != function.getNumArguments())
    return fail(context, "found " + Twine(arguments.size()) + " arguments, needs " +
                             Twine(function.getNumArguments()));
  const LimitedSizes limited(function);
  std::vector<RankedTensorType> parameters;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    if (!type || dtypeOf(type.getElementType()) == KERATIN_DTYPE_INVALID)
      return fail(context, "parameter " + Twine(i) + " is not a tensor");
    if (failed(checkForm(context, i, type, argument)))
      return failure();
    parameters.push_back(type);
    for (auto [expected, size] : llvm::zip(getShape(type), argument.dims))
      if (std::optional<int64_t> symbol = limited.symbolCountedBy(expected);
          symbol && failed(bindSize(context, function, limited.of(*symbol), *symbol, size)))
        return failure();
    for (const ArgumentSymbol &symbol : Signature(function).symbols(i)) {
      if (argument.isFloat() || argument.size() != 1)
        return fail(context, "argument " + Twine(i) + " must be an integer scalar");
      std::optional<int64_t> size = partOf(argument.ints[0], symbol.part);
      if (!size)
        return fail(context, "argument " + Twine(i) + " is a size whose value is " +
                                 Twine(argument.ints[0]) + "; needed " +
                                 (symbol.part == ValuePart::Whole ? "0 or more" : "more"));
      if (failed(bindSize(context, function, limited.of(symbol.id), symbol.id, *size)))
        return failure();
    }
  }
  // With all symbols known, the sizes that are expressions of them.
  for (auto [i, argument] : llvm::enumerate(arguments))
    for (auto [axis, expected] : llvm::enumerate(getShape(parameters[i])))
      if (context.evaluate(expected) != argument.dims[axis])
        return fail(context, "argument " + Twine(i) + " has size " + Twine(argument.dims[axis]) +
                                 " along axis " + Twine(axis) + "; it must be " +
                                 SizeNames(function).text(expected));
  return success();
}

//===-- Blocks --------------------------------------------------------------------------------===//

namespace {
// The values that are still needed, each with the number of its uses to come.
class Environment {
public:
  void define(Value value, HostTensor tensor) {
    if (unsigned uses = llvm::range_size(value.getUses()))
      live.try_emplace(value, Entry{std::move(tensor), nullptr, uses});
  }
  // A block's argument, which lives as long as the block runs: a loop does not copy what it
  // captures for each step.
  void borrow(Value value, const HostTensor *tensor) {
    if (unsigned uses = llvm::range_size(value.getUses()))
      live.try_emplace(value, Entry{{}, tensor, uses});
  }
  const HostTensor *lookup(Value value) const {
    auto found = live.find(value);
    if (found == live.end())
      return nullptr;
    return found->second.borrowed ? found->second.borrowed : &found->second.own;
  }
  void used(Value value) {
    auto found = live.find(value);
    if (found != live.end() && --found->second.uses == 0)
      live.erase(found);
  }

private:
  struct Entry {
    HostTensor own;
    const HostTensor *borrowed;
    unsigned uses;
  };
  llvm::DenseMap<Value, Entry> live;
};
} // namespace

LogicalResult keratin::ir::reference::allocateResults(Operation &op, EvaluationContext &context,
                                                      std::vector<HostTensor> &results) {
  for (Type type : op.getResultTypes()) {
    auto tensorType = dyn_cast<RankedTensorType>(type);
    if (!tensorType || dtypeOf(tensorType.getElementType()) == KERATIN_DTYPE_INVALID)
      return fail(context, op.getName().getStringRef() + ": a result is not a tensor");
    std::vector<int64_t> dims;
    for (const DimExpr &dim : getShape(tensorType)) {
      std::optional<int64_t> size = context.evaluate(dim);
      if (!size)
        return fail(context, op.getName().getStringRef() + ": size " + dim.str() + " has no value");
      if (*size < 0)
        return fail(context,
                    op.getName().getStringRef() + ": size " + dim.str() + " is " + Twine(*size));
      dims.push_back(*size);
    }
    std::optional<HostTensor> result =
        makeHostTensor(dtypeOf(tensorType.getElementType()), std::move(dims));
    if (!result)
      return fail(context, op.getName().getStringRef() + ": a result has more than " +
                               Twine(kMaxHostElements) + " elements");
    results.push_back(std::move(*result));
  }
  return success();
}

static LogicalResult runBody(Block &block, ArrayRef<const HostTensor *> arguments,
                             EvaluationContext &context, bool insideKernel,
                             std::vector<HostTensor> &results);

static LogicalResult defineSize(EvaluationContext &context, int64_t symbol, const DimExpr &bound,
                                const HostTensor &size) {
  std::optional<int64_t> most = context.evaluate(bound);
  int64_t value = size.ints[0];
  if (!most || value < 0 || value > *most)
    return fail(context, "truncate: the size " + Twine(value) + " is outside [0, " +
                             (most ? std::to_string(*most) : bound.str()) + "]");
  context.symbols[symbol] = value; // another one in each step of a loop
  return success();
}

void keratin::ir::reference::defineSteps(WhileOp loop, int64_t steps, EvaluationContext &context) {
  if (loop.getLength())
    context.symbols[loop.getSteps().symbolId()] = steps;
}

LogicalResult keratin::ir::reference::defineSizes(Operation &op,
                                                  ArrayRef<const HostTensor *> operands,
                                                  EvaluationContext &context) {
  if (auto truncate = dyn_cast<TruncateOp>(op))
    return defineSize(context, getShape(truncate.getY())[truncate.getAxis()].symbolId(),
                      getShape(truncate.getX())[truncate.getAxis()], *operands[1]);
  if (auto define = dyn_cast<DefineSizeOp>(op))
    return defineSize(context, define.getSymbol(),
                      define.getBound() ? define.getBound()->getDims()[0] : DimExpr(INT64_MAX),
                      *operands[0]);
  return success();
}

static LogicalResult runOp(Operation &op, ArrayRef<const HostTensor *> operands,
                           EvaluationContext &context, bool insideKernel,
                           std::vector<HostTensor> &results) {
  auto atLine = [&](LogicalResult result) {
    if (failed(result))
      context.error = withSourceLine(context.error, op.getLoc());
    return result;
  };
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    if (insideKernel)
      return atLine(fail(context, "kernel: kernels do not nest"));
    return runBody(kernel.getBody().front(), operands, context, /*insideKernel=*/true, results);
  }
  if (!isa<ComplexOp, RealOp, ImagOp, AsPartsOp, FromPartsOp>(op) &&
      (llvm::any_of(op.getOperandTypes(), hasComplexElements) ||
       llvm::any_of(op.getResultTypes(), hasComplexElements)))
    return atLine(fail(context, op.getName().getStringRef() +
                                    ": complex numbers are pairs here (--keratin-expand-complex)"));
  auto evaluable = dyn_cast<EvaluableOpInterface>(op);
  if (!evaluable)
    return atLine(fail(context, op.getName().getStringRef() + " cannot be evaluated"));
  // How large the stacks of a loop are, it finds out itself.
  if (isa<WhileOp>(op))
    results.resize(op.getNumResults());
  else if (failed(defineSizes(op, operands, context)) ||
           failed(allocateResults(op, context, results)))
    return atLine(failure());
  LogicalResult evaluated = evaluable.evaluate(context, operands, results);
  // What failed inside a loop or branch has said where.
  return op.getNumRegions() == 0 ? atLine(evaluated) : evaluated;
}

static LogicalResult runBody(Block &block, ArrayRef<const HostTensor *> arguments,
                             EvaluationContext &context, bool insideKernel,
                             std::vector<HostTensor> &results) {
  Environment environment;
  for (auto [value, tensor] : llvm::zip(block.getArguments(), arguments))
    environment.borrow(value, tensor);
  for (Operation &op : block) {
    SmallVector<const HostTensor *> operands;
    for (Value operand : op.getOperands()) {
      operands.push_back(environment.lookup(operand));
      if (!operands.back())
        return fail(context, op.getName().getStringRef() + ": an operand has no value");
    }
    if (isa<func::ReturnOp, YieldOp>(op)) {
      for (const HostTensor *operand : operands)
        results.push_back(*operand);
      return success();
    }
    std::vector<HostTensor> values;
    if (failed(runOp(op, operands, context, insideKernel, values)))
      return failure();
    for (Value operand : op.getOperands())
      environment.used(operand);
    for (auto [value, tensor] : llvm::zip(op.getResults(), values))
      environment.define(value, std::move(tensor));
  }
  return fail(context, "the function does not return");
}

LogicalResult keratin::ir::reference::runBlock(Block &block, ArrayRef<const HostTensor *> arguments,
                                               EvaluationContext &context,
                                               std::vector<HostTensor> &results) {
  return runBody(block, arguments, context, /*insideKernel=*/false, results);
}

FailureOr<std::vector<HostTensor>> keratin::ir::interpret(func::FuncOp function,
                                                          ArrayRef<HostTensor> arguments,
                                                          EvaluationContext &context) {
  if (!llvm::hasSingleElement(function.getBody()))
    return fail(context, "the function must have one block");
  if (failed(bindArguments(function, arguments, context)))
    return failure();
  SmallVector<const HostTensor *> values;
  for (const HostTensor &argument : arguments)
    values.push_back(&argument);
  std::vector<HostTensor> results;
  if (failed(runBlock(function.getBody().front(), values, context, results)))
    return failure();
  return results;
}
