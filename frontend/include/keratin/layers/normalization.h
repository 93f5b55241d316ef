// Layers: normalisation and noise.
#ifndef KERATIN_LAYERS_NORMALIZATION_H
#define KERATIN_LAYERS_NORMALIZATION_H

#include "keratin/layers/layer.h"

namespace keratin::layers {

struct LayerNormOptions {
  double epsilon = 0.001;
  bool center = true;
  bool scale = true;
  std::string name = "";
};

// (x - mean) / sqrt(variance + epsilon) * gamma + beta, of each place by itself over the last axis
// (Ba, Kiros and Hinton, Layer normalization, 2016). Variables: gamma, beta.
class LayerNorm : public Layer {
public:
  explicit LayerNorm(int64_t size, const LayerNormOptions &options = {},
                     SourceLocation location = SourceLocation::current());
  Tensor operator()(const Tensor &x, SourceLocation location = SourceLocation::current()) const;

private:
  int64_t size;
  double epsilon;
  Tensor gamma, beta;
};

struct BatchNormOptions {
  Axis axis = -1;
  double momentum = 0.99;
  double epsilon = 0.001;
  bool center = true;
  bool scale = true;
  std::string name = "";
};

// The same of each channel (of the axis), over everything else (Ioffe and Szegedy, ICML 2015):
// for training of the batch's mean and variance, otherwise of the moving ones, which follow those
// by updates(): moving = moving * momentum + batch's * (1 - momentum). Variables: gamma, beta,
// moving_mean, moving_variance.
class BatchNorm : public Layer {
public:
  explicit BatchNorm(int64_t size, const BatchNormOptions &options = {},
                     SourceLocation location = SourceLocation::current());
  Tensor operator()(const Tensor &x, const Operand &training = None,
                    SourceLocation location = SourceLocation::current()) const;

private:
  int64_t size;
  BatchNormOptions options;
  Tensor gamma, beta, movingMean, movingVariance;
};

struct DropoutOptions {
  Shape noise_shape = None;
  std::optional<int64_t> seed = None;
  std::string name = "";
};

// For training zeros with probability rate, else x / (1 - rate); otherwise x (Srivastava et al.,
// JMLR 15, 2014).
class Dropout : public Layer {
public:
  explicit Dropout(double rate, const DropoutOptions &options = {},
                   SourceLocation location = SourceLocation::current());
  Tensor operator()(const Tensor &x, const Operand &training = None,
                    SourceLocation location = SourceLocation::current()) const;

private:
  double rate;
  DropoutOptions options;
};

} // namespace keratin::layers

#endif // KERATIN_LAYERS_NORMALIZATION_H
