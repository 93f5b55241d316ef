// Layers: convolutions.
#ifndef KERATIN_LAYERS_CONVOLUTIONS_H
#define KERATIN_LAYERS_CONVOLUTIONS_H

#include "keratin/layers/layer.h"

namespace keratin::layers {

// Sizes, strides and dilations: one number for all spatial axes, or one each.
struct ConvOptions {
  Shape strides = 1;
  std::string padding = "valid";
  DataFormat data_format = None;
  Shape dilation_rate = 1;
  Activation activation = None;
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  std::optional<int64_t> seed = None;
  std::string name = "";
};

// What all of them are: activation(convolution of x, + bias).
class ConvBase : public Layer {
public:
  virtual ~ConvBase() = default;

  Tensor operator()(const Tensor &x, SourceLocation location = SourceLocation::current()) const;

protected:
  ConvBase(const char *kind, size_t axes, int64_t inputs, const ConvOptions &options,
           SourceLocation location);

  // The kernel's size along each axis.
  std::vector<int64_t> window(const Shape &kernelSize, SourceLocation location) const;
  void addBias(int64_t filters, SourceLocation location);
  virtual Tensor convolve(const Tensor &x, SourceLocation location) const = 0;

  size_t axes;
  int64_t inputs;
  ConvOptions options;
  Tensor bias;
};

// As K::conv1d, conv2d and conv3d have it. Variables: kernel (sizes…, inputs, filters), bias.
class Conv : public ConvBase {
protected:
  Conv(const char *kind, size_t axes, int64_t inputs, int64_t filters, const Shape &kernel_size,
       const ConvOptions &options, SourceLocation location);
  Tensor convolve(const Tensor &x, SourceLocation location) const override;

private:
  Tensor kernel;
};

class Conv1D : public Conv {
public:
  Conv1D(int64_t inputs, int64_t filters, const Shape &kernel_size, const ConvOptions &options = {},
         SourceLocation location = SourceLocation::current());
};
class Conv2D : public Conv {
public:
  Conv2D(int64_t inputs, int64_t filters, const Shape &kernel_size, const ConvOptions &options = {},
         SourceLocation location = SourceLocation::current());
};
class Conv3D : public Conv {
public:
  Conv3D(int64_t inputs, int64_t filters, const Shape &kernel_size, const ConvOptions &options = {},
         SourceLocation location = SourceLocation::current());
};

// Each channel by itself (K::depthwise_conv2d), with `multiplier` kernels a channel. Variables:
// kernel (rows, columns, inputs, multiplier), bias.
class DepthwiseConv2D : public ConvBase {
public:
  DepthwiseConv2D(int64_t inputs, int64_t multiplier, const Shape &kernel_size,
                  const ConvOptions &options = {},
                  SourceLocation location = SourceLocation::current());

protected:
  Tensor convolve(const Tensor &x, SourceLocation location) const override;

private:
  Tensor kernel;
};

// That, with one kernel a channel, then a product at each place (Chollet, Xception, CVPR 2017).
// Variables: depthwise_kernel, pointwise_kernel, bias.
class SeparableConv2D : public ConvBase {
public:
  SeparableConv2D(int64_t inputs, int64_t filters, const Shape &kernel_size,
                  const ConvOptions &options = {},
                  SourceLocation location = SourceLocation::current());

protected:
  Tensor convolve(const Tensor &x, SourceLocation location) const override;

private:
  Tensor depthwiseKernel, pointwiseKernel;
};

} // namespace keratin::layers

#endif // KERATIN_LAYERS_CONVOLUTIONS_H
