// Makes golden files: keratin-golden GoldenGraphs.mlir FOLDER
//
// For each function @op that has no FOLDER/op.ktg yet: that, and FOLDER/op.txt with inputs and the
// reference interpreter's results, a line "in|out|update dtype [dims] elements…" each.
#include "ir/dialect/Keratin.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"
#include "ir/saved/GraphWriter.h"
#include "ir/saved/SavedFile.h"
#include "ir/saved/SavedFormat.h"
#include "ir/saved/SavedOps.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/SavedSamples.h"

#include "mlir/Parser/Parser.h"

#include <cstdio>
#include <filesystem>

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

static std::string line(StringRef kind, const HostTensor &tensor) {
  std::string text = kind.str() + " " + dtypeName(tensor.dtype) + " [";
  for (size_t i = 0; i < tensor.dims.size(); ++i)
    text += (i ? "," : "") + std::to_string(tensor.dims[i]);
  text += "]";
  char number[40];
  for (double element : tensor.floats) {
    std::snprintf(number, sizeof number, " %.17g", element);
    text += number;
  }
  for (int64_t element : tensor.ints)
    text += " " + std::to_string(element);
  return text + "\n";
}

static bool write(func::FuncOp function, const std::string &path) {
  std::vector<SavedFunction> functions(1);
  std::vector<SavedVariable> variables;
  Builder b(function.getContext());
  SmallVector<std::string> names;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    names.push_back(function.getArgAttrOfType<StringAttr>(i, "keratin.name").str());
  tests::describeForSaving(function, 7, functions[0], variables);
  for (unsigned i = 0; i < names.size(); ++i)
    function.setArgAttr(i, "keratin.name", b.getStringAttr(names[i]));
  EvaluationContext context;
  // d0 is 2; a graph with sizes by name has several.
  for (int64_t id = 0; id < 4; ++id)
    context.symbols[id] = 2 + id;
  std::vector<HostTensor> arguments;
  std::string text;
  for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
    bool isInput =
        function.getArgAttrOfType<StringAttr>(unsigned(i), "keratin.kind").getValue() == "input";
    if (isInput) {
      std::vector<int64_t> dims;
      for (const DimExpr &dim : getShape(argument))
        dims.push_back(context.evaluate(dim).value());
      arguments.push_back(
          tests::randomTensor(dtypeOf(getElementType(argument)), dims, 100 + i).value());
      text += line("in", arguments.back());
    } else {
      const SavedVariable &variable = variables.front();
      arguments.push_back(fromBytes(variable.dtype, variable.dims, variable.bytes.data()).value());
    }
  }
  auto results = interpret(function, arguments, context);
  if (failed(results))
    return std::fprintf(stderr, "%s: %s\n", functions[0].name.c_str(), context.error.c_str()),
           false;
  for (auto [i, result] : llvm::enumerate(*results))
    text +=
        line(function.getResultAttr(unsigned(i), "keratin.variable") ? "update" : "out", result);
  auto bytes = writeGraph(ArrayRef(function), functions, variables);
  if (!bytes.ok() || !writeFileBytes(path + ".ktg", *bytes).ok() ||
      !writeFileBytes(path + ".txt", text).ok())
    return std::fprintf(stderr, "%s: %s\n", path.c_str(), bytes.status().ToString().c_str()), false;
  return true;
}

// Functions are named after the op that they have, or after another form that a version brought.
static uint32_t minorOf(StringRef name) {
  if (name == "local_sizes")
    return kSavedMinorOfLocalSizes;
  if (name == "value_parts")
    return kSavedMinorOfValueParts;
  if (name == "size_names" || name == "size_limits" || name == "shards" ||
      name == "gathered_parts" || name == "local_statistics" || name == "variable_shards" ||
      name == "shards_states")
    return kSavedMinorOfSizeNames;
  const SavedOp *op = findSavedOp(name == "mesh_axis" ? "all_reduce" : name);
  return op ? op->minor : 0;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return std::fprintf(stderr, "keratin-golden GoldenGraphs.mlir FOLDER\n"), 2;
  auto context = tests::makeSavedContext();
  auto module = parseSourceFile<ModuleOp>(argv[1], context.get());
  if (!module)
    return 1;
  for (auto function : module->getOps<func::FuncOp>()) {
    // Those of the version that the folder is named after.
    std::filesystem::path folder = argv[2];
    if (folder.filename() != "1." + std::to_string(minorOf(function.getName())))
      continue;
    std::string path = (folder / function.getName().str()).string();
    if (!std::filesystem::exists(path + ".ktg") && !write(function, path))
      return 1;
  }
  return 0;
}
