// Layers: products, and the rows of tables.
#ifndef KERATIN_LAYERS_DENSE_H
#define KERATIN_LAYERS_DENSE_H

#include "keratin/layers/layer.h"

namespace keratin::layers {

struct DenseOptions {
  Activation activation = None;
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  std::optional<int64_t> seed = None;
  std::string name = "";
};

// activation(x kernel + bias) over the last axis of x, whatever stands before it. Variables: kernel
// (inputs, units), bias.
class Dense : public Layer {
public:
  Dense(int64_t inputs, int64_t units, const DenseOptions &options = {},
        SourceLocation location = SourceLocation::current());
  Tensor operator()(const Tensor &x, SourceLocation location = SourceLocation::current()) const;

private:
  int64_t inputs;
  Activation activation;
  Tensor kernel, bias;
};

struct EmbeddingOptions {
  Initializer embeddings_initializer = "uniform";
  std::optional<int64_t> seed = None;
  std::string name = "";
};

// The rows of a table that integers name: x of shape (…) gives (…, width). Variable: embeddings
// (count, width).
class Embedding : public Layer {
public:
  Embedding(int64_t count, int64_t width, const EmbeddingOptions &options = {},
            SourceLocation location = SourceLocation::current());
  Tensor operator()(const Tensor &x, SourceLocation location = SourceLocation::current()) const;

private:
  Tensor embeddings;
};

} // namespace keratin::layers

#endif // KERATIN_LAYERS_DENSE_H
