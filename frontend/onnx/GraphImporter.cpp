#include "frontend/onnx/GraphImporter.h"

#include "frontend/graph/Printable.h"
#include "keratin/creation.h"
#include "keratin/error.h"
#include "keratin/variables.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>
#include <set>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

static constexpr int kDeepestGraph = 64;
// Of graphs in nodes, which are imported once for each step of an unrolled loop, and of functions,
// once for each call: both multiply.
static constexpr int64_t kMostInNodes = 10'000;
static constexpr int64_t kMostInFunctions = 500'000;

llvm::ArrayRef<OpTable> keratin::frontend::onnx_models::allOps() {
  static const OpTable all[] = {
      {"element by element", elementwiseOps()},
      {"activations", activationOps()},
      {"reductions, order", reductionOps()},
      {"matrices", productOps()},
      {"shapes", shapeOps()},
      {"indices", indexingOps()},
      {"written at indices", scatteringOps()},
      {"as many as data say", selectionOps()},
      {"boxes", boxOps()},
      {"new tensors", creationOps()},
      {"convolutions", convolutionOps()},
      {"pooling", poolingOps()},
      {"resizing", resizingOps()},
      {"sampling", samplingOps()},
      {"normalisation", normalizationOps()},
      {"recurrent layers", recurrentOps()},
      {"attention", attentionOps()},
      {"graphs in nodes", controlOps()},
      {"losses", lossOps()},
      {"quantised", quantizationOps()},
      {"random numbers", randomOps()},
      {"sequences, optional values", sequenceOps()},
      {"signals", signalOps()},
      {"training", trainingOps()},
  };
  return all;
}

const OpRecord *keratin::frontend::onnx_models::findOp(const std::string &domain,
                                                       const std::string &name) {
  static const auto *found = [] {
    auto *map = new llvm::StringMap<const OpRecord *>();
    for (const OpTable &table : allOps())
      for (const OpRecord &record : table.ops)
        (*map)[std::string(record.domain) + ":" + record.name] = &record;
    return map;
  }();
  return found->lookup(domainOf(domain) + ":" + name);
}

GraphImporter::GraphImporter(GraphImporter &around)
    : file(around.file), around(&around), caller(&around), opsets(around.opsets),
      functionNames(around.functionNames) {
  enter();
}

GraphImporter::GraphImporter(GraphImporter &caller, ModelFile::Opsets opsets)
    : file(caller.file), caller(&caller), opsets(std::move(opsets)) {
  enter();
}

void GraphImporter::enter() {
  depth = caller->depth + 1;
  if (depth > kDeepestGraph)
    file.fail("has graphs in graphs, or functions that call functions, more than " +
              std::to_string(kDeepestGraph) + " deep");
}

void GraphImporter::define(const std::string &name, ModelValue value) {
  if (name.empty())
    return;
  if (!values.try_emplace(name, std::move(value)).second)
    file.fail("has two values named '" + name + "'");
}

ModelValue *GraphImporter::lookUp(const std::string &name) {
  if (auto found = values.find(name); found != values.end())
    return &found->second;
  return around ? around->lookUp(name) : nullptr;
}

ModelValue &GraphImporter::output(const std::string &name) {
  ModelValue *value = lookUp(name);
  if (!value)
    file.fail("has an output '" + name + "' that nothing computes");
  return *value;
}

void GraphImporter::addInitializers(const onnx::GraphProto &graph, bool asVariables) {
  if (graph.sparse_initializer_size())
    file.notImplemented("sparse initializers");
  // Those of the model come once, those of bodies with each of their importers.
  const bool isWhole = &graph == &file.graph();
  for (int i = 0; i < graph.initializer_size(); ++i) {
    const onnx::TensorProto &tensor = graph.initializer(i);
    Array array = isWhole ? file.takeInitializer(i)
                          : file.array(tensor, "initializer '" + tensor.name() + "'");
    if (!asVariables || !isFloating(array.dtype()) || array.ndim() == 0) {
      define(tensor.name(), ModelValue(std::move(array), elementTypeOf(tensor.data_type())->bits));
      continue;
    }
    const DType dtype = array.dtype();
    variables.push_back(
        K::variable(std::move(array), dtype, tensor.name(), nullptr, file.location));
    define(tensor.name(), ModelValue(variables.back()));
  }
}

// A word, as sizes are named; two texts give two words.
static std::string wordOf(const std::string &text) {
  std::string word = text;
  bool isWord = std::isalpha(static_cast<unsigned char>(text.front()));
  for (char &c : word)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') {
      c = '_';
      isWord = false;
    }
  if (isWord)
    return word;
  return "size_" + word + "_" + std::to_string(std::hash<std::string>()(text) % 100000);
}

Size GraphImporter::sizeOf(const onnx::TensorShapeProto::Dimension &dim) {
  if (dim.has_dim_value()) {
    if (dim.dim_value() < 0)
      file.fail("has an input of negative size");
    return dim.dim_value();
  }
  if (!dim.dim_param().empty())
    return Size(wordOf(dim.dim_param()));
  return None;
}

ModelValue GraphImporter::tensorInput(const std::string &name, const onnx::TypeProto &of,
                                      const Array *constant, bool hasOwnSizes) {
  const std::string what = "input '" + name + "'";
  if (!of.has_tensor_type())
    file.notImplemented(what + " that is no tensor");
  const onnx::TypeProto::Tensor &type = of.tensor_type();
  const std::optional<ElementType> elements = elementTypeOf(type.elem_type());
  if (!elements)
    file.notImplemented(what + " has elements of type " + elementTypeName(type.elem_type()));
  if (!type.has_shape())
    file.notImplemented(what + " of unknown rank");
  std::vector<Size> shape;
  for (const onnx::TensorShapeProto::Dimension &dim : type.shape().dim())
    shape.push_back(hasOwnSizes && !dim.has_dim_value() ? Size(None) : sizeOf(dim));
  // The low bits of what is given.
  auto narrowed = [&](const Tensor &given) {
    Call call("load_onnx", file.location);
    return ModelValue(call.tensor(castTo(call, call.value(given), *elements)), elements->bits);
  };
  if (constant) {
    bool fits = constant->ndim() == int64_t(shape.size());
    for (size_t i = 0; fits && i < shape.size(); ++i)
      fits = !shape[i].isNumber() || shape[i].number() == constant->shape()[i];
    if (!fits)
      file.fail("has " + what + ", of another shape than its constant");
    const Array given = constant->astype(elements->dtype);
    return elements->isNarrow() ? narrowed(ModelValue(given).tensor(file.location))
                                : ModelValue(given);
  }
  inputs.push_back(
      K::placeholder(Shape(std::move(shape)), None, elements->dtype, false, name, file.location));
  return elements->isNarrow() ? narrowed(inputs.back()) : ModelValue(inputs.back());
}

// Sizes with one name may differ from tensor to tensor of a sequence.
ModelValue GraphImporter::sequenceInput(const std::string &name, const onnx::TypeProto &type,
                                        const int64_t *length) {
  constexpr int64_t most = 10000;
  if (!length)
    file.notImplemented("input '" + name + "', a sequence whose length is not given");
  if (*length < 0 || *length > most)
    file.fail("has a sequence '" + name + "' for which the length " + std::to_string(*length) +
              " is given; needed one from 0 to " + std::to_string(most));
  std::vector<ModelValue> elements;
  for (int64_t i = 0; i < *length; ++i)
    elements.push_back(tensorInput(name + "_" + std::to_string(i), type.sequence_type().elem_type(),
                                   nullptr,
                                   /*hasOwnSizes=*/true));
  return ModelValue::sequenceOf(std::move(elements));
}

void GraphImporter::addInput(const onnx::ValueInfoProto &input, const Array *constant,
                             const int64_t *length) {
  // Of old models; a call does not feed them.
  if (values.contains(input.name()))
    return;
  // An optional input is there.
  const onnx::TypeProto &type =
      input.type().has_optional_type() ? input.type().optional_type().elem_type() : input.type();
  if (type.has_sequence_type() && !constant)
    define(input.name(), sequenceInput(input.name(), type, length));
  else
    define(input.name(), tensorInput(input.name(), type, constant, /*hasOwnSizes=*/false));
}

// Of a list of options, that for a name, which is counted.
template <typename Given>
static const Given *optionFor(const std::map<std::string, Given> &options, const std::string &name,
                              size_t &found) {
  auto option = options.find(name);
  found += option != options.end();
  return option == options.end() ? nullptr : &option->second;
}

void GraphImporter::addInputs(const onnx::GraphProto &graph,
                              const std::map<std::string, Array> &constants,
                              const std::map<std::string, int64_t> &lengths) {
  size_t withConstants = 0, withLengths = 0;
  std::set<std::string> names;
  for (const onnx::ValueInfoProto &input : graph.input()) {
    names.insert(input.name());
    const Array *constant = optionFor(constants, input.name(), withConstants);
    addInput(input, constant, optionFor(lengths, input.name(), withLengths));
  }
  if (withConstants != constants.size())
    for (const auto &[name, array] : constants)
      if (!names.count(name))
        file.fail("has no input '" + name + "' for a constant");
  if (withLengths != lengths.size())
    for (const auto &[name, length] : lengths)
      if (!names.count(name))
        file.fail("has no input '" + name + "' for a length");
}

SourceLocation GraphImporter::placeOf(const onnx::NodeProto &proto) {
  std::string text = printable(file.name(), 80) + ": " + functionNames + "node ";
  if (!proto.name().empty())
    text += "'" + printable(proto.name(), 80) + "' ";
  text += "(" + printable(proto.op_type(), 80) + ")";
  return {keptText(std::move(text)), nodes};
}

void GraphImporter::addNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &all) {
  for (const onnx::NodeProto &proto : all) {
    ++nodes;
    GraphImporter *root = this;
    while (root->caller)
      root = root->caller;
    if (caller && !around && ++root->nodesInFunctions > kMostInFunctions)
      file.notImplemented("functions with more than " + std::to_string(kMostInFunctions) +
                          " nodes, which count in each call");
    if (around && ++root->nodesInNodes > kMostInNodes)
      file.notImplemented("graphs in nodes with more than " + std::to_string(kMostInNodes) +
                          " nodes, which count for each step of an unrolled loop");
    file.steps.next(proto, root->nodes - 1);
    addNode(proto);
  }
}

// What stands for an attribute of the function's is that of the call, or the function's default.
static void bindAttributes(onnx::NodeProto &node, const onnx::NodeProto &call,
                           const onnx::FunctionProto &function);

static void bindAttributes(onnx::GraphProto &graph, const onnx::NodeProto &call,
                           const onnx::FunctionProto &function) {
  for (onnx::NodeProto &node : *graph.mutable_node())
    bindAttributes(node, call, function);
}

static void bindAttributes(onnx::NodeProto &node, const onnx::NodeProto &call,
                           const onnx::FunctionProto &function) {
  onnx::NodeProto bound = node;
  bound.clear_attribute();
  for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
    if (attribute.has_g())
      bindAttributes(*attribute.mutable_g(), call, function);
    const std::string &name = attribute.ref_attr_name();
    if (name.empty()) {
      *bound.add_attribute() = attribute;
      continue;
    }
    auto find = [&](const auto &list) -> const onnx::AttributeProto * {
      for (const onnx::AttributeProto &given : list)
        if (given.name() == name)
          return &given;
      return nullptr;
    };
    const onnx::AttributeProto *given = find(call.attribute());
    if (!given)
      given = find(function.attribute_proto());
    // One that is not given is not there.
    if (!given)
      continue;
    onnx::AttributeProto *copy = bound.add_attribute();
    *copy = *given;
    copy->set_name(attribute.name());
  }
  node = std::move(bound);
}

Values GraphImporter::callFunction(const onnx::NodeProto &proto,
                                   const onnx::FunctionProto &function,
                                   const std::vector<ModelValue *> &arguments) {
  GraphImporter body(*this, ModelFile::opsetsOf(function.opset_import()));
  body.functionNames = functionNames + printable(function.name(), 80) + ": ";
  if (arguments.size() > size_t(function.input_size()))
    file.fail("calls function '" + printable(function.name()) + "' with " +
              std::to_string(arguments.size()) + " inputs; it has " +
              std::to_string(function.input_size()));
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i])
      body.define(function.input(int(i)), *arguments[i]);
    else
      body.leaveOut(function.input(int(i)));
  for (int i = int(arguments.size()); i < function.input_size(); ++i)
    body.leaveOut(function.input(i));
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes = function.node();
  for (onnx::NodeProto &node : nodes)
    bindAttributes(node, proto, function);
  body.addNodes(nodes);
  Values values;
  for (const std::string &name : function.output()) {
    ModelValue *value = body.lookUp(name);
    if (!value)
      file.fail("has a function '" + printable(function.name()) + "' with an output '" + name +
                "' that nothing computes");
    values.push_back(*value);
  }
  return values;
}

// Operands may be of a dtype that an op of the dialect has not: what was made for the node is
// verified, which is what has its place.
static void check(ModelNode &node, Values &results) {
  llvm::SmallVector<mlir::Operation *> open;
  auto addTo = [&](llvm::SmallVectorImpl<mlir::Operation *> &ops, ModelValue &value) {
    if (!value.constant() && value.isTensor())
      if (mlir::Operation *op = valueOf(value.tensor(node.place)).getDefiningOp())
        ops.push_back(op);
  };
  for (ModelValue &result : results)
    addTo(open, result);
  if (open.empty())
    return;
  const mlir::Location place = open.front()->getLoc();
  std::string why;
  mlir::ScopedDiagnosticHandler handler(open.front()->getContext(), [&](mlir::Diagnostic &found) {
    if (why.empty())
      why = found.str();
    return mlir::success();
  });
  // A function that is called with its own result has one place in both calls.
  llvm::SmallVector<mlir::Operation *> before;
  for (size_t i = 0; i < node.inputCount(); ++i)
    if (node.has(i))
      addTo(before, node.value(i));
  llvm::SmallPtrSet<mlir::Operation *, 16> seen(before.begin(), before.end());
  while (!open.empty()) {
    mlir::Operation *op = open.pop_back_val();
    if (op->getLoc() != place || !seen.insert(op).second)
      continue;
    if (mlir::failed(mlir::verify(op)))
      node.fail("cannot have these operands: " + why);
    for (const mlir::Value operand : op->getOperands())
      if (mlir::Operation *maker = operand.getDefiningOp())
        open.push_back(maker);
  }
}

// What an array refuses has no place of its own: it gets the node's.
static Values importPlaced(const OpRecord &record, ModelNode &node) {
  try {
    return record.import(node);
  } catch (const MemoryError &) {
    throw;
  } catch (const Error &error) {
    const std::string message = error.what();
    if (message.find("; at ") != std::string::npos)
      throw;
    node.fail("is refused: " + message);
  }
}

void GraphImporter::addNode(const onnx::NodeProto &proto) {
  const std::string what =
      proto.op_type() + (proto.domain().empty() ? "" : " of the domain '" + proto.domain() + "'");
  std::vector<ModelValue *> arguments;
  for (const std::string &name : proto.input()) {
    const bool isLeftOut = name.empty() || leftOut.count(name);
    arguments.push_back(isLeftOut ? nullptr : lookUp(name));
    if (!isLeftOut && !arguments.back())
      file.fail("has a node '" + proto.name() + "' (" + what + ") with an input '" + name +
                "' that no node before it computes");
  }
  Values results;
  if (const onnx::FunctionProto *function = file.function(proto)) {
    results = callFunction(proto, *function, arguments);
  } else {
    auto opset = opsets.find(domainOf(proto.domain()));
    if (opset == opsets.end())
      file.fail("has ops of the domain '" + proto.domain() + "', which it does not import");
    const OpRecord *record = findOp(proto.domain(), proto.op_type());
    ModelNode node(*this, proto, placeOf(proto), opset->second, std::move(arguments));
    if (!record)
      node.notImplemented("the op " + what);
    if (!node.outputCount())
      node.fail("has no outputs");
    for (size_t i = 0; i < node.inputCount() && record->narrow == Narrow::Refused; ++i)
      if (node.has(i) && node.value(i).narrowBits)
        node.notImplemented("the op on " + elementTypeName(node.elementType(i)));
    results = importPlaced(*record, node);
    check(node, results);
    if (record->narrow == Narrow::Moved && node.has(0))
      for (ModelValue &result : results)
        result.narrowBits = node.value(0).narrowBits;
  }
  for (int i = 0; i < proto.output_size(); ++i) {
    if (proto.output(i).empty())
      continue;
    if (size_t(i) >= results.size())
      ModelNode(*this, proto, placeOf(proto), 0, {}).notImplemented("output " + std::to_string(i));
    define(proto.output(i), std::move(results[size_t(i)]));
  }
}
