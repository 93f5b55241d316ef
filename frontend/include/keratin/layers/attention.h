// Layers: attention.
#ifndef KERATIN_LAYERS_ATTENTION_H
#define KERATIN_LAYERS_ATTENTION_H

#include "keratin/layers/dense.h"

namespace keratin::layers {

struct MultiHeadAttentionOptions {
  int64_t key_dim = 0; // of a head; 0: width / heads
  double dropout = 0;  // of the weights, for training
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  std::optional<int64_t> seed = None;
  std::string name = "";
};

// What one call takes beside the queries.
struct AttentionCall {
  std::optional<Tensor> value = None; // None: the queries
  std::optional<Tensor> key = None;   // None: the values
  // Where it is 0 a query does not look: (batch, values), or (batch, queries, values).
  Operand mask = None;
  // Query i looks at the values 0 to i only.
  bool causal = false;
  Operand training = None;
};

// softmax(q k^T / sqrt(key_dim)) v in each head, the heads side by side, and a product (Vaswani et
// al., Attention is all you need, NeurIPS 2017). Queries are (batch, time, width), as is the
// result. A query that may look nowhere looks everywhere. Parts: query, key, value, output, each a
// Dense.
class MultiHeadAttention : public Layer {
public:
  MultiHeadAttention(int64_t width, int64_t heads, const MultiHeadAttentionOptions &options = {},
                     SourceLocation location = SourceLocation::current());
  Tensor operator()(const Tensor &query, const AttentionCall &call = {},
                    SourceLocation location = SourceLocation::current()) const;

private:
  int64_t width, heads, size;
  MultiHeadAttentionOptions options;
  std::vector<Dense> products; // query, key, value, output
};

} // namespace keratin::layers

#endif // KERATIN_LAYERS_ATTENTION_H
