// MultiHeadAttention.
#include "keratin/layers/attention.h"

#include <cmath>

using namespace keratin;
using namespace keratin::layers;
namespace K = keratin::backend;

MultiHeadAttention::MultiHeadAttention(int64_t width, int64_t heads,
                                       const MultiHeadAttentionOptions &options,
                                       SourceLocation location)
    : Layer("MultiHeadAttention", options.name), width(width), heads(heads), size(options.key_dim),
      options(options) {
  checkSize("width", width, location);
  checkSize("heads", heads, location);
  if (size == 0) {
    if (width % heads != 0)
      valueError("width is " + std::to_string(width) + "; needed a multiple of heads, " +
                     std::to_string(heads) + ", or key_dim",
                 location);
    size = width / heads;
  }
  checkSize("key_dim", size, location);
  if (!(options.dropout >= 0 && options.dropout < 1))
    valueError("dropout is " + std::to_string(options.dropout) + "; needed at least 0 and below 1",
               location);
  const K::name_scope inside(scope());
  std::optional<int64_t> seed = options.seed;
  for (const char *name : {"query", "key", "value", "output"}) {
    const bool isLast = products.size() == 3;
    products.push_back(add(Dense(isLast ? heads * size : width, isLast ? width : heads * size,
                                 {.use_bias = options.use_bias,
                                  .kernel_initializer = options.kernel_initializer,
                                  .seed = seed,
                                  .name = name},
                                 location)));
    if (seed)
      ++*seed;
  }
}

// (batch, time, heads * size) to (batch * heads, time, size).
static Tensor split(const Tensor &x, int64_t heads, int64_t size, SourceLocation at) {
  Tensor time = K::shape(x, at)[1];
  Tensor parts = K::reshape(x, {-1, time, heads, size}, at);
  return K::reshape(K::permute_dimensions(parts, {0, 2, 1, 3}, at), {-1, time, size}, at);
}

// What is added to scores of shape (batch, heads, queries, values): 0, or so much less that
// nothing is left of the weight.
static Tensor penalty(const Tensor &mask, DType dtype) {
  return (K::cast(mask, dtype) - 1.0) * (dtype == DType::Float16 ? 6e4 : 1e9);
}

Tensor MultiHeadAttention::operator()(const Tensor &query, const AttentionCall &call,
                                      SourceLocation location) const {
  const Tensor value = call.value.value_or(query), key = call.key.value_or(value);
  for (const auto &[argument, x] :
       {std::pair<const char *, const Tensor &>{"query", query}, {"value", value}, {"key", key}}) {
    checkRank(argument, x, 3, /*isExact=*/true, location);
    checkAxis(argument, x, -1, width, location);
  }
  const K::name_scope inside(scope());
  const Tensor queries = split(products[0](query, location), heads, size, location);
  const Tensor keys = split(products[1](key, location), heads, size, location);
  const Tensor values = split(products[2](value, location), heads, size, location);
  const Tensor from = K::shape(query, location)[1], to = K::shape(value, location)[1];
  Tensor scores = K::batch_dot(queries, keys, {2, 2}, location) * (1 / std::sqrt(double(size)));
  scores = K::reshape(scores, {-1, heads, from, to}, location);
  if (!call.mask.isNone()) {
    if (!call.mask.isTensor())
      valueError("mask is no tensor", location);
    const Tensor &mask = call.mask.tensor();
    checkRank("mask", mask, 2, /*isExact=*/false, location);
    if (mask.ndim() > 3)
      checkRank("mask", mask, 3, /*isExact=*/true, location);
    Tensor places = K::expand_dims(mask, 1, location);
    if (mask.ndim() == 2)
      places = K::expand_dims(places, 1, location);
    scores = scores + penalty(places, scores.dtype());
  }
  if (call.causal) {
    Tensor row = K::expand_dims(K::arange(from, None, 1, DType::Int32, location), 1, location);
    Tensor column = K::expand_dims(K::arange(to, None, 1, DType::Int32, location), 0, location);
    scores = scores + penalty(K::greater_equal(row, column, location), scores.dtype());
  }
  Tensor weights = K::softmax(scores, -1, location);
  if (options.dropout > 0)
    weights = K::in_train_phase(
        [&] { return K::dropout(weights, options.dropout, None, options.seed, location); }, weights,
        call.training, location);
  weights = K::reshape(weights, {-1, from, to}, location);
  Tensor heard = K::batch_dot(weights, values, {2, 1}, location);
  heard = K::reshape(heard, {-1, heads, from, size}, location);
  heard = K::permute_dimensions(heard, {0, 2, 1, 3}, location);
  return products[3](K::reshape(heard, {-1, from, heads * size}, location), location);
}
