// Layers that go through time step by step.
#ifndef KERATIN_LAYERS_RECURRENCE_H
#define KERATIN_LAYERS_RECURRENCE_H

#include "keratin/layers/layer.h"

namespace keratin::layers {

struct RecurrentOptions {
  Activation activation = "tanh";
  Activation recurrent_activation = "sigmoid";
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "glorot_uniform"; // not orthogonal, as in Keras
  // Of LSTM: forget gates begin with a bias of 1 (Jozefowicz et al., ICML 2015).
  bool unit_forget_bias = true;
  // Give the outputs of all steps (batch, time, units), not the last alone.
  bool return_sequences = false;
  // From the last step to the first, and outputs in that order.
  bool go_backwards = false;
  std::optional<int64_t> seed = None;
  std::string name = "";
};

// What one call takes beside x, (batch, time, inputs).
struct RecurrentCall {
  Operand mask = None;           // (batch, time): where it is 0 a step leaves the state as it is
  TensorList initial_state = {}; // (batch, units) each; zeros without
};

// What K::rnn returns: the last output, the outputs of all steps, the last states.
struct RecurrentResult {
  Tensor last, all;
  std::vector<Tensor> states;
};

class Recurrent : public Layer {
public:
  virtual ~Recurrent() = default;

  // What return_sequences asks for.
  Tensor operator()(const Tensor &x, const RecurrentCall &call = {},
                    SourceLocation location = SourceLocation::current()) const;
  RecurrentResult run(const Tensor &x, const RecurrentCall &call = {},
                      SourceLocation location = SourceLocation::current()) const;

protected:
  Recurrent(const char *kind, size_t states, int64_t inputs, int64_t units,
            const RecurrentOptions &options, SourceLocation location);

  void addProducts(int64_t gates, SourceLocation location);
  // Part i of z, which has one of `units` for each gate.
  Tensor gate(const Tensor &z, int64_t i) const;
  virtual RnnStepResult step(const Tensor &x, const std::vector<Tensor> &states) const = 0;

  RecurrentOptions options;
  size_t stateCount;
  int64_t inputs, units;
  Tensor kernel, recurrent;
};

// Long short-term memory (Hochreiter and Schmidhuber, Neural Computation 9, 1997; forget gates:
// Gers et al., 2000). Gates, in the order of the variables: i = s(z0), f = s(z1), g = t(z2),
// o = s(z3) with z = x kernel + h recurrent_kernel + bias; c' = f c + i g; h' = o t(c'). States: h,
// c.
class LSTM : public Recurrent {
public:
  LSTM(int64_t inputs, int64_t units, const RecurrentOptions &options = {},
       SourceLocation location = SourceLocation::current());

protected:
  RnnStepResult step(const Tensor &x, const std::vector<Tensor> &states) const override;

private:
  Tensor bias;
};

// Gated recurrent unit (Cho et al., EMNLP 2014), its reset gate behind the product, as cuDNN,
// PyTorch and Keras with reset_after have it. With a = x kernel + bias and b = h recurrent_kernel +
// recurrent_bias: z = s(a0 + b0), r = s(a1 + b1), n = t(a2 + r b2); h' = z h + (1 - z) n. State: h.
class GRU : public Recurrent {
public:
  GRU(int64_t inputs, int64_t units, const RecurrentOptions &options = {},
      SourceLocation location = SourceLocation::current());

protected:
  RnnStepResult step(const Tensor &x, const std::vector<Tensor> &states) const override;

private:
  Tensor bias, recurrentBias;
};

} // namespace keratin::layers

#endif // KERATIN_LAYERS_RECURRENCE_H
