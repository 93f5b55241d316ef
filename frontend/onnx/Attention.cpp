// Ops of ONNX for attention.
#include "frontend/onnx/ModelNode.h"
#include "keratin/nn.h"

#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

// Pairs of the first features of each head, turned by angles whose cosines and sines are given for
// each place of a sequence: (batch, heads, length, features), or (batch, length, heads and
// features).
Values rotaryEmbedding(ModelNode &node) {
  Call call("load_onnx", node.place);
  auto &g = call.g;
  Value x = call.value(node.input(0)), cosines = call.value(node.input(1)),
        sines = call.value(node.input(2));
  const ir::Shape given = ir::getShape(x);
  const int64_t heads = node.integer("num_heads", 0);
  if (given.size() == 3) {
    const DimExpr width = given[2];
    if (heads < 1 || !width.isConstant() || width.constantValue() % heads)
      node.fail("has num_heads " + std::to_string(heads) + " for x of shape " + describe(x));
    x = g.reshape(x, {given[0], given[1], DimExpr(heads), DimExpr(width.constantValue() / heads)});
  } else if (given.size() == 4) {
    x = g.transpose(x, {0, 2, 1, 3});
  } else {
    node.fail("has x of rank " + std::to_string(given.size()) + "; needed 3 or 4");
  }
  const ir::Shape shape = ir::getShape(x); // (batch, length, heads, features)
  if (!shape[3].isConstant())
    node.notImplemented("features whose number only a call knows");
  const int64_t features = shape[3].constantValue(),
                asked = node.integer("rotary_embedding_dim", 0);
  const int64_t turned = asked ? asked : features, half = turned / 2;
  if (turned < 0 || turned % 2 || turned > features)
    node.fail("has rotary_embedding_dim " + std::to_string(turned) + " of " +
              std::to_string(features) + " features");
  const ir::Shape angles{shape[0], shape[1], DimExpr(half)};
  // Of each place its own row of a table, or one that numbers pick.
  auto anglesOf = [&](Value table) {
    if (node.has(3)) {
      if (call.rank(table) != 2)
        node.fail("has a table of angles of rank " + std::to_string(call.rank(table)) +
                  "; needed 2");
      table = g.gather(table, call.value(node.input(3)));
    }
    table = call.requireShape(table, angles, "the angles and x");
    ir::Shape pairs = shape;
    pairs[3] = half;
    return g.broadcast(call.cast(call.required(table), call.dtypeOf(x)), pairs, {0, 1, 3});
  };
  const Value c = anglesOf(cosines), s = anglesOf(sines);
  const bool isInterleaved = node.integer("interleaved", 0);
  auto part = [&](int64_t from, int64_t count, int64_t step) {
    ir::Shape sizes = shape;
    sizes[3] = count;
    return g.slice(x, {0, 0, 0, from}, sizes, {1, 1, 1, step});
  };
  const Value a = part(0, half, isInterleaved ? 2 : 1),
              b = part(isInterleaved ? 1 : half, half, isInterleaved ? 2 : 1);
  Value real = g.sub(g.mul(c, a), g.mul(s, b)), imaginary = g.add(g.mul(s, a), g.mul(c, b));
  Value y;
  if (isInterleaved) {
    ir::Shape single = ir::getShape(real), both = shape;
    single.push_back(1);
    both[3] = turned;
    y = g.reshape(g.concatenate({g.reshape(real, single), g.reshape(imaginary, single)}, 4), both);
  } else {
    y = g.concatenate({real, imaginary}, 3);
  }
  if (turned < features)
    y = g.concatenate({y, part(turned, features - turned, 1)}, 3);
  return one(call.tensor(given.size() == 3 ? g.reshape(y, given) : g.transpose(y, {0, 2, 1, 3})));
}

//===-- Attention -----------------------------------------------------------------------------===//

// (batch, length, heads and features) as (batch, heads, length, features).
Value inHeads(ModelNode &node, Call &call, Value x, const char *attribute) {
  if (call.rank(x) == 4)
    return x;
  const ir::Shape shape = ir::getShape(x);
  const int64_t heads = node.integer(attribute, 0);
  if (shape.size() != 3)
    node.fail("has an operand of rank " + std::to_string(shape.size()) + "; needed 3 or 4");
  if (heads < 1 || !shape[2].isConstant() || shape[2].constantValue() % heads)
    node.fail("has " + std::string(attribute) + " " + std::to_string(heads) + " for shape " +
              describe(x));
  const ir::Shape split{shape[0], shape[1], DimExpr(heads),
                        DimExpr(shape[2].constantValue() / heads)};
  return call.g.transpose(call.g.reshape(x, split), {0, 2, 1, 3});
}

// Each head so many times, one behind the other.
Value repeatedHeads(Call &call, Value x, int64_t times) {
  const ir::Shape shape = ir::getShape(x);
  const DimExpr heads = call.check(ir::mul(shape[1], DimExpr(times)));
  const Value wide =
      call.g.broadcast(x, {shape[0], shape[1], DimExpr(times), shape[2], shape[3]}, {0, 1, 3, 4});
  return call.g.reshape(wide, {shape[0], heads, shape[2], shape[3]});
}

// How often heads of keys come for those of queries.
int64_t groupsOf(ModelNode &node, const DimExpr &queries, const DimExpr &keys) {
  if (queries == keys)
    return 1;
  if (!queries.isConstant() || !keys.isConstant())
    node.notImplemented("numbers of heads that only a call knows");
  if (keys.constantValue() < 1 || queries.constantValue() % keys.constantValue())
    node.fail("has " + queries.str() + " heads of queries for " + keys.str() + " of keys");
  return queries.constantValue() / keys.constantValue();
}

// softmax(q k' + mask) v, with the keys and values of before in front.
Values attention(ModelNode &node) {
  const SourceLocation at = node.place;
  if (node.has(6))
    node.notImplemented("Attention with lengths of keys");
  if (node.integer("left_window_size", -1) >= 0 || node.integer("right_window_size", -1) >= 0)
    node.notImplemented("Attention in windows");
  if (node.wants(3))
    node.notImplemented("Attention that gives its scores");
  Tensor scored, keys, values;
  bool hasMask = false, isFlat = false;
  {
    Call call("load_onnx", at);
    auto &g = call.g;
    Value q = call.value(node.input(0)), k = call.value(node.input(1)),
          v = call.value(node.input(2));
    isFlat = call.rank(q) == 3;
    q = inHeads(node, call, q, "q_num_heads");
    k = inHeads(node, call, k, "kv_num_heads");
    v = inHeads(node, call, v, "kv_num_heads");
    DimExpr before(0);
    if (node.has(4) != node.has(5))
      node.fail("has keys of before without values, or values without keys");
    if (node.has(4)) {
      const Value pastKeys = call.value(node.input(4)), pastValues = call.value(node.input(5));
      if (call.rank(pastKeys) != 4 || call.rank(pastValues) != 4)
        node.fail("has keys and values of before of rank " + std::to_string(call.rank(pastKeys)) +
                  " and " + std::to_string(call.rank(pastValues)) + "; needed 4");
      before = ir::getShape(pastKeys)[2];
      auto joined = [&](Value past, Value x) {
        for (int64_t axis : {0, 1, 3})
          past = call.withSize(past, axis, ir::getShape(x)[size_t(axis)],
                               "what was before and what follows");
        return g.concatenate({past, x}, 2);
      };
      k = joined(pastKeys, k);
      v = joined(pastValues, v);
    }
    const ir::Shape shape = ir::getShape(q);
    if (!shape[3].isConstant())
      node.notImplemented("features whose number only a call knows");
    for (Value *x : {&k, &v})
      *x = call.withSize(*x, 0, shape[0], "batches of queries, keys and values");
    k = call.withSize(k, 3, shape[3], "features of queries and keys");
    v = call.withSize(v, 1, ir::getShape(k)[1], "heads of keys and values");
    v = call.withSize(v, 2, ir::getShape(k)[2], "lengths of keys and values");
    k = call.required(k);
    keys = call.tensor(k);
    values = call.tensor(call.required(v));
    const int64_t groups = groupsOf(node, shape[1], ir::getShape(k)[1]);
    const double scale = node.number("scale", 1 / std::sqrt(double(shape[3].constantValue())));
    Value scores = g.scale(
        g.dotGeneral(q, groups > 1 ? repeatedHeads(call, k, groups) : k, {0, 1}, {0, 1}, {3}, {3}),
        scale);
    if (const double cap = node.number("softcap", 0); cap > 0)
      scores = g.scale(g.tanh(g.scale(scores, 1 / cap)), cap);
    const ir::Shape all = ir::getShape(scores);
    const Value nothing = call.like(scores, -std::numeric_limits<double>::infinity());
    hasMask = node.has(3);
    if (hasMask) {
      const Value mask = call.value(node.input(3));
      const Value wide = call.broadcastTo(mask, all);
      scores = call.dtypeOf(mask) == DType::Bool
                   ? g.select(wide, scores, nothing)
                   : g.add(scores, call.cast(wide, call.dtypeOf(scores)));
    }
    if (node.integer("is_causal", 0)) {
      const auto places = ir::getTensorType({all[2], all[3]}, call.elementType(DType::Int64));
      const Value last =
          g.add(g.iota(places, 0),
                g.broadcastScalar(call.scalar(before, DType::Int64), {all[2], all[3]}));
      const Value isSeen = g.greaterEqual(last, g.iota(places, 1));
      scores = g.select(g.broadcast(isSeen, all, {2, 3}), scores, nothing);
    }
    scored = call.tensor(scores);
  }
  const Tensor weights = K::softmax(scored, -1, at);
  Call call("load_onnx", at);
  auto &g = call.g;
  Value p = call.value(weights), v = call.value(values);
  const ir::Shape all = ir::getShape(p);
  if (hasMask) {
    // Where a query sees no key there is nothing.
    const Value most = g.reduceMax(call.value(scored), {3});
    const Value isNone = g.equal(most, call.like(most, -std::numeric_limits<double>::infinity()));
    p = g.select(g.broadcast(isNone, all, {0, 1, 2}), g.zeroLike(p), p);
  }
  const int64_t groups = groupsOf(node, all[1], ir::getShape(v)[1]);
  Value y =
      g.dotGeneral(p, groups > 1 ? repeatedHeads(call, v, groups) : v, {0, 1}, {0, 1}, {3}, {2});
  if (isFlat) {
    const ir::Shape shape = ir::getShape(y);
    y = g.reshape(g.transpose(y, {0, 2, 1, 3}),
                  {shape[0], shape[2], call.check(ir::mul(shape[1], shape[3]))});
  }
  Values results = one(call.tensor(y));
  results.emplace_back(keys);
  results.emplace_back(values);
  return results;
}

const OpRecord attentionRecords[] = {{"Attention", attention},
                                     {"RotaryEmbedding", rotaryEmbedding}};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::attentionOps() { return attentionRecords; }
