#include "tests/support/RandomArguments.h"

#include "ir/builder/DifferentiablePaths.h"
#include "ir/dialect/Keratin.h"
#include "ir/reference/EvaluationContext.h"
#include "ir/reference/HostConversions.h"
#include "tests/support/RandomTensor.h"

using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

std::optional<std::vector<HostTensor>>
keratin::tests::randomArguments(func::FuncOp function, const std::map<int64_t, int64_t> &symbols) {
  EvaluationContext context;
  context.symbols = symbols;
  auto seed = function->getAttrOfType<IntegerAttr>("check.seed");
  const bool hasGradients = hasDerivatives(function);
  std::vector<HostTensor> arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    std::vector<int64_t> dims;
    for (const DimExpr &dim : getShape(cast<RankedTensorType>(type)))
      dims.push_back(context.evaluate(dim).value_or(-1));
    // The same numbers as keratin-check.
    uint64_t state = (seed ? seed.getInt() : 0) + (uint64_t(i) << 32);
    auto tensor = variedTensor(dtypeOf(cast<RankedTensorType>(type).getElementType()), dims, state,
                               hasGradients);
    if (!tensor)
      return std::nullopt;
    arguments.push_back(std::move(*tensor));
  }
  return arguments;
}
