// Dense and Embedding.
#include "keratin/layers/dense.h"

using namespace keratin;
using namespace keratin::layers;
namespace K = keratin::backend;

Dense::Dense(int64_t inputs, int64_t units, const DenseOptions &options, SourceLocation location)
    : Layer("Dense", options.name), inputs(inputs), activation(options.activation) {
  checkSize("inputs", inputs, location);
  checkSize("units", units, location);
  kernel = add("kernel", {inputs, units}, options.kernel_initializer,
               {.inputs = inputs, .outputs = units, .seed = options.seed}, location);
  if (options.use_bias)
    bias = add("bias", {units}, options.bias_initializer, {}, location);
}

Tensor Dense::operator()(const Tensor &x, SourceLocation location) const {
  checkRank("x", x, 2, /*isExact=*/false, location);
  checkAxis("x", x, -1, inputs, location);
  const K::name_scope inside(scope());
  Tensor y = K::dot(x, kernel, location);
  if (!bias.isEmpty())
    y = K::bias_add(y, bias, "channels_last", location);
  return activation(y, location);
}

Embedding::Embedding(int64_t count, int64_t width, const EmbeddingOptions &options,
                     SourceLocation location)
    : Layer("Embedding", options.name) {
  checkSize("count", count, location);
  checkSize("width", width, location);
  embeddings = add("embeddings", {count, width}, options.embeddings_initializer,
                   {.inputs = count, .outputs = width, .seed = options.seed}, location);
}

Tensor Embedding::operator()(const Tensor &x, SourceLocation location) const {
  checkRank("x", x, 0, /*isExact=*/false, location);
  if (!isInteger(x.dtype()))
    valueError(std::string("x has dtype ") + dtypeName(x.dtype()) + "; needed integers", location);
  const K::name_scope inside(scope());
  return K::gather(embeddings, x, location);
}
