#include "tests/support/SavedSamples.h"

#include "ir/dialect/Keratin.h"
#include "ir/dialect/VectorizedMap.h"
#include "ir/reference/HostConversions.h"
#include "ir/saved/GraphWriter.h"
#include "passes/Passes.h"
#include "tests/support/RandomGraph.h"
#include "tests/support/RandomTensor.h"

#include "mlir/Pass/PassManager.h"

#include <cstdio>
#include <cstdlib>

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

std::unique_ptr<MLIRContext> tests::makeSavedContext() {
  auto context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<KeratinDialect, func::FuncDialect>();
  return context;
}

void tests::describeForSaving(func::FuncOp function, uint64_t seed, SavedFunction &description,
                              std::vector<SavedVariable> &variables) {
  description.name = function.getName().str();
  Builder b(function.getContext());
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    bool isInput = function.getArgAttrOfType<StringAttr>(i, "keratin.kind").getValue() == "input";
    std::string name = (isInput ? "x" : "v") + std::to_string(i);
    function.setArgAttr(i, "keratin.name", b.getStringAttr(name));
    if (isInput)
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    auto value = randomTensor(dtypeOf(type.getElementType()), std::vector<int64_t>(type.getShape()),
                              seed + i);
    std::vector<char> bytes = toBytes(value.value());
    description.variables.push_back(variables.size());
    variables.push_back({name, value->dtype, value->dims, std::string(bytes.begin(), bytes.end()),
                         i % 2 == 0, false});
  }
}

void tests::expandGradients(ModuleOp module) {
  PassManager manager(module.getContext());
  passes::ExpandComplexOptions complex;
  complex.keepViews = false;
  manager.addNestedPass<func::FuncOp>(passes::createExpandComplex(complex));
  manager.addNestedPass<func::FuncOp>(passes::createVectorize());
  manager.addNestedPass<func::FuncOp>(passes::createDifferentiate());
  if (failed(manager.run(module)))
    std::abort();
  module.walk([](ScanOp scan) { scan->removeAttr(kLoopedAttr); });
}

std::string tests::randomSavedGraph(uint64_t seed, int ops) {
  auto context = makeSavedContext();
  RandomFunction random = makeRandomFunction(context.get(), {seed}, ops);
  expandGradients(*random.module);
  std::vector<SavedFunction> functions(1);
  std::vector<SavedVariable> variables;
  describeForSaving(random.function, seed, functions[0], variables);
  auto bytes = writeGraph(*random.module, functions, variables);
  if (!bytes.ok()) {
    std::fprintf(stderr, "a random graph cannot be saved: %s\n", bytes.status().ToString().c_str());
    std::abort();
  }
  return *std::move(bytes);
}
