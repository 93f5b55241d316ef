// Ops of ONNX that have graphs in them: If, Loop and Scan.
#include "frontend/backend/Choice.h"
#include "frontend/graph/Loop.h"
#include "frontend/onnx/GraphImporter.h"
#include "keratin/elementwise.h"
#include "keratin/error.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

Values keratin::frontend::onnx_models::outputsOf(ModelNode &node, const onnx::GraphProto &graph,
                                                 Values inputs) {
  GraphImporter body(node.importer);
  if (size_t(graph.input_size()) != inputs.size())
    node.fail("has a graph of " + std::to_string(graph.input_size()) + " inputs; needed " +
              std::to_string(inputs.size()));
  body.addInitializers(graph, false);
  for (size_t i = 0; i < inputs.size(); ++i)
    body.define(graph.input(int(i)).name(), std::move(inputs[i]));
  body.addNodes(graph.node());
  Values outputs;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    ModelValue *value = body.lookUp(output.name());
    if (!value)
      node.fail("has a graph with an output '" + output.name() + "' that nothing computes");
    if (value->narrowBits)
      node.notImplemented("a graph with an output '" + output.name() + "' of " +
                          std::to_string(value->narrowBits) + " bits an element");
    outputs.push_back(*value);
  }
  return outputs;
}

namespace {

// The tensors of some outputs of a branch, one behind the other, and of each output that is a
// sequence how many it has.
struct BranchOutputs {
  BranchOutputs(ModelNode &node, const onnx::GraphProto &graph) {
    Values outputs = outputsOf(node, graph, {});
    if (outputs.size() < node.outputCount())
      node.fail("has a branch of " + std::to_string(outputs.size()) + " outputs");
    for (size_t i = 0; i < node.outputCount(); ++i) {
      std::vector<ModelValue> *elements = outputs[i].sequence();
      lengths.push_back(elements ? std::optional(elements->size()) : std::nullopt);
      if (!elements)
        tensors.emplace_back(outputs[i].tensor(node.place));
      else
        for (ModelValue &element : *elements)
          tensors.emplace_back(element.tensor(node.place));
    }
  }

  std::vector<Operand> tensors;
  std::vector<std::optional<size_t>> lengths;
};

Values conditional(ModelNode &node) {
  const onnx::GraphProto &yes = node.graph("then_branch"), &no = node.graph("else_branch");
  if (const Array *known = node.computedConstant(0))
    return outputsOf(node, known->item<bool>(0) ? yes : no, {});
  const Tensor condition = scalarOf(node.input(0), node.place);
  std::vector<std::optional<size_t>> lengths;
  Call call("load_onnx", node.place);
  const std::vector<Tensor> chosen = choose(
      call, call.cast(call.value(condition), DType::Bool),
      [&] {
        BranchOutputs outputs(node, yes);
        lengths = std::move(outputs.lengths);
        return std::move(outputs.tensors);
      },
      [&] {
        BranchOutputs outputs(node, no);
        for (auto [i, length] : llvm::enumerate(outputs.lengths))
          if (length.has_value() != lengths[i].has_value())
            node.notImplemented("branches of which one gives a sequence");
          else if (length != lengths[i])
            node.notImplemented("branches that give sequences of different lengths");
        return std::move(outputs.tensors);
      });
  Values values;
  auto next = chosen.begin();
  for (const std::optional<size_t> &length : lengths) {
    const auto end = next + ptrdiff_t(length.value_or(1));
    Values elements(next, end);
    values.push_back(length ? ModelValue::sequenceOf(std::move(elements))
                            : std::move(elements.front()));
    next = end;
  }
  return values;
}

// Whether the graph's output is its input, which is true whenever it runs, or a constant that is.
bool staysTrue(const onnx::GraphProto &graph, const std::string &input) {
  std::string name = graph.output(0).name();
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    const onnx::NodeProto &node = graph.node(i);
    if (node.output_size() != 1 || node.output(0) != name)
      continue;
    if ((node.op_type() == "Identity" || node.op_type() == "Cast") && node.input_size() == 1) {
      name = node.input(0);
      continue;
    }
    if (node.op_type() != "Constant" || node.attribute_size() != 1)
      return false;
    const onnx::TensorProto &value = node.attribute(0).t();
    return value.data_type() == onnx::TensorProto::BOOL &&
           (value.raw_data().size() == 1
                ? value.raw_data()[0] != 0
                : value.int32_data_size() == 1 && value.int32_data(0) != 0);
  }
  return name == input;
}

// The same as tensors.
std::vector<Tensor> tensorsOfBody(ModelNode &node, const onnx::GraphProto &graph,
                                  const std::vector<Tensor> &inputs) {
  std::vector<Tensor> outputs;
  for (ModelValue &value : outputsOf(node, graph, Values(inputs.begin(), inputs.end())))
    outputs.push_back(value.tensor(node.place));
  return outputs;
}

// A step of a loop: its number, and the values in it of states and elements, to the next states
// and what is stacked.
using Step = std::function<std::vector<Tensor>(const Tensor &, const std::vector<Tensor> &)>;

// The last states of so many steps, and what they stack. Sequences have an element for each.
Values countedLoop(ModelNode &node, Call &call, const DimExpr &steps,
                   const std::vector<Tensor> &first, const std::vector<Tensor> &sequences,
                   const std::string &stateName, const Step &step) {
  Loop loop(call, "the body of " + node.type(), steps, false);
  std::vector<Tensor> inputs;
  for (const Tensor &value : first)
    inputs.push_back(tensorOf(loop.addState(call.value(value).getType())));
  for (const Tensor &sequence : sequences)
    inputs.push_back(tensorOf(
        loop.addElement(call.withSize(call.value(sequence), 0, steps, "the numbers of steps"))));
  const Tensor number = tensorOf(loop.stepNumber());
  const std::vector<Tensor> made = call.runUserCode([&] { return step(number, inputs); });
  std::vector<Value> firstStates, nextStates, stacked;
  for (size_t i = 0; i < first.size(); ++i) {
    firstStates.push_back(call.value(first[i]));
    nextStates.push_back(nextState(call, call.value(made[i]), valueOf(inputs[i]),
                                   stateName + " " + std::to_string(i)));
  }
  for (size_t i = first.size(); i < made.size(); ++i)
    stacked.push_back(call.value(made[i]));
  loop.end();
  const Loop::Results results = loop.finish(firstStates, nextStates, stacked);
  Values values;
  for (Value last : results.lastStates)
    values.emplace_back(call.tensor(last));
  for (Value stack : results.stacks)
    values.emplace_back(call.tensor(stack));
  return values;
}

// A Loop: (trip count, condition, states) to (states, what is stacked); the graph: (number,
// condition, states) to (condition, states, what is stacked).
struct LoopNode {
  explicit LoopNode(ModelNode &node);

  // As many steps as there are known to be, or for sequences, whose lengths differ from step to
  // step: one behind the other.
  Values unrolled() const;
  // In a loop of so many steps, and in one that ends by its condition.
  Values counted() const;
  Values conditional() const;

  std::vector<Tensor> run(const Tensor &number, const Tensor &goesOn,
                          const std::vector<Tensor> &vars) const;
  std::vector<Tensor> firstTensors() const;

  ModelNode &node;
  const onnx::GraphProto &graph;
  const SourceLocation at;
  const size_t states;
  std::optional<int64_t> steps; // where they are known
  bool begins, isAlwaysTrue, hasSequences = false;
};

LoopNode::LoopNode(ModelNode &node)
    : node(node), graph(node.graph("body")), at(node.place),
      states(node.inputCount() < 2 ? 0 : node.inputCount() - 2) {
  if (size_t(graph.input_size()) != states + 2 || size_t(graph.output_size()) < states + 1)
    node.fail("has a body whose inputs and outputs are not those of the loop");
  const Array *count = node.computedConstant(0), *condition = node.computedConstant(1);
  if (count)
    steps = std::max<int64_t>(0, count->item<int64_t>(0));
  if (condition && !condition->item<bool>(0))
    steps = 0;
  begins = !node.has(1) || condition;
  isAlwaysTrue = staysTrue(graph, graph.input(1).name());
  for (size_t i = 0; i < states; ++i)
    hasSequences = hasSequences || !node.value(i + 2).isTensor();
}

constexpr int64_t kMostUnrolled = 1024;

Values LoopNode::unrolled() const {
  if (!begins || (node.has(0) && !steps))
    node.notImplemented("a loop over sequences whose number of steps only a call knows");
  Values values;
  for (size_t i = 0; i < states; ++i)
    values.push_back(node.value(i + 2));
  std::vector<std::vector<Operand>> stacked(size_t(graph.output_size()) - states - 1);
  bool goesOn = true;
  for (int64_t step = 0; goesOn && (!steps || step < *steps); ++step) {
    if (step == kMostUnrolled)
      node.notImplemented("a loop over sequences of more than " + std::to_string(kMostUnrolled) +
                          " steps");
    Values inputs = one(Array(step));
    inputs.emplace_back(Array(true));
    inputs.insert(inputs.end(), values.begin(), values.end());
    Values outputs = outputsOf(node, graph, std::move(inputs));
    if (!isAlwaysTrue) {
      const Array *condition = outputs.front().computedConstant();
      if (!condition)
        node.notImplemented("a loop over sequences whose condition only a call knows");
      goesOn = condition->item<bool>(0);
    }
    values.assign(outputs.begin() + 1, outputs.begin() + 1 + int64_t(states));
    for (size_t i = 0; i < stacked.size(); ++i)
      stacked[i].push_back(outputs[1 + states + i].tensor(at));
  }
  for (const std::vector<Operand> &elements : stacked) {
    if (elements.empty())
      node.notImplemented("a loop over sequences that stacks what no step gives");
    values.emplace_back(K::stack(elements, 0, at));
  }
  return values;
}

std::vector<Tensor> LoopNode::run(const Tensor &number, const Tensor &goesOn,
                                  const std::vector<Tensor> &vars) const {
  std::vector<Tensor> inputs{number, goesOn};
  inputs.insert(inputs.end(), vars.begin(), vars.end());
  return tensorsOfBody(node, graph, inputs);
}

std::vector<Tensor> LoopNode::firstTensors() const {
  std::vector<Tensor> first;
  for (size_t i = 0; i < states; ++i)
    first.push_back(node.input(i + 2));
  return first;
}

constexpr const char *kStateName = "loop variable";

Values LoopNode::counted() const {
  const std::vector<Tensor> first = firstTensors();
  const Tensor trips = steps ? Tensor() : scalarOf(node.input(0), at);
  Call call("load_onnx", at);
  const DimExpr count = steps ? DimExpr(*steps) : call.size(call.value(trips), "the trip count");
  const Tensor yes = call.tensor(call.literal(Array(true)));
  return countedLoop(node, call, count, first, {}, kStateName,
                     [&](const Tensor &number, const std::vector<Tensor> &vars) {
                       std::vector<Tensor> made = run(number, yes, vars);
                       made.erase(made.begin()); // the condition
                       return made;
                     });
}

// States: whether it goes on, the number of the step, those of the loop.
Values LoopNode::conditional() const {
  const std::vector<Tensor> first = firstTensors();
  Call call("load_onnx", at);
  const Tensor zero = call.tensor(call.literal(Array(int64_t(0))));
  const Tensor goesOn =
      node.has(1) ? scalarOf(node.input(1), at) : call.tensor(call.literal(Array(true)));
  auto within = [&](const Tensor &number, const Tensor &condition) {
    if (!node.has(0))
      return condition;
    const Tensor inTime = K::less(number, scalarOf(node.input(0), at), at);
    Call inner("load_onnx", at);
    return inner.tensor(inner.g.and_(inner.value(inTime), inner.value(condition)));
  };
  std::vector<Value> firstStates{call.value(within(zero, goesOn)), call.value(zero)};
  for (const Tensor &value : first)
    firstStates.push_back(call.value(value));
  Loop whileTrue(call, "the body of Loop");
  whileTrue.addState(firstStates[0].getType());
  const Tensor number = tensorOf(whileTrue.addState(firstStates[1].getType()));
  std::vector<Tensor> vars;
  for (const Tensor &value : first)
    vars.push_back(tensorOf(whileTrue.addState(call.value(value).getType())));
  Tensor goesOnNext, next;
  std::vector<Tensor> made = call.runUserCode([&] {
    Tensor yes;
    {
      Call inner("load_onnx", at);
      yes = inner.tensor(inner.literal(Array(true)));
    }
    std::vector<Tensor> outputs = run(number, yes, vars);
    next = number + Operand(int64_t(1), at);
    goesOnNext = within(next, scalarOf(outputs[0], at));
    return outputs;
  });
  std::vector<Value> nextStates{call.value(goesOnNext), call.value(next)}, stacked;
  for (size_t i = 0; i < states; ++i)
    nextStates.push_back(nextState(call, call.value(made[i + 1]), valueOf(vars[i]),
                                   kStateName + (" " + std::to_string(i))));
  for (size_t i = states + 1; i < made.size(); ++i)
    stacked.push_back(call.value(made[i]));
  // What is stacked has room for all steps that there can be.
  std::optional<DimExpr> most;
  constexpr int64_t mostRoom = 1 << 24;
  if (!stacked.empty() && node.has(0))
    most = steps ? DimExpr(*steps) : call.sizeFromShapes(call.value(scalarOf(node.input(0), at)));
  if (most && most->isConstant() && most->constantValue() > mostRoom)
    most.reset();
  whileTrue.end();
  const Loop::Results results = whileTrue.finishWhile(firstStates, nextStates, stacked, most);
  Values values;
  for (size_t i = 2; i < results.lastStates.size(); ++i)
    values.emplace_back(call.tensor(results.lastStates[i]));
  for (Value stack : results.stacks)
    values.emplace_back(call.tensor(stack));
  return values;
}

Values loop(ModelNode &node) {
  const LoopNode loop(node);
  if (loop.hasSequences)
    return loop.unrolled();
  if (!node.has(0) || !loop.begins || !(loop.isAlwaysTrue || loop.steps == 0))
    return loop.conditional();
  if (!loop.steps || *loop.steps == 0 || *loop.steps > kMostUnrolled)
    return loop.counted();
  try {
    return loop.counted();
  } catch (const NotImplementedError &) {
    // A step may need to know its number.
    return loop.unrolled();
  }
}

// That of opset 8: (lengths, states, sequences), each with a batch first and a time behind it. Each
// of the batch is scanned by itself.
Values scanEach(ModelNode &node) {
  const onnx::GraphProto &graph = node.graph("body");
  const SourceLocation at = node.place;
  const int64_t sequences = node.integer("num_scan_inputs");
  if (node.has(0))
    node.notImplemented("Scan of opset 8 with lengths of sequences");
  if (sequences < 1 || sequences >= int64_t(node.inputCount()))
    node.fail("has " + std::to_string(sequences) + " inputs to scan");
  const size_t states = node.inputCount() - 1 - size_t(sequences);
  std::vector<int64_t> directions = node.integers("directions");
  directions.resize(size_t(sequences), 0);
  std::vector<Tensor> batch;
  for (size_t i = 1; i < node.inputCount(); ++i) {
    const Tensor x = node.input(i);
    const bool isSequence = i > states;
    if (x.ndim() < (isSequence ? 2 : 1))
      node.fail("has an input " + std::to_string(i) + " of rank " + std::to_string(x.ndim()) +
                "; needed a batch, and a time to scan");
    batch.push_back(isSequence && directions[i - 1 - states] ? K::reverse(x, 1, at) : x);
  }
  Call call("load_onnx", at);
  const DimExpr count = ir::getShape(call.value(batch.front())).front();
  return countedLoop(
      node, call, count, {}, batch, "", [&](const Tensor &, const std::vector<Tensor> &inputs) {
        const std::vector<Tensor> first(inputs.begin(), inputs.begin() + int64_t(states)),
            elements(inputs.begin() + int64_t(states), inputs.end());
        Call inner("load_onnx", at);
        const DimExpr steps = ir::getShape(inner.value(elements.front())).front();
        Values values = countedLoop(node, inner, steps, first, elements, "state",
                                    [&](const Tensor &, const std::vector<Tensor> &each) {
                                      return tensorsOfBody(node, graph, each);
                                    });
        std::vector<Tensor> made;
        for (ModelValue &value : values)
          made.push_back(value.tensor(at));
        return made;
      });
}

// (states, sequences) to (states, what is stacked), along an axis of each.
Values scan(ModelNode &node) {
  if (node.opset < 9)
    return scanEach(node);
  const onnx::GraphProto &graph = node.graph("body");
  const SourceLocation at = node.place;
  const int64_t sequences = node.integer("num_scan_inputs");
  if (sequences < 1 || sequences > int64_t(node.inputCount()))
    node.fail("has " + std::to_string(sequences) + " inputs to scan");
  const size_t states = node.inputCount() - size_t(sequences);
  if (size_t(graph.output_size()) < states)
    node.fail("has a body whose outputs are not those of the scan");
  const size_t stacked = size_t(graph.output_size()) - states;
  auto numbers = [&](const char *name, size_t count) {
    std::vector<int64_t> all = node.integers(name);
    if (all.empty())
      all.assign(count, 0);
    if (all.size() != count)
      node.fail("has " + std::to_string(all.size()) + " " + name + "; needed " +
                std::to_string(count));
    return all;
  };
  const auto axes = numbers("scan_input_axes", size_t(sequences)),
             directions = numbers("scan_input_directions", size_t(sequences)),
             outputAxes = numbers("scan_output_axes", stacked),
             outputDirections = numbers("scan_output_directions", stacked);
  auto moved = [&](const Tensor &x, int64_t from, int64_t to) {
    std::vector<int64_t> order;
    for (int64_t i = 0; i < x.ndim(); ++i)
      if (i != from)
        order.push_back(i);
    order.insert(order.begin() + to, from);
    return from == to ? x : K::permute_dimensions(x, order, at);
  };
  std::vector<Tensor> first, elements;
  for (size_t i = 0; i < states; ++i)
    first.push_back(node.input(i));
  for (size_t i = 0; i < size_t(sequences); ++i) {
    const Tensor x = node.input(states + i);
    Tensor sequence = moved(x, node.axis(axes[i], x.ndim()), 0);
    elements.push_back(directions[i] ? K::reverse(sequence, 0, at) : sequence);
  }
  Values values;
  {
    Call call("load_onnx", at);
    const DimExpr steps = ir::getShape(call.value(elements.front())).front();
    values = countedLoop(node, call, steps, first, elements, "state",
                         [&](const Tensor &, const std::vector<Tensor> &inputs) {
                           return tensorsOfBody(node, graph, inputs);
                         });
  }
  for (size_t i = 0; i < stacked; ++i) {
    ModelValue &stack = values[states + i];
    const Tensor rows = stack.tensor(at);
    const Tensor turned = outputDirections[i] ? K::reverse(rows, 0, at) : rows;
    stack = ModelValue(moved(turned, 0, node.axis(outputAxes[i], turned.ndim())));
  }
  return values;
}

const OpRecord controlRecords[] = {{"If", conditional}, {"Loop", loop}, {"Scan", scan}};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::controlOps() { return controlRecords; }
