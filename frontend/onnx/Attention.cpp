// Ops of ONNX for attention.
#include "frontend/onnx/ModelNode.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

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

const OpRecord records[] = {{"RotaryEmbedding", rotaryEmbedding}};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::attentionOps() { return records; }
