#include "compiler/driver/ModelFile.h"

#include "compiler/artifact/Names.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/TensorShape.h"
#include "ir/reference/HostConversions.h"
#include "ir/saved/GraphReader.h"
#include "ir/saved/SavedFormat.h"
#include "ir/text/SourceText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace keratin;
using namespace mlir;

namespace {

absl::Status refuse(const Twine &why) { return absl::InvalidArgumentError(why.str()); }

// Gives functions of textual IR what a saved graph says of them.
class TextModel {
public:
  explicit TextModel(OwningOpRef<ModuleOp> module) { graph.module = std::move(module); }

  absl::StatusOr<ir::SavedGraph> read() {
    for (Operation &op : graph.module->getOps()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function)
        return refuse("a model holds functions only, found '" + op.getName().getStringRef() + "'");
      if (function.isExternal())
        return refuse("function '" + function.getName() + "' has no body");
      if (absl::Status status = read(function); !status.ok())
        return status;
    }
    if (graph.functions.empty())
      return refuse("there is no function");
    return std::move(graph);
  }

private:
  absl::Status read(func::FuncOp function) {
    ir::SavedFunction saved{function.getName().str(), {}, {}};
    Builder b(function.getContext());
    if (absl::Status status = nameInputs(function); !status.ok())
      return status;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (function.getArgAttrOfType<StringAttr>(i, "keratin.kind").getValue() == "variable")
        if (absl::Status status = readVariable(function, i, saved); !status.ok())
          return status;
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      if (!function.getResultAttrOfType<StringAttr>(i, "keratin.kind"))
        function.setResultAttr(i, "keratin.kind", b.getStringAttr("output"));
      auto name = function.getResultAttrOfType<StringAttr>(i, "keratin.name");
      if (name && !ir::isSavedName(name.getValue()))
        return refuse("an output's name has control characters");
    }
    graph.functions.push_back(std::move(saved));
    return absl::OkStatus();
  }

  // Every argument has a kind and a name, every input its own, as in saved graphs.
  static absl::Status nameInputs(func::FuncOp function) {
    if (!ir::isSavedName(function.getName()))
      return refuse("a function's name has control characters");
    Builder b(function.getContext());
    std::vector<unsigned> inputs;
    std::vector<std::string> names;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (!function.getArgAttrOfType<StringAttr>(i, "keratin.kind"))
        function.setArgAttr(i, "keratin.kind", b.getStringAttr("input"));
      auto name = function.getArgAttrOfType<StringAttr>(i, "keratin.name");
      if (!name)
        name = b.getStringAttr("input_" + Twine(i));
      if (!ir::isSavedName(name.getValue()))
        return refuse("an argument's name has control characters");
      function.setArgAttr(i, "keratin.name", name);
      if (function.getArgAttrOfType<StringAttr>(i, "keratin.kind").getValue() != "input")
        continue;
      inputs.push_back(i);
      names.push_back(name.str());
    }
    names = compiler::distinctNames(std::move(names));
    for (auto [input, name] : llvm::zip(inputs, names))
      function.setArgAttr(input, "keratin.name", b.getStringAttr(name));
    return absl::OkStatus();
  }

  absl::Status readVariable(func::FuncOp function, unsigned i, ir::SavedFunction &saved) {
    std::string name = function.getArgAttrOfType<StringAttr>(i, "keratin.name").str();
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    if (!type || !type.hasStaticShape() ||
        ir::dtypeOf(type.getElementType()) == KERATIN_DTYPE_INVALID)
      return refuse("variable '" + name + "' of function '" + function.getName() +
                    "' must be a tensor of known shape");
    auto found = llvm::find_if(graph.variables,
                               [&](const ir::SavedVariable &known) { return known.name == name; });
    saved.variables.push_back(found - graph.variables.begin());
    if (found != graph.variables.end()) {
      if (found->dtype != ir::dtypeOf(type.getElementType()) ||
          ArrayRef(found->dims) != type.getShape())
        return refuse("variable '" + name + "' has another dtype or shape in function '" +
                      function.getName() + "'");
      return absl::OkStatus();
    }
    ir::SavedVariable variable{name, ir::dtypeOf(type.getElementType()), type.getShape().vec(), {}};
    auto initial = function.getArgAttrOfType<DenseElementsAttr>(i, "keratin.initial");
    if (initial && initial.getType() != type)
      return refuse("the initial value of variable '" + name + "' has another type");
    std::optional<ir::HostTensor> value =
        initial ? ir::fromElements(initial) : ir::makeHostTensor(variable.dtype, variable.dims);
    if (!value)
      return refuse("variable '" + name + "' is too large");
    std::vector<char> bytes = ir::toBytes(*value);
    variable.bytes.assign(bytes.begin(), bytes.end());
    function.removeArgAttr(i, "keratin.initial");
    graph.variables.push_back(std::move(variable));
    return absl::OkStatus();
  }

  ir::SavedGraph graph;
};

// Leaves the named function and what it needs.
absl::Status keepOnly(ir::SavedGraph &graph, const std::string &name) {
  std::vector<ir::SavedFunction> functions;
  std::vector<std::string> names;
  for (const ir::SavedFunction &saved : graph.functions) {
    names.push_back(saved.name);
    if (saved.name == name)
      functions.push_back(saved);
  }
  if (functions.empty())
    return refuse("there is no function '" + name + "'; there are " + llvm::join(names, ", "));
  for (auto [op, saved] :
       llvm::zip(llvm::to_vector(graph.module->getOps<func::FuncOp>()), graph.functions))
    if (saved.name != name)
      op.erase();
  graph.functions = std::move(functions);
  std::vector<ir::SavedVariable> variables;
  for (size_t &number : graph.functions[0].variables) {
    variables.push_back(std::move(graph.variables[number]));
    number = variables.size() - 1;
  }
  graph.variables = std::move(variables);
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<ir::SavedGraph> compiler::readModel(const std::string &path, MLIRContext &context,
                                                   const std::string &function) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false);
  if (!file)
    return refuse(file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  absl::StatusOr<ir::SavedGraph> graph = refuse("");
  if (bytes.starts_with(ir::kSavedMagicBytes)) {
    graph = ir::readGraph(std::string_view(bytes.data(), bytes.size()), context);
  } else {
    if (std::optional<std::string> why = ir::refuseSource(bytes))
      return refuse(*why);
    ParserConfig config(&context);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytes, config, path);
    if (!module)
      return refuse("this is neither a saved graph nor textual IR");
    graph = TextModel(std::move(module)).read();
  }
  if (graph.ok() && !function.empty())
    if (absl::Status status = keepOnly(*graph, function); !status.ok())
      return status;
  return graph;
}
