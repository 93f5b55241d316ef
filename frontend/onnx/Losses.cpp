// Losses of ONNX.
#include "frontend/backend/Reductions.h"
#include "frontend/onnx/ModelNode.h"

#include <numeric>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

namespace {

// Of log probabilities (N, C, …) and class numbers (N, …).
Value negativeLogLikelihood(ModelNode &node, Call &call, Value logs, Value classes,
                            const Tensor *weights) {
  auto &g = call.g;
  const ir::Shape shape = ir::getShape(logs);
  if (shape.size() < 2 || int64_t(shape.size()) != call.rank(classes) + 1)
    node.fail("has inputs of rank " + std::to_string(shape.size()) + " and " +
              std::to_string(call.rank(classes)));
  std::vector<int64_t> others{0};
  for (size_t i = 2; i < shape.size(); ++i)
    others.push_back(int64_t(i));
  classes = call.cast(classes, DType::Int64);
  ir::Shape places = shape;
  places.erase(places.begin() + 1);
  classes = call.requireShape(classes, places, "the scores and the classes");
  const Value numbers = g.iota(ir::getTensorType(shape, call.builder.getI64Type()), 1);
  const Value isClass = g.equal(numbers, g.broadcast(classes, shape, others));
  const Value none = call.like(logs, 0);
  Value picked = g.neg(g.reduceSum(g.select(isClass, logs, none), {1}));
  // The weight of each place.
  Value weight = call.like(picked, 1);
  if (weights) {
    const Value each = call.requireShape(call.cast(call.value(*weights), call.dtypeOf(logs)),
                                         {shape[1]}, "the scores and the weights of classes");
    weight = g.reduceSum(g.select(isClass, g.broadcast(each, shape, {1}), none), {1});
  }
  if (node.hasAttribute("ignore_index")) {
    const Value ignored = g.equal(
        classes,
        g.broadcastScalar(g.integerScalar(node.integer("ignore_index"), call.builder.getI64Type()),
                          places));
    weight = g.select(ignored, call.like(weight, 0), weight);
    picked = g.select(ignored, call.like(picked, 0), picked);
  }
  const std::string reduction = node.text("reduction", "mean");
  const Value losses = g.mul(picked, weight);
  if (reduction == "none")
    return losses;
  std::vector<int64_t> all(places.size());
  std::iota(all.begin(), all.end(), 0);
  const Value sum = g.reduceSum(losses, all);
  if (reduction == "sum")
    return sum;
  if (reduction != "mean")
    node.fail("has reduction '" + reduction + "'; needed none, sum or mean");
  return g.div(sum, g.reduceSum(weight, all));
}

Values negativeLogLikelihoodLoss(ModelNode &node) {
  Call call("load_onnx", node.place);
  std::optional<Tensor> weights;
  if (node.has(2))
    weights = node.input(2);
  return one(
      call.tensor(negativeLogLikelihood(node, call, call.value(node.input(0)),
                                        call.value(node.input(1)), weights ? &*weights : nullptr)));
}

Values softmaxCrossEntropyLoss(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value scores = call.value(node.input(0));
  if (call.rank(scores) < 2)
    node.fail("has scores of rank " + std::to_string(call.rank(scores)) + "; needed 2 at least");
  const std::vector<int64_t> axes{1};
  const Value logs = call.g.sub(scores, spread(call, logSumExp(call, scores, axes), scores, axes));
  std::optional<Tensor> weights;
  if (node.has(2))
    weights = node.input(2);
  Values values = one(call.tensor(negativeLogLikelihood(node, call, logs, call.value(node.input(1)),
                                                        weights ? &*weights : nullptr)));
  values.emplace_back(call.tensor(logs));
  return values;
}

const OpRecord lossRecords[] = {
    {"NegativeLogLikelihoodLoss", negativeLogLikelihoodLoss},
    {"SoftmaxCrossEntropyLoss", softmaxCrossEntropyLoss},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::lossOps() { return lossRecords; }
