#include "compiler/driver/ModelFile.h"

#include "compiler/artifact/Names.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/ModelContents.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/TensorShape.h"
#include "ir/reference/HostConversions.h"
#include "ir/saved/GraphReader.h"
#include "ir/saved/SavedFormat.h"
#include "ir/text/SourceText.h"
#include "runtime/core/DType.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace keratin;
using namespace mlir;

namespace {

absl::Status refuse(const Twine &why) { return absl::InvalidArgumentError(why.str()); }

// Gives functions of textual IR what a saved graph says of them.
class TextModel {
public:
  explicit TextModel(OwningOpRef<ModuleOp> module) { graph.module = std::move(module); }

  absl::StatusOr<ir::SavedGraph> read() {
    if (failed(ir::verifyModelContents(*graph.module)))
      return refuse("this is not a model");
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
    // With what has been added.
    if (failed(verify(*graph.module)))
      return refuse("this is not a model");
    return std::move(graph);
  }

private:
  // Attributes of all arguments are set at once: each setting makes a list of all.
  absl::Status read(func::FuncOp function) {
    ir::SavedFunction saved{function.getName().str(), {}, {}};
    Builder b(function.getContext());
    if (!ir::isSavedName(function.getName()))
      return refuse("a function's name has control characters");
    SmallVector<ir::SignatureEntry> arguments;
    if (absl::Status status = nameArguments(function, arguments); !status.ok())
      return status;
    SmallVector<DictionaryAttr> argumentAttributes, resultAttributes;
    for (auto [type, attributes] : llvm::zip(function.getArgumentTypes(), arguments)) {
      if (attributes.isVariable())
        if (absl::Status status = readVariable(function, type, attributes, saved); !status.ok())
          return status;
      argumentAttributes.push_back(attributes.attributes());
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      ir::SignatureEntry attributes(function.getContext(), function.getResultAttrDict(i));
      if (!attributes.hasKind())
        attributes.makeOutput();
      StringAttr name = attributes.name();
      if (name && !ir::isSavedName(name.getValue()))
        return refuse("an output's name has control characters");
      resultAttributes.push_back(attributes.attributes());
    }
    function.setAllArgAttrs(argumentAttributes);
    function.setAllResultAttrs(resultAttributes);
    graph.functions.push_back(std::move(saved));
    return absl::OkStatus();
  }

  // The attributes of all arguments: every one has a kind and a name, every input its own, as in
  // saved graphs.
  static absl::Status nameArguments(func::FuncOp function,
                                    SmallVector<ir::SignatureEntry> &arguments) {
    std::vector<unsigned> inputs;
    std::vector<std::string> names;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      ir::SignatureEntry &attributes =
          arguments.emplace_back(function.getContext(), function.getArgAttrDict(i));
      if (!attributes.hasKind())
        attributes.makeInput();
      if (!attributes.name())
        attributes.setName("input_" + Twine(i));
      if (!ir::isSavedName(attributes.name().getValue()))
        return refuse("an argument's name has control characters");
      if (!attributes.isInput())
        continue;
      inputs.push_back(i);
      names.push_back(attributes.name().str());
    }
    names = compiler::distinctNames(std::move(names));
    for (auto [input, name] : llvm::zip(inputs, names))
      arguments[input].setName(name);
    return absl::OkStatus();
  }

  absl::Status readVariable(func::FuncOp function, Type argument, ir::SignatureEntry &attributes,
                            ir::SavedFunction &saved) {
    std::string name = attributes.name().str();
    DenseElementsAttr initial = attributes.takeInitial();
    auto type = dyn_cast<RankedTensorType>(argument);
    if (!type || !type.hasStaticShape() ||
        ir::dtypeOf(type.getElementType()) == KERATIN_DTYPE_INVALID)
      return refuse("variable '" + name + "' of function '" + function.getName() +
                    "' must be a tensor of known shape");
    auto [known, isNew] = numbers.try_emplace(name, graph.variables.size());
    saved.variables.push_back(known->second);
    if (!isNew) {
      const ir::SavedVariable &variable = graph.variables[known->second];
      if (variable.dtype != ir::dtypeOf(type.getElementType()) ||
          ArrayRef(variable.dims) != type.getShape())
        return refuse("variable '" + name + "' has another dtype or shape in function '" +
                      function.getName() + "'");
      return absl::OkStatus();
    }
    ir::SavedVariable variable{name, ir::dtypeOf(type.getElementType()), type.getShape().vec(), {}};
    if (initial && initial.getType() != type)
      return refuse("the initial value of variable '" + name + "' has another type");
    if (!initial || initial.isSplat()) {
      if (absl::Status status = fill(variable, initial); !status.ok())
        return status;
    } else {
      std::optional<ir::HostTensor> value = ir::fromElements(initial);
      if (!value)
        return refuse("variable '" + name + "' is too large");
      std::vector<char> bytes = ir::toBytes(*value);
      variable.bytes.assign(bytes.begin(), bytes.end());
    }
    graph.variables.push_back(std::move(variable));
    return absl::OkStatus();
  }

  // One value everywhere; zero without one. A few characters may ask for any amount of memory.
  absl::Status fill(ir::SavedVariable &variable, DenseElementsAttr splat) {
    int64_t bytes = 0;
    if (!runtime::tensorBytes(variable.dtype, int32_t(variable.dims.size()), variable.dims.data(),
                              bytes) ||
        bytes > int64_t(ir::kMaxSplatBytes) - filledBytes)
      return absl::ResourceExhaustedError("variables up to '" + variable.name +
                                          "' that are filled with one value take more than " +
                                          std::to_string(ir::kMaxSplatBytes >> 20) + " MiB");
    filledBytes += bytes;
    variable.bytes.assign(size_t(bytes), '\0');
    if (!splat || bytes == 0)
      return absl::OkStatus();
    std::optional<ir::HostTensor> value = ir::fromElements(DenseElementsAttr::get(
        splat.getType().clone(ArrayRef<int64_t>()), splat.getSplatValue<Attribute>()));
    if (!value)
      return refuse("the initial value of variable '" + variable.name + "' cannot be read");
    std::vector<char> element = ir::toBytes(*value);
    for (size_t i = 0; i < variable.bytes.size(); i += element.size())
      std::copy(element.begin(), element.end(), variable.bytes.begin() + ptrdiff_t(i));
    return absl::OkStatus();
  }

  ir::SavedGraph graph;
  llvm::StringMap<size_t> numbers; // of variables
  int64_t filledBytes = 0;
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

void compiler::registerModelDialects(DialectRegistry &registry) {
  registry.insert<ir::KeratinDialect, func::FuncDialect>();
}

// All of the graph, or what the function of that name needs.
static absl::StatusOr<ir::SavedGraph> onlyOf(absl::StatusOr<ir::SavedGraph> graph,
                                             const std::string &function) {
  if (graph.ok() && !function.empty())
    if (absl::Status status = keepOnly(*graph, function); !status.ok())
      return status;
  return graph;
}

absl::StatusOr<ir::SavedGraph> compiler::readSavedModel(const std::string &bytes,
                                                        MLIRContext &context,
                                                        const std::string &function) {
  return onlyOf(ir::readGraph(bytes, context), function);
}

absl::StatusOr<ir::SavedGraph> compiler::readModel(const std::string &path, MLIRContext &context,
                                                   const std::string &function) {
  std::string bytes;
  if (std::optional<ir::ReadingProblem> problem = ir::readSource(path, bytes))
    return problem->isLimit ? absl::ResourceExhaustedError(problem->why) : refuse(problem->why);
  if (StringRef(bytes).starts_with(ir::kSavedMagicBytes))
    return readSavedModel(bytes, context, function);
  if (std::optional<ir::SourceRefusal> refusal = ir::refuseSource(bytes))
    return absl::Status(refusal->isLimit ? absl::StatusCode::kResourceExhausted
                                         : absl::StatusCode::kInvalidArgument,
                        refusal->str(path));
  if (!StringRef(bytes).trim().empty() && !StringRef(bytes).contains("func.func") &&
      !StringRef(bytes).contains("module"))
    return refuse("this is a text without a function (func.func); needed a saved graph (.ktg) or "
                  "textual IR");
  // MLIR's lexer needs the NUL that stands behind the bytes of a string.
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytes, config, path);
  if (!module)
    return refuse("this is neither a saved graph nor textual IR");
  return onlyOf(TextModel(std::move(module)).read(), function);
}
