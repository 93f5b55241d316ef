#include "compiler/numerics/NumericsJudge.h"

#include "compiler/numerics/FunctionReducer.h"
#include "ir/builder/DifferentiablePaths.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeLimits.h"
#include "ir/reference/ErrorBounds.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"
#include "passes/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <map>
#include <random>

using namespace keratin;
using namespace keratin::compiler;
using namespace keratin::ir;
using namespace mlir;

// Rewriting gives functions that are equal in exact arithmetic, but need not round as the function
// does from which the bounds were derived.
static constexpr double slack = 4;
// Calls to compare, and draws of sizes and inputs until the function has accepted so many.
static constexpr size_t wantedCalls = 3;
static constexpr int mostDraws = 64;

using Random = std::mt19937_64; // the same numbers everywhere

static void inlineKernels(func::FuncOp function) {
  SmallVector<KernelOp> kernels;
  function.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  for (KernelOp kernel : kernels) {
    OpBuilder builder(kernel);
    IRMapping map;
    map.map(kernel.getBody().getArguments(), kernel.getInputs());
    Block &body = kernel.getBody().front();
    for (Operation &op : body.without_terminator())
      builder.clone(op, map);
    for (auto [result, value] : llvm::zip(kernel.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(map.lookupOrDefault(value));
    kernel.erase();
  }
}

// The ops that the function means, with its gradients expanded and complex numbers as pairs; null
// if they cannot be.
static OwningOpRef<ModuleOp> meaningOf(func::FuncOp function) {
  OwningOpRef<ModuleOp> module = copyOf(function);
  inlineKernels(functionOf(*module));
  ScopedDiagnosticHandler silence(module->getContext(), [](Diagnostic &) {});
  PassManager manager(module->getContext(), ModuleOp::getOperationName());
  manager.addNestedPass<func::FuncOp>(passes::createExpandComplex());
  if (hasDerivatives(*module))
    manager.addNestedPass<func::FuncOp>(passes::createDifferentiate());
  return succeeded(manager.run(*module)) ? std::move(module) : nullptr;
}

// Sizes from 1 to 5, or near that where they have limits. In later draws all are the same:
// conditions on sizes are mostly equations.
static std::map<int64_t, int64_t> drawSizes(func::FuncOp function, int draw, Random &random) {
  const LimitedSizes limited(function);
  std::map<int64_t, int64_t> sizes;
  auto add = [&](int64_t symbol) {
    int64_t size = draw % 4 == 3 ? 1 + draw / 4 % 5 : 1 + int64_t(random() % 5);
    if (LimitedSize limits = limited.of(symbol); limits.limits.areStated())
      size = limits.limits.nearest(size * std::min<int64_t>(limits.limits.multipleOf, 1 << 20)) /
             limits.unit;
    sizes.try_emplace(symbol, size);
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    // A value whose parts are symbols has any sign, one that is a size has none.
    SmallVector<ArgumentSymbol, 1> parts = Signature(function).symbols(unsigned(i));
    if (!parts.empty()) {
      bool isSize = parts.front().part == ValuePart::Whole;
      add(parts.front().id);
      int64_t value = sizes[parts.front().id];
      value = !isSize && random() % 2 ? -value : value;
      for (const ArgumentSymbol &symbol : parts)
        sizes[symbol.id] = *partOf(value, symbol.part);
    }
    for (const DimExpr &dim : getShape(cast<RankedTensorType>(type)))
      for (int64_t symbol : dim.symbols())
        add(symbol);
  }
  return sizes;
}

// Integers may be indices, so they are small. Floats are in [-2, 2], or in [0, 2], and such that
// every float type holds them exactly.
static std::optional<std::vector<HostTensor>>
drawArguments(func::FuncOp function, const EvaluationContext &sizes, int draw, Random &random) {
  std::vector<HostTensor> arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensorType = cast<RankedTensorType>(type);
    std::vector<int64_t> dims;
    for (const DimExpr &dim : getShape(tensorType))
      dims.push_back(sizes.evaluate(dim).value_or(-1));
    auto tensor = makeHostTensor(dtypeOf(tensorType.getElementType()), dims);
    if (!tensor)
      return std::nullopt;
    bool isBool = tensor->dtype == KERATIN_DTYPE_BOOL;
    for (int64_t &element : tensor->ints)
      element = int64_t(random() % (isBool || draw % 2 ? 2 : 5));
    for (double &element : tensor->floats) {
      element = (double(random() % 257) - 128) / 64;
      element = draw % 3 == 1 ? std::abs(element) : element;
    }
    SmallVector<ArgumentSymbol, 1> parts = Signature(function).symbols(unsigned(i));
    if (!parts.empty() && tensor->ints.size() == 1) {
      tensor->ints[0] = 0;
      for (const ArgumentSymbol &symbol : parts)
        if (int64_t size = sizes.symbols.at(symbol.id))
          tensor->ints[0] = symbol.part == ValuePart::Negative ? -size : size;
    }
    arguments.push_back(*std::move(tensor));
  }
  return arguments;
}

NumericsJudge::NumericsJudge(func::FuncOp function, uint64_t seed) {
  OwningOpRef<ModuleOp> meaning = meaningOf(function);
  if (!meaning) {
    why = "its gradients cannot be expanded";
    return;
  }
  for (Type type : function.getArgumentTypes())
    if (!isa<RankedTensorType>(type)) {
      why = "an argument is no tensor";
      return;
    }
  Random random(seed);
  for (int draw = 0; draw < mostDraws && calls.size() < wantedCalls; ++draw) {
    EvaluationContext context;
    context.symbols = drawSizes(function, draw, random);
    auto arguments = drawArguments(function, context, draw, random);
    if (!arguments)
      continue;
    auto expected = interpretWithBounds(functionOf(*meaning), *arguments, context, {true});
    if (succeeded(expected))
      calls.push_back({std::move(*arguments), std::move(*expected)});
    else
      why = "it accepts no inputs that were drawn: " + context.error;
  }
  if (!calls.empty())
    why.clear();
}

NumericsJudge::Verdict NumericsJudge::judge(func::FuncOp rewritten) const {
  if (!why.empty())
    return {"", why};
  OwningOpRef<ModuleOp> meaning = meaningOf(rewritten);
  if (!meaning)
    return {"", "its gradients cannot be expanded"};
  for (const Call &call : calls) {
    EvaluationContext context;
    auto actual = interpret(functionOf(*meaning), call.arguments, context);
    if (failed(actual))
      return {"the function fails: " + context.error, ""};
    if (actual->size() != call.expected.size())
      return {"there are " + std::to_string(actual->size()) + " results, before there were " +
                  std::to_string(call.expected.size()),
              ""};
    for (size_t i = 0; i < actual->size(); ++i)
      if (auto mismatch = findMismatch((*actual)[i], call.expected[i], slack))
        return {"result " + std::to_string(i) + ": " + *mismatch, ""};
  }
  return {};
}
