#include "tools/keratin-dump/GraphReader.h"

#include "ir/dialect/Keratin.h"
#include "ir/dialect/MemoryPlan.h"
#include "ir/dialect/NameScope.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeNames.h"
#include "ir/dialect/SourceLine.h"
#include "ir/interfaces/KernelName.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/memory/KernelCost.h"
#include "passes/memory/MemoryReport.h"
#include "tools/keratin-dump/Text.h"

#include "mlir/IR/AsmState.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace keratin;
using namespace keratin::dump;
using namespace mlir;

const char *keratin::dump::nodeKindName(NodeKind kind) {
  static constexpr const char *names[] = {"input",  "variable", "constant", "op",
                                          "output", "update",   "argument", "outside"};
  return names[int(kind)];
}

namespace {

// What a person does not read is not printed.
constexpr int64_t kMostElements = 16;

OpPrintingFlags printing() {
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(kMostElements);
  flags.elideLargeResourceString(kMostElements);
  return flags;
}

std::string shapeText(Type type, const ir::SizeNames &names) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "";
  return std::string(ir::dtypeName(ir::dtypeOf(tensor.getElementType()))) + " " +
         names.text(ir::getShape(tensor));
}

std::vector<std::string> placesOf(Location location) {
  std::vector<std::string> places;
  location->walk([&](Location part) {
    if (auto place = dyn_cast<FileLineColLoc>(part)) {
      std::string text = (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ":" +
                          Twine(place.getColumn()))
                             .str();
      if (std::find(places.begin(), places.end(), text) == places.end())
        places.push_back(std::move(text));
    }
    return WalkResult::advance();
  });
  return places;
}

// Where the op is folded: gradients have a tree of their own, or forward and backward would be
// boxes with lines to and fro.
std::string foldOf(const std::string &scope, bool isGradient) {
  return !isGradient ? scope : scope.empty() ? "gradient" : "gradient/" + scope;
}
std::string foldOf(Location location) {
  return foldOf(ir::scopeOf(location).str(), !ir::differentiatedOp(location).empty());
}

std::string familyOf(Operation *op) {
  if (isa<ir::ElementwiseOpInterface>(op))
    return "elementwise";
  if (isa<ir::ReductionOpInterface>(op))
    return "reduction";
  if (isa<ir::IndexingOpInterface>(op))
    return "movement";
  return ir::isContraction(op) ? "contraction" : "";
}

class Reader {
public:
  Reader(func::FuncOp function, const std::string &stage, const passes::SymbolValues &sizes,
         const OpSet *shown)
      : function(function), sizes(sizes), symbols(passes::symbolValues(function, sizes)),
        shown(shown), names(function), limited(function), numbers(function),
        state(function, printing()) {
    view.function = function.getName().str();
    view.stage = stage;
  }

  GraphView run() {
    readArguments();
    passes::KernelCost total;
    for (Operation &op : function.getBody().front().without_terminator()) {
      if (!isShown(&op))
        continue;
      passes::KernelCost cost = passes::costOf(&op);
      total += cost;
      if (isa<ir::KernelOp, ir::LoopOpInterface, ir::IfOp>(op))
        readNode(&op, cost);
      else
        addOp(&op, -1);
    }
    readResults();
    view.operations = quantity(total.operations);
    view.bytesRead = quantity(total.bytesRead);
    view.bytesWritten = quantity(total.bytesWritten);
    countOps();
    readMemory();
    return std::move(view);
  }

private:
  bool isShown(Operation *op) const { return !shown || shown->contains(op); }

  ViewQuantity quantity(const std::optional<ir::DimExpr> &expression) {
    ViewQuantity result;
    if (!expression)
      return result;
    result.value = passes::evaluate(*expression, symbols);
    if (!expression->isConstant())
      result.formula = names.text(*expression);
    for (int64_t id : expression->symbols()) {
      auto found = symbols.find(id);
      view.symbols[names[id]] =
          (found == symbols.end() ? passes::kDefaultSize : found->second) * limited.of(id).unit;
    }
    return result;
  }

  std::string operandText(Value value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.printAsOperand(stream, state);
    return text;
  }
  // "%12:2", as it stands on the left of an op with two results.
  std::string resultsText(Operation *op) {
    if (op->getNumResults() == 0)
      return "";
    std::string text = StringRef(operandText(op->getResult(0))).split('#').first.str();
    return op->getNumResults() == 1 ? text : text + ":" + std::to_string(op->getNumResults());
  }
  template <typename T> std::string text(T printable) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    printable.print(stream);
    return withSizeNames(text, names);
  }
  std::string attributeText(Attribute attribute) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    attribute.print(stream, state);
    return withSizeNames(text, names);
  }

  int addNode(ViewNode node) {
    view.nodes.push_back(std::move(node));
    return int(view.nodes.size()) - 1;
  }

  void readArguments() {
    for (BlockArgument argument : function.getArguments()) {
      unsigned index = argument.getArgNumber();
      StringAttr name = ir::Signature(function).argumentName(index);
      bool isVariable = ir::Signature(function).isVariable(index);
      if (isVariable)
        variableNames.push_back(name ? name.str() : "");
      if (shown && llvm::none_of(argument.getUsers(), [&](Operation *op) { return isShown(op); }))
        continue;
      ViewNode node;
      node.kind = isVariable ? NodeKind::Variable : NodeKind::Input;
      node.name = name ? name.str() : operandText(argument);
      describe(node, argument);
      nodeOf[argument] = addNode(std::move(node));
    }
  }

  void describe(ViewNode &node, Value value) {
    node.result = operandText(value);
    node.types = {text(value.getType())};
    node.shape = shapeText(value.getType(), names);
    node.places = placesOf(value.getLoc());
  }

  // The node that makes the value; one of those outside if it is not shown.
  int maker(Value value) {
    auto found = nodeOf.find(value);
    if (found != nodeOf.end())
      return found->second;
    ViewNode node;
    node.kind = NodeKind::Outside;
    describe(node, value);
    node.name = node.result;
    if (Operation *op = value.getDefiningOp())
      node.op = op->getName().getStringRef().str();
    return nodeOf[value] = addNode(std::move(node));
  }

  int addOp(Operation *op, int kernel) {
    ViewNode node;
    node.kind = op->hasTrait<OpTrait::ConstantLike>() ? NodeKind::Constant : NodeKind::Op;
    node.op = op->getName().getStringRef().str();
    node.name = op->getName().stripDialect().str();
    node.family = familyOf(op);
    node.result = resultsText(op);
    for (Type type : op->getResultTypes())
      node.types.push_back(text(type));
    if (op->getNumResults())
      node.shape = shapeText(op->getResult(0).getType(), names);
    node.places = placesOf(op->getLoc());
    node.scope = foldOf(op->getLoc());
    node.kernel = kernel;
    node.region = regionPath;
    for (NamedAttribute attribute : op->getAttrs())
      node.attributes.emplace_back(attribute.getName().str(), attributeText(attribute.getValue()));
    for (Value operand : op->getOperands())
      node.operands.push_back(maker(operand));
    int index = addNode(std::move(node));
    for (Value result : op->getResults())
      nodeOf[result] = index;
    return index;
  }

  // What stands in the kernel `index`.
  void readInside(Operation *op, int index) {
    if (auto kernel = dyn_cast<ir::KernelOp>(op))
      readKernel(kernel, index);
    else if (auto loop = dyn_cast<ir::LoopOpInterface>(op))
      readLoop(loop, index);
    else if (auto choice = dyn_cast<ir::IfOp>(op))
      readBranches(choice, index);
    else
      addOp(op, index);
  }

  // A region whose arguments have nodes. Adds what it yields to the operands of its op.
  void readRegion(Region &region, const std::string &title, int index,
                  SmallVectorImpl<int> &yielded) {
    std::string outside = regionPath;
    regionPath += (outside.empty() ? "" : " / ") + title;
    for (Operation &op : region.front().without_terminator())
      readInside(&op, index);
    for (Value value : region.front().getTerminator()->getOperands())
      yielded.push_back(maker(value));
    regionPath = outside;
  }

  void readLoop(ir::LoopOpInterface loop, int index) {
    std::string title = "body of " + resultsText(loop);
    auto argument = [&](BlockArgument argument, const Twine &name, std::optional<Value> outside) {
      ViewNode node;
      node.kind = NodeKind::Argument;
      describe(node, argument);
      node.name = name.str();
      node.kernel = index;
      node.region = regionPath + (regionPath.empty() ? "" : " / ") + title;
      if (outside)
        node.operands = {maker(*outside)};
      nodeOf[argument] = addNode(std::move(node));
    };
    argument(loop.getStepNumber(), "step", std::nullopt);
    for (auto [i, state] : llvm::enumerate(loop.getStateArguments()))
      argument(state, "state " + Twine(i), loop.getInits()[i]);
    for (auto [i, element] : llvm::enumerate(loop.getElementArguments()))
      argument(element, "element " + Twine(i), loop.getSequences()[i]);
    for (auto [capture, outside] : llvm::zip(loop.getCaptureArguments(), loop.getCaptures()))
      nodeOf[capture] = maker(outside);
    SmallVector<int> yielded;
    readRegion(loop.getBody(), title, index, yielded);
    int node = addOp(loop, index);
    llvm::append_range(view.nodes[node].operands, yielded);
  }

  void readBranches(ir::IfOp choice, int index) {
    SmallVector<int> yielded;
    for (auto [i, region] : llvm::enumerate(choice->getRegions())) {
      for (auto [argument, capture] : llvm::zip(region.getArguments(), choice.getCaptures()))
        nodeOf[argument] = maker(capture);
      readRegion(region, (i ? "second branch of " : "first branch of ") + resultsText(choice),
                 index, yielded);
    }
    int node = addOp(choice, index);
    llvm::append_range(view.nodes[node].operands, yielded);
  }

  void readKernel(ir::KernelOp kernel, int index) {
    Block &body = kernel.getBody().front();
    for (auto [argument, input] : llvm::zip(body.getArguments(), kernel.getInputs()))
      nodeOf[argument] = maker(input);
    for (Operation &op : body.without_terminator())
      addOp(&op, index);
    for (auto [made, result] :
         llvm::zip(body.getTerminator()->getOperands(), kernel->getResults())) {
      int node = maker(made);
      // A copy yields what it is given: it is no node of the kernel, and its result has none.
      if (view.nodes[node].kernel != index) {
        ViewNode copy;
        copy.name = "copy";
        copy.kernel = index;
        copy.region = regionPath;
        copy.operands = {node};
        describe(copy, result);
        node = addNode(std::move(copy));
      }
      view.nodes[node].yields.push_back(operandText(result));
      nodeOf[result] = node;
    }
  }

  ViewKernel kernelOf(Operation *op, const passes::KernelCost &cost) {
    ViewKernel kernel;
    bool isLoop = isa<ir::LoopOpInterface>(op);
    kernel.kind = isLoop ? "loop" : isa<ir::IfOp>(op) ? "branch" : "kernel";
    kernel.label = kernel.kind;
    if (isPlanned) { // which may change the order
      ir::KernelNumbers::Range range = numbers.of(op);
      kernel.first = range.first;
      kernel.last = range.last;
      kernel.label =
          isa<ir::KernelOp>(op) ? ir::inWords(range) : kernel.label + " of " + ir::inWords(range);
    }
    kernel.result = resultsText(op);
    ir::KernelName name = ir::nameOf(op);
    kernel.title = name.str();
    kernel.scope = foldOf(name.scope, StringRef(name.work).starts_with(ir::kGradientOf));
    kernel.place = llvm::sys::path::filename(name.location).str();
    kernel.operations = quantity(cost.operations);
    kernel.bytesRead = quantity(cost.bytesRead);
    kernel.bytesWritten = quantity(cost.bytesWritten);
    llvm::raw_string_ostream stream(kernel.text);
    op->print(stream, state);
    return kernel;
  }

  // A kernel, a loop or a branch of the function.
  void readNode(Operation *op, const passes::KernelCost &cost) {
    readInside(op, int(view.kernels.size()));
    ViewKernel kernel = kernelOf(op, cost);
    if (!isa<ir::KernelOp>(op))
      op->walk([&](ir::KernelOp inner) {
        kernel.inside.push_back(kernelOf(inner, passes::costOf(inner)));
      });
    view.kernels.push_back(std::move(kernel));
  }

  void readResults() {
    Operation *exit = function.getBody().front().getTerminator();
    for (OpOperand &operand : exit->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      auto found = nodeOf.find(operand.get());
      if (shown && (found == nodeOf.end() || !isShown(operand.get().getDefiningOp())))
        continue;
      StringAttr name = ir::Signature(function).resultName(index);
      std::optional<int64_t> variable = ir::Signature(function).updatedVariable(index);
      bool isUpdate = ir::Signature(function).isUpdate(index);
      ViewNode node;
      node.kind = isUpdate ? NodeKind::Update : NodeKind::Output;
      node.name = name ? name.str() : "output " + std::to_string(index);
      if (isUpdate && variable && uint64_t(*variable) < variableNames.size())
        node.name = variableNames[*variable];
      node.types = {text(operand.get().getType())};
      node.shape = shapeText(operand.get().getType(), names);
      node.operands = {maker(operand.get())};
      addNode(std::move(node));
    }
    if (shown)
      readUsersOutside();
  }

  // One node for each op that uses what is shown and is not shown itself.
  void readUsersOutside() {
    Block &body = function.getBody().front();
    for (Operation &op : body.without_terminator()) {
      if (isShown(&op))
        continue;
      ViewNode node;
      node.kind = NodeKind::Outside;
      for (Value operand : op.getOperands())
        if (isShown(operand.getDefiningOp()) && operand.getDefiningOp())
          node.operands.push_back(maker(operand));
      if (node.operands.empty())
        continue;
      node.op = op.getName().getStringRef().str();
      node.result = resultsText(&op);
      node.name = node.result;
      node.places = placesOf(op.getLoc());
      for (Type type : op.getResultTypes())
        node.types.push_back(text(type));
      if (op.getNumResults())
        node.shape = shapeText(op.getResult(0).getType(), names);
      addNode(std::move(node));
    }
  }

  void countOps() {
    std::map<std::string, int64_t> counts;
    for (const ViewNode &node : view.nodes)
      if (!node.op.empty() && node.kind != NodeKind::Outside)
        ++counts[node.op];
    view.opCounts.assign(counts.begin(), counts.end());
    std::sort(view.opCounts.begin(), view.opCounts.end(), [](const auto &a, const auto &b) {
      return std::pair(-a.second, a.first) < std::pair(-b.second, b.first);
    });
  }

  void readMemory() {
    std::optional<passes::PlannedMemory> plan = passes::readMemoryPlan(function);
    if (!plan)
      return;
    ViewMemory memory;
    memory.arena = quantity(plan->arenaBytes);
    memory.mostArena = passes::mostArenaBytes(function);
    memory.prepared = ir::preparedBytes(function);
    if (auto usage = passes::memoryUsage(function, sizes))
      memory.maxLive = usage->maxLiveBytes;
    // Only what fits 64 bits at its peak can be added up.
    std::vector<int64_t> change(memory.maxLive ? plan->kernels + 1 : 0);
    for (const passes::PlannedBuffer &planned : plan->buffers) {
      ViewBuffer buffer;
      Operation *inside = planned.inside >= 0 ? plan->inside[planned.inside].op : nullptr;
      Operation *maker = inside ? inside : planned.firstValue.getDefiningOp();
      auto found = nodeOf.find(planned.firstValue);
      buffer.node = found == nodeOf.end() ? -1 : found->second;
      buffer.title =
          inside ? "inside " + ir::nameOf(inside).str() : passes::makerOf(planned.firstValue);
      buffer.place = llvm::sys::path::filename(maker ? ir::nameOf(maker).location
                                                     : ir::sourceLine(planned.firstValue.getLoc()))
                         .str();
      buffer.offset = quantity(planned.offset);
      buffer.bytes = quantity(planned.bytes);
      buffer.first = planned.live.first;
      buffer.last = planned.live.last;
      buffer.values = planned.values;
      if (memory.maxLive) {
        change[buffer.first] += *buffer.bytes.value;
        change[buffer.last + 1] -= *buffer.bytes.value;
      }
      memory.buffers.push_back(std::move(buffer));
    }
    for (size_t kernel = 0; kernel + 1 < change.size(); ++kernel)
      memory.live.push_back((kernel ? memory.live.back() : 0) + change[kernel]);
    view.memory = std::move(memory);
  }

  func::FuncOp function;
  const passes::SymbolValues &sizes, symbols;
  const OpSet *shown;
  const ir::SizeNames names;
  const ir::LimitedSizes limited;
  const ir::KernelNumbers numbers;
  const bool isPlanned = !ir::memoriesOf(function).empty();
  AsmState state;
  GraphView view;
  llvm::DenseMap<Value, int> nodeOf;
  std::string regionPath; // where the op at hand stands
  std::vector<std::string> variableNames;
};

} // namespace

GraphView keratin::dump::viewOf(func::FuncOp function, const std::string &stage,
                                const passes::SymbolValues &sizes, const OpSet *shown) {
  return Reader(function, stage, sizes, shown).run();
}
