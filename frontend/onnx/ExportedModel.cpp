#include "frontend/onnx/ExportedModel.h"

#include "compiler/driver/Version.h"
#include "frontend/onnx/GraphExporter.h"
#include "ir/dialect/Signature.h"

#include <algorithm>

using namespace keratin;
using namespace keratin::frontend::onnx_models;
using ir::DimExpr;

// What Protocol Buffers write and read at most, and a little for all that is not elements.
static constexpr size_t kMostBytes = (size_t(1) << 31) - (size_t(1) << 24);
// Of what goes to another file.
static constexpr size_t kLargeBytes = 1024, kAlignment = 4096;

// Where the next tensor begins.
static size_t alignedEnd(size_t end) { return llvm::alignTo(end, kAlignment); }

void ExportedModel::writeData(llvm::function_ref<void(const void *, size_t)> write) const {
  static const char zeros[kAlignment] = {};
  size_t end = 0;
  for (const std::string &tensor : data) {
    write(zeros, alignedEnd(end) - end);
    write(tensor.data(), tensor.size());
    end = alignedEnd(end) + tensor.size();
  }
}

static int64_t formatOf(int64_t opset) {
  return opset <= 18 ? 8 : opset <= 20 ? 9 : opset <= 22 ? 10 : 11;
}

static void renameIn(onnx::GraphProto &graph, const llvm::StringMap<std::string> &names) {
  auto rename = [&](std::string *name) {
    if (auto found = names.find(*name); found != names.end())
      *name = found->second;
  };
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (std::string &name : *node.mutable_input())
      rename(&name);
    for (std::string &name : *node.mutable_output())
      rename(&name);
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        renameIn(*attribute.mutable_g(), names);
  }
}

static void addInputs(const onnx::GraphProto &graph, llvm::StringSet<> &used) {
  for (const onnx::ValueInfoProto &output : graph.output())
    used.insert(output.name());
  for (const onnx::NodeProto &node : graph.node()) {
    used.insert(node.input().begin(), node.input().end());
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        addInputs(attribute.g(), used);
  }
}

// Nodes and constants that nobody reads; inputs and variables stay.
static void removeUnused(onnx::GraphProto &graph, const llvm::StringSet<> &arguments) {
  llvm::StringSet<> used;
  for (const onnx::ValueInfoProto &output : graph.output())
    used.insert(output.name());
  std::vector<bool> stays(size_t(graph.node_size()));
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    const onnx::NodeProto &node = graph.node(i);
    for (const std::string &output : node.output())
      stays[size_t(i)] = stays[size_t(i)] || used.contains(output);
    if (!stays[size_t(i)])
      continue;
    used.insert(node.input().begin(), node.input().end());
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        addInputs(attribute.g(), used);
  }
  auto keep = [](auto &list, auto isKept) {
    int kept = 0;
    for (int i = 0; i < list.size(); ++i)
      if (isKept(i))
        list.SwapElements(kept++, i);
    list.DeleteSubrange(kept, list.size() - kept);
  };
  keep(*graph.mutable_node(), [&](int i) { return bool(stays[size_t(i)]); });
  auto &initializers = *graph.mutable_initializer();
  keep(initializers, [&](int i) {
    return arguments.contains(initializers[i].name()) || used.contains(initializers[i].name());
  });
}

namespace {

class ModelExporter {
public:
  ModelExporter(mlir::func::FuncOp function, const ir::SavedFunction &saved,
                llvm::ArrayRef<ir::SavedVariable> variables, const ExportSettings &settings)
      : function(function), signature(function), saved(saved), variables(variables),
        settings(settings), graph(*model.mutable_graph()),
        exporter(graph, settings.opset, ir::SizeNames(function), settings.keepsPlaces) {}

  ExportedModel run() {
    if (settings.opset < kFirstOpset || settings.opset > kLastOpset)
      throw ExportFailure{absl::InvalidArgumentError("opset " + std::to_string(settings.opset) +
                                                     "; needed " + std::to_string(kFirstOpset) +
                                                     " to " + std::to_string(kLastOpset))};
    model.set_ir_version(formatOf(settings.opset));
    const auto [name, version] = llvm::StringRef(compiler::producer).split(' ');
    model.set_producer_name(name.str());
    model.set_producer_version(version.str());
    model.add_opset_import()->set_version(settings.opset);
    graph.set_name(saved.name);
    nameAll();
    checkBytes();
    addArguments();
    exporter.block(function.getBody().front());
    addOutputs();
    llvm::StringSet<> arguments;
    arguments.insert(argumentNames.begin(), argumentNames.end());
    removeUnused(graph, arguments);
    ExportedModel exported;
    if (!settings.dataFile.empty())
      moveData(exported.data);
    if (model.ByteSizeLong() >= kMostBytes)
      tooLarge(model.ByteSizeLong());
    exported.model = model.SerializeAsString();
    return exported;
  }

private:
  const ir::SavedVariable &variable(size_t number) const {
    return variables[saved.variables[number]];
  }

  // Before nodes get theirs.
  void nameAll() {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      std::string name;
      if (signature.isVariable(i))
        name = variable(i - signature.firstVariable()).name;
      else if (mlir::StringAttr given = signature.argumentName(i))
        name = given.str();
      argumentNames.push_back(exporter.unique(name.empty() ? "input" : name));
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      std::string name;
      if (auto updated = signature.updatedVariable(i))
        name = variable(size_t(*updated)).name + "_updated";
      else if (mlir::StringAttr given = signature.resultName(i))
        name = given.str();
      resultNames.push_back(exporter.unique(name.empty() ? "output" : name));
    }
  }

  [[noreturn]] void tooLarge(size_t bytes) {
    throw ExportFailure{absl::InvalidArgumentError(
        "the model has " + std::to_string(bytes) +
        " bytes, and a file of ONNX less than 2 GiB; with data in a file of its own "
        "(external_data) it can be written")};
  }

  void checkBytes() {
    size_t bytes = 0;
    for (size_t number : saved.variables)
      bytes += variables[number].bytes.size();
    if (bytes >= kMostBytes && settings.dataFile.empty())
      tooLarge(bytes);
  }

  // Variables whose new values are outputs may be fed: so a caller trains on. Inputs that need not
  // be fed have their values in the same way.
  void addArguments() {
    std::vector<bool> isUpdated(function.getNumArguments());
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto updated = signature.updatedVariable(i)) {
        if (!settings.updatesAsOutputs)
          exporter.notImplemented("an update, of variable '" + variable(size_t(*updated)).name +
                                  "', without updates as outputs");
        isUpdated[signature.firstVariable() + size_t(*updated)] = true;
      }
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      const mlir::BlockArgument argument = function.getArgument(i);
      const std::string &name = argumentNames[i];
      const auto type = llvm::cast<mlir::RankedTensorType>(argument.getType());
      if (!signature.isVariable(i) || isUpdated[i])
        exporter.declareInput(name, type);
      exporter.define(argument, name);
      if (signature.isVariable(i)) {
        // Those of a sparse matrix have sizes of their own.
        const ir::SavedVariable &given = variable(i - signature.firstVariable());
        exporter.addInitializer(
            name, mlir::RankedTensorType::get(given.dims, type.getElementType()), given.bytes);
      } else if (mlir::DenseElementsAttr value = signature.defaultValue(i)) {
        exporter.addInitializer(name, value);
      }
    }
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      exporter.defineSizes(argumentNames[i], ir::getShape(function.getArgument(i)));
      for (const ir::ArgumentSymbol &symbol : signature.symbols(i))
        exporter.defineSymbol(symbol.id, partOf(argumentNames[i], symbol.part));
    }
  }

  std::string partOf(const std::string &name, ir::ValuePart part) {
    const mlir::Type i64 = mlir::IntegerType::get(function.getContext(), 64);
    std::string value = exporter.node("Reshape", {exporter.cast(name, i64), exporter.vector({1})});
    if (part == ir::ValuePart::Negative)
      value = exporter.node("Neg", {value});
    return part == ir::ValuePart::Whole ? value
                                        : exporter.node("Max", {value, exporter.vector({0})});
  }

  // What nodes made gets the outputs' names.
  void addOutputs() {
    llvm::StringSet<> isMade;
    for (const onnx::NodeProto &node : graph.node())
      for (const std::string &name : node.output())
        isMade.insert(name);
    llvm::StringMap<std::string> names;
    mlir::Operation *terminator = function.getBody().front().getTerminator();
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      const mlir::Value result = terminator->getOperand(i);
      std::string name = exporter.value(result);
      // Made for this output, maybe.
      for (int at = graph.node_size() - 1; at >= 0 && !isMade.contains(name); --at)
        for (const std::string &output : graph.node(at).output())
          if (output == name)
            isMade.insert(name);
      if (isMade.contains(name) && names.try_emplace(name, resultNames[i]).second) {
        exporter.declareOutput(resultNames[i], result.getType());
        continue;
      }
      onnx::NodeProto &node = *graph.add_node();
      node.set_op_type("Identity");
      node.set_name(exporter.unique("Identity"));
      node.add_input(name);
      node.add_output(resultNames[i]);
      exporter.declareOutput(resultNames[i], result.getType());
    }
    renameIn(graph, names);
  }

  void moveData(std::vector<std::string> &data) {
    size_t end = 0;
    for (onnx::TensorProto &tensor : *graph.mutable_initializer()) {
      const size_t bytes = tensor.raw_data().size(), offset = alignedEnd(end);
      if (bytes < kLargeBytes)
        continue;
      auto add = [&](const char *key, const std::string &value) {
        onnx::StringStringEntryProto *entry = tensor.add_external_data();
        entry->set_key(key);
        entry->set_value(value);
      };
      add("location", settings.dataFile);
      add("offset", std::to_string(offset));
      add("length", std::to_string(bytes));
      tensor.set_data_location(onnx::TensorProto::EXTERNAL);
      data.push_back(std::move(*tensor.mutable_raw_data()));
      tensor.clear_raw_data();
      end = offset + bytes;
    }
  }

  mlir::func::FuncOp function;
  const ir::Signature signature;
  const ir::SavedFunction &saved;
  const llvm::ArrayRef<ir::SavedVariable> variables;
  const ExportSettings &settings;
  onnx::ModelProto model;
  onnx::GraphProto &graph;
  GraphExporter exporter;
  Names argumentNames, resultNames;
};

} // namespace

absl::StatusOr<ExportedModel> keratin::frontend::onnx_models::exportModel(
    mlir::func::FuncOp function, const ir::SavedFunction &saved,
    llvm::ArrayRef<ir::SavedVariable> variables, const ExportSettings &settings) {
  try {
    return ModelExporter(function, saved, variables, settings).run();
  } catch (const ExportFailure &failure) {
    return failure.status;
  }
}

absl::StatusOr<ExportedModel>
keratin::frontend::onnx_models::exportModel(const ir::SavedGraph &graph,
                                            const ExportSettings &settings) {
  return exportModel(*(*graph.module).getOps<mlir::func::FuncOp>().begin(), graph.functions.front(),
                     graph.variables, settings);
}
