// Ops of ONNX that have graphs in them: If, Loop and Scan.
#include "frontend/graph/Loop.h"
#include "frontend/onnx/GraphImporter.h"
#include "keratin/elementwise.h"
#include "keratin/shapes.h"
#include "keratin/training_phase.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

// The outputs of a graph in a node, which sees the values around it, for these inputs.
std::vector<ModelValue> runBody(ModelNode &node, const onnx::GraphProto &graph,
                                const std::vector<Tensor> &inputs) {
  GraphImporter body(node.importer);
  if (size_t(graph.input_size()) != inputs.size())
    node.fail("has a graph of " + std::to_string(graph.input_size()) + " inputs; needed " +
              std::to_string(inputs.size()));
  body.addInitializers(graph, false);
  for (size_t i = 0; i < inputs.size(); ++i)
    body.define(graph.input(int(i)).name(), ModelValue(inputs[i]));
  body.addNodes(graph.node());
  std::vector<ModelValue> outputs;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    ModelValue *value = body.lookUp(output.name());
    if (!value)
      node.fail("has a graph with an output '" + output.name() + "' that nothing computes");
    outputs.push_back(*value);
  }
  return outputs;
}

Values conditional(ModelNode &node) {
  const onnx::GraphProto &yes = node.graph("then_branch"), &no = node.graph("else_branch");
  if (const Array *known = node.constant(0))
    return runBody(node, known->item<bool>(0) ? yes : no, {});
  const Tensor condition = scalarOf(node.input(0), node.place);
  Values values;
  for (size_t i = 0; i < node.outputCount(); ++i) {
    auto branch = [&](const onnx::GraphProto &graph) {
      return [&node, &graph, i] {
        std::vector<ModelValue> outputs = runBody(node, graph, {});
        if (outputs.size() <= i)
          node.fail("has a branch of " + std::to_string(outputs.size()) + " outputs");
        return outputs[i].tensor(node.place);
      };
    };
    values.emplace_back(K::switch_(condition, branch(yes), branch(no), node.place));
  }
  return values;
}

// Whether the graph's output is its input, which is true whenever it runs, or a constant that is.
bool isAlwaysTrue(const onnx::GraphProto &graph, const std::string &input) {
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
  for (ModelValue &value : runBody(node, graph, inputs))
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

// (trip count, condition, states) to (states, what is stacked); the graph: (number, condition,
// states) to (condition, states, what is stacked).
Values loop(ModelNode &node) {
  const onnx::GraphProto &graph = node.graph("body");
  const SourceLocation at = node.place;
  const size_t states = node.inputCount() < 2 ? 0 : node.inputCount() - 2;
  if (size_t(graph.input_size()) != states + 2 || size_t(graph.output_size()) < states + 1)
    node.fail("has a body whose inputs and outputs are not those of the loop");
  const size_t stacked = size_t(graph.output_size()) - states - 1;
  const Array *condition = node.constant(1);
  const bool begins = !node.has(1) || (condition && condition->item<bool>(0));
  const bool isCounted = node.has(0) && begins && isAlwaysTrue(graph, graph.input(1).name());
  std::vector<Tensor> first;
  for (size_t i = 0; i < states; ++i)
    first.push_back(node.input(i + 2));
  if (stacked && !isCounted)
    node.notImplemented("a loop that stacks outputs and ends by its condition");
  Call call("load_onnx", at);
  auto run = [&](const Tensor &number, const Tensor &goesOn, const std::vector<Tensor> &vars) {
    std::vector<Tensor> inputs{number, goesOn};
    inputs.insert(inputs.end(), vars.begin(), vars.end());
    return tensorsOfBody(node, graph, inputs);
  };
  const std::string stateName = "loop variable";
  if (isCounted) {
    const Tensor trips = scalarOf(node.input(0), at);
    const DimExpr steps = node.constant(0)
                              ? DimExpr(std::max<int64_t>(0, node.constant(0)->item<int64_t>(0)))
                              : call.size(call.value(trips), "the trip count");
    const Tensor yes = call.tensor(call.literal(Array(true)));
    return countedLoop(node, call, steps, first, {}, stateName,
                       [&](const Tensor &number, const std::vector<Tensor> &vars) {
                         std::vector<Tensor> made = run(number, yes, vars);
                         made.erase(made.begin()); // the condition
                         return made;
                       });
  }
  // States: whether it goes on, the number of the step, those of the loop.
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
  std::vector<Value> nextStates{call.value(goesOnNext), call.value(next)};
  for (size_t i = 0; i < states; ++i)
    nextStates.push_back(nextState(call, call.value(made[i + 1]), valueOf(vars[i]),
                                   stateName + " " + std::to_string(i)));
  whileTrue.end();
  const std::vector<Value> last = whileTrue.finishWhile(firstStates, nextStates, std::nullopt);
  Values values;
  for (size_t i = 2; i < last.size(); ++i)
    values.emplace_back(call.tensor(last[i]));
  return values;
}

// (states, sequences) to (states, what is stacked), along an axis of each.
Values scan(ModelNode &node) {
  const onnx::GraphProto &graph = node.graph("body");
  const SourceLocation at = node.place;
  const int64_t sequences = node.integer("num_scan_inputs");
  if (node.opset < 9)
    node.notImplemented("Scan of opset 8");
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

const OpRecord records[] = {{"If", conditional}, {"Loop", loop}, {"Scan", scan}};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::controlOps() { return records; }
