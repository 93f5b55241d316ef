// K functions: label sequences out of the outputs of a network, and what is known of their length
// only then.
#include "frontend/backend/Configuration.h"
#include "frontend/graph/Call.h"
#include "frontend/values/DTypeRules.h"
#include "keratin/ctc.h"

using namespace keratin;
using namespace keratin::frontend;

namespace {

class Decoder {
public:
  explicit Decoder(Call &call) : call(call), g(call.g), i64(call.elementType(DType::Int64)) {}

  // One operand (samples,) or (samples, 1), each in [0, time].
  Value frames(const Operand &lengths, const DimExpr &samples, const DimExpr &time) {
    Value x = call.value(lengths);
    ir::Shape shape = ir::getShape(x);
    if (shape.size() != 1 && (shape.size() != 2 || shape[1] != DimExpr(1)))
      call.valueError("input_length must have shape (samples,) or (samples, 1); found " +
                      describe(x));
    x = call.cast(g.reshape(x, {shape[0]}), DType::Int64);
    x = call.requireShape(x, {samples}, "input_length and the samples of y_pred");
    return call.inRange(x, DimExpr(0), call.check(ir::add(time, DimExpr(1))),
                        "an input length is outside [0, time]");
  }

  // Numbers 0, 1, … along the axis.
  Value positions(const ir::Shape &shape, int64_t axis) {
    return g.iota(ir::getTensorType(shape, i64), axis);
  }

  // Whether an element of a row differs from the one before it; the first one does.
  Value changes(Value x) {
    ir::Shape shape = ir::getShape(x), longer = shape;
    longer[1] = call.check(ir::add(shape[1], DimExpr(1)));
    Value before = g.slice(g.pad(x, {0, 1}, {0, 0}, longer), {0, 0}, shape, {1, 1});
    Value place = positions(shape, 1);
    return g.or_(g.equal(place, g.zeroLike(place)), g.notEqual(x, before));
  }

  // The elements that are kept of each row, moved together, then -1; as many columns as the longest
  // row has. x is not negative where it is kept.
  Value compact(Value x, Value keep) {
    ir::Shape shape = ir::getShape(x);
    DimExpr stride = call.check(ir::add(shape[1], DimExpr(1)));
    DimExpr total = call.check(ir::mul(shape[0], stride));
    DimExpr elements = call.check(ir::mul(shape[0], shape[1]));
    Value kept = g.cast(keep, i64);
    // What is dropped goes behind the row.
    Value stridePerRow = g.broadcastScalar(call.scalar(stride, DType::Int64), shape);
    Value row = g.mul(positions(shape, 0), stridePerRow);
    Value end = g.sub(stridePerRow, call.like(kept, 1));
    Value place = g.add(row, g.select(keep, g.cumsum(kept, 1, /*exclusive=*/true), end));
    Value number = g.select(keep, g.add(x, call.like(x, 1)), g.zeroLike(x));
    Value placed =
        g.scatterAdd(g.reshape(place, {elements}), g.reshape(number, {elements}), {total});
    Value rows = g.slice(g.reshape(placed, {shape[0], stride}), {0, 0}, shape, {1, 1});
    return first(g.sub(rows, call.like(rows, 1)), g.reduceSum(kept, {1}));
  }

  // As many columns as the longest row has.
  Value first(Value rows, Value counts) {
    // Nothing if there are no rows.
    Value none = g.zeroLike(positions({1}, 0));
    Value longest = g.reduceMax(g.concatenate({counts, none}, 0), {0});
    return call.truncate(rows, longest, 1);
  }

  Call &call;
  ir::GraphMath &g;
  mlir::Type i64;
};

} // namespace

// The most likely class of each frame.
static std::pair<std::vector<Tensor>, Tensor> decodeGreedily(Call &call, Value scores,
                                                             Value lengths) {
  Decoder decoder(call);
  ir::GraphMath &g = call.g;
  ir::Shape shape = ir::getShape(scores), rows{shape[0], shape[1]};
  Value best = call.builder.create<ir::ArgMaxOp>(g.location(), ir::getTensorType(rows, decoder.i64),
                                                 scores, uint64_t(2));
  Value counts = g.less(decoder.positions(rows, 1), g.broadcast(lengths, rows, {0}));
  Value classes = g.count(scores, {2}, decoder.i64);
  Value blank = g.sub(g.broadcastScalar(classes, rows), call.like(best, 1));
  Value keep = g.and_(g.and_(counts, g.notEqual(best, blank)), decoder.changes(best));
  Value chosen = g.reduceMax(scores, {2});
  Value sum = g.reduceSum(g.select(counts, chosen, g.zeroLike(chosen)), {1});
  Value decoded = decoder.compact(best, keep);
  return {{call.tensor(decoded)}, call.tensor(g.reshape(g.neg(sum), {shape[0], 1}))};
}

std::pair<std::vector<Tensor>, Tensor> backend::ctc_decode(const Operand &y_pred,
                                                           const Operand &input_length, bool greedy,
                                                           int64_t beam_width, int64_t top_paths,
                                                           bool merge_repeated,
                                                           SourceLocation location) {
  Call call("ctc_decode", location);
  ir::GraphMath &g = call.g;
  Decoder decoder(call);
  // Scores of what was chosen have no derivative, as what was chosen has none.
  Value y = call.builder.create<ir::StopGradientOp>(g.location(), call.floating(y_pred));
  ir::Shape shape = ir::getShape(y);
  if (shape.size() != 3 || shape[2] == DimExpr(0))
    call.valueError("y_pred must have shape (samples, time, classes), with one class or more; "
                    "found " +
                    describe(y));
  call.requireAtLeast(shape[2], DimExpr(1), "y_pred must have one class or more");
  Value lengths = decoder.frames(input_length, shape[0], shape[1]);
  Value scores = g.log(g.add(y, call.like(y, Configuration::epsilon())));
  if (greedy)
    return decodeGreedily(call, scores, lengths);
  if (beam_width < 1 || top_paths < 1 || top_paths > beam_width)
    call.valueError("found beam_width " + std::to_string(beam_width) + " and top_paths " +
                    std::to_string(top_paths) + "; needed 1 <= top_paths <= beam_width");
  ir::Shape paths{shape[0], DimExpr(top_paths)};
  auto search = call.builder.create<ir::CtcBeamSearchOp>(
      g.location(),
      mlir::TypeRange{ir::getTensorType({shape[0], DimExpr(top_paths), shape[1]}, decoder.i64),
                      ir::getTensorType(paths, decoder.i64),
                      ir::getTensorType(paths, ir::getElementType(scores))},
      scores, lengths, uint64_t(beam_width));
  std::vector<Tensor> decoded;
  for (int64_t path = 0; path < top_paths; ++path) {
    Value labels =
        g.reshape(g.slice(search.getLabels(), {0, path, 0}, {shape[0], 1, shape[1]}, {1, 1, 1}),
                  {shape[0], shape[1]});
    Value counts =
        g.reshape(g.slice(search.getCounts(), {0, path}, {shape[0], 1}, {1, 1}), {shape[0]});
    if (merge_repeated) {
      Value given = g.greaterEqual(labels, g.zeroLike(labels));
      decoded.push_back(
          call.tensor(decoder.compact(labels, g.and_(given, decoder.changes(labels)))));
    } else {
      decoded.push_back(call.tensor(decoder.first(labels, counts)));
    }
  }
  return {decoded, call.tensor(search.getLogProbabilities())};
}

Tensor backend::ctc_create_skip_idxs(const Operand &Y, SourceLocation location) {
  Call call("ctc_create_skip_idxs", location);
  ir::GraphMath &g = call.g;
  Decoder decoder(call);
  Value y = call.value(Y);
  if (call.rank(y) != 1 || !isInteger(call.dtypeOf(y)))
    call.valueError("Y must be a vector of integers; found shape " + describe(y));
  DimExpr states = ir::getShape(y)[0];
  // Candidates 1, 3, 5, …; three more states so that boxes of none of them fit too.
  DimExpr count = call.check(ir::floordiv(call.check(ir::sub(states, DimExpr(3))), DimExpr(2)));
  count = call.check(ir::max(count, DimExpr(0)));
  y = g.pad(y, {0}, {0}, {call.check(ir::add(states, DimExpr(3)))});
  Value label = g.slice(y, {1}, {count}, {2}), next = g.slice(y, {3}, {count}, {2});
  Value candidate = decoder.positions({DimExpr(1), count}, 1);
  candidate = g.add(g.mul(candidate, call.like(candidate, 2)), call.like(candidate, 1));
  Value differs = g.reshape(g.notEqual(label, next), {1, count});
  Value found = decoder.compact(candidate, differs);
  return call.tensor(g.reshape(found, {ir::getShape(found)[1]}));
}
