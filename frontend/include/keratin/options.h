// Optional arguments by name, as Python's keywords: K::conv2d(x, kernel, {.padding = "same"}).
//
// Every K function with two optional arguments or more takes, behind those that it needs, either
// the optional ones by place or one struct of this file, whose members are Keras's keywords with
// Keras's order and defaults. What they mean stands where the function is declared.
//
// In C++20 the members are named in braces, in the order of the struct; compilers take that as an
// extension in C++17, where otherwise a struct is filled before the call. What braces without names
// could mean both ways, as in K::sum(x, {0, 1}), means the argument by place.
//
// GCC (12 at least) takes {.seed = 3} for a shape, a list or a string too, where the argument by
// place is one, and calls that ambiguous; with the name of the struct it does not:
// K::DropoutOptions{.seed = 3}.
#ifndef KERATIN_OPTIONS_H
#define KERATIN_OPTIONS_H

#include "keratin/control.h"
#include "keratin/creation.h"
#include "keratin/ctc.h"
#include "keratin/fourier.h"
#include "keratin/io.h"
#include "keratin/linear_algebra.h"
#include "keratin/nn.h"
#include "keratin/random.h"
#include "keratin/reductions.h"
#include "keratin/shapes.h"
#include "keratin/variables.h"
#include "keratin/windows.h"

namespace keratin {

namespace detail {

// The first member of a struct that braces without names must not make.
class ByName {
public:
  ByName() = default;
};

} // namespace detail

struct PlaceholderOptions {
  std::optional<int64_t> ndim = None;
  DTypeArgument dtype = None;
  bool sparse = false;
  std::string name = "";
};
struct ConstantOptions {
  DTypeArgument dtype = None;
  Shape shape = None;
  std::string name = "";
};
// zeros, ones, eye, zeros_like, ones_like.
struct CreationOptions {
  DTypeArgument dtype = None;
  std::string name = "";
};
struct ArangeOptions {
  detail::ByName byName = {};
  Operand stop = None;
  Operand step = 1;
  DTypeArgument dtype = DType::Int32;
};
struct LinspaceOptions {
  detail::ByName byName = {};
  Size num = 50;
  bool endpoint = true;
  DTypeArgument dtype = None;
};
struct VariableOptions {
  DTypeArgument dtype = None;
  std::string name = "";
  Constraint constraint = nullptr;
};
// random_normal, truncated_normal.
struct RandomNormalOptions {
  detail::ByName byName = {};
  Operand mean = 0.0;
  Operand stddev = 1.0;
  DTypeArgument dtype = None;
  std::optional<int64_t> seed = None;
};
struct RandomUniformOptions {
  detail::ByName byName = {};
  Operand minval = 0.0;
  Operand maxval = 1.0;
  DTypeArgument dtype = None;
  std::optional<int64_t> seed = None;
};
struct RandomBinomialOptions {
  detail::ByName byName = {};
  Operand p = 0.0;
  DTypeArgument dtype = None;
  std::optional<int64_t> seed = None;
};
struct RandomGammaOptions {
  detail::ByName byName = {};
  Operand beta = 1.0;
  DTypeArgument dtype = None;
  std::optional<int64_t> seed = None;
};
struct RandomBetaOptions {
  DTypeArgument dtype = None;
  std::optional<int64_t> seed = None;
};
struct RandomExponentialOptions {
  detail::ByName byName = {};
  Operand scale = 1.0;
  DTypeArgument dtype = None;
  std::optional<int64_t> seed = None;
};
struct RandomPoissonOptions {
  detail::ByName byName = {};
  Operand lam = 1.0;
  DTypeArgument dtype = None;
  std::optional<int64_t> seed = None;
};
struct RandomChoiceOptions {
  detail::ByName byName = {};
  bool replace = true;
  Operand p = None;
  std::optional<int64_t> seed = None;
};
// random_uniform_variable, random_normal_variable.
struct RandomVariableOptions {
  DTypeArgument dtype = None;
  std::string name = "";
  std::optional<int64_t> seed = None;
};
// max, min, sum, prod, mean, var, std, any, all, logsumexp; nanmax, nanmin, nansum, nanprod,
// nanmean, nanvar, nanstd.
struct ReductionOptions {
  detail::ByName byName = {};
  Axes axis = None;
  bool keepdims = false;
};
struct NormOptions {
  detail::ByName byName = {};
  NormOrder ord = None;
  Axes axis = None;
  bool keepdims = false;
};
// fft, ifft, rfft, irfft.
struct FftOptions {
  detail::ByName byName = {};
  Size n = None;
  Axis axis = -1;
  std::string norm = "backward";
};
// fft2, ifft2, rfft2, irfft2.
struct Fft2Options {
  detail::ByName byName = {};
  Shape s = None;
  Axes axes = {-2, -1};
  std::string norm = "backward";
};
// fftn, ifftn, rfftn, irfftn.
struct FftnOptions {
  detail::ByName byName = {};
  Shape s = None;
  Axes axes = None;
  std::string norm = "backward";
};
struct TriangularSolveOptions {
  detail::ByName byName = {};
  bool lower = true;
  bool transposed = false;
  bool unit_diagonal = false;
  bool check = true;
};
struct TraceOptions {
  int64_t offset = 0;
  Axis axis1 = 0;
  Axis axis2 = 1;
};
struct PadOptions {
  detail::ByName byName = {};
  std::string mode = "constant";
  Operand constant_values = 0;
};
struct ReluOptions {
  double alpha = 0.0;
  std::optional<double> max_value = None;
  double threshold = 0.0;
};
// categorical_crossentropy, sparse_categorical_crossentropy.
struct CrossentropyOptions {
  bool from_logits = false;
  Axis axis = -1;
};
struct DropoutOptions {
  detail::ByName byName = {};
  Shape noise_shape = None;
  std::optional<int64_t> seed = None;
};
struct BatchNormalizationOptions {
  Axis axis = -1;
  double epsilon = 0.001;
};
// conv1d, conv2d, conv3d, conv2d_transpose, depthwise_conv2d, separable_conv1d, separable_conv2d.
// One number stands for all spatial axes.
struct ConvOptions {
  detail::ByName byName = {};
  Shape strides = 1;
  std::string padding = "valid";
  DataFormat data_format = None;
  Shape dilation_rate = 1;
};
struct Conv3dTransposeOptions {
  detail::ByName byName = {};
  Shape strides = 1;
  std::string padding = "valid";
  DataFormat data_format = None;
};
// pool2d, pool3d. One number stands for all spatial axes.
struct PoolOptions {
  detail::ByName byName = {};
  Shape strides = 1;
  std::string padding = "valid";
  DataFormat data_format = None;
  std::string pool_mode = "max";
};
struct RnnOptions {
  bool go_backwards = false;
  Operand mask = None;
  TensorList constants = {};
  bool unroll = false;
  Operand input_length = None;
  bool time_major = false;
  bool zero_output_for_mask = false;
};
// map_fn.
struct MapOptions {
  detail::ByName byName = {};
  std::string name = "";
  DTypeArgument dtype = None;
};
// foldl, foldr.
struct FoldOptions {
  detail::ByName byName = {};
  Operand initializer = None;
  std::string name = "";
};
struct CtcDecodeOptions {
  bool greedy = true;
  int64_t beam_width = 100;
  int64_t top_paths = 1;
  bool merge_repeated = false;
};

namespace backend {

template <typename = void>
Tensor placeholder(const Shape &shape, const PlaceholderOptions &options,
                   SourceLocation location = SourceLocation::current()) {
  return backend::placeholder(shape, options.ndim, options.dtype, options.sparse, options.name,
                              location);
}
template <typename = void>
Tensor constant(const Operand &value, const ConstantOptions &options,
                SourceLocation location = SourceLocation::current()) {
  return backend::constant(value, options.dtype, options.shape, options.name, location);
}
template <typename = void>
Tensor zeros(const Shape &shape, const CreationOptions &options,
             SourceLocation location = SourceLocation::current()) {
  return backend::zeros(shape, options.dtype, options.name, location);
}
template <typename = void>
Tensor ones(const Shape &shape, const CreationOptions &options,
            SourceLocation location = SourceLocation::current()) {
  return backend::ones(shape, options.dtype, options.name, location);
}
template <typename = void>
Tensor eye(const Shape &size, const CreationOptions &options,
           SourceLocation location = SourceLocation::current()) {
  return backend::eye(size, options.dtype, options.name, location);
}
template <typename = void>
Tensor zeros_like(const Operand &x, const CreationOptions &options,
                  SourceLocation location = SourceLocation::current()) {
  return backend::zeros_like(x, options.dtype, options.name, location);
}
template <typename = void>
Tensor ones_like(const Operand &x, const CreationOptions &options,
                 SourceLocation location = SourceLocation::current()) {
  return backend::ones_like(x, options.dtype, options.name, location);
}
inline Tensor arange(const Operand &start, const ArangeOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::arange(start, options.stop, options.step, options.dtype, location);
}
template <typename = void>
Tensor variable(const Operand &value, const VariableOptions &options,
                SourceLocation location = SourceLocation::current()) {
  return backend::variable(value, options.dtype, options.name, options.constraint, location);
}
inline Tensor random_normal(const Shape &shape, const RandomNormalOptions &options,
                            SourceLocation location = SourceLocation::current()) {
  return backend::random_normal(shape, options.mean, options.stddev, options.dtype, options.seed,
                                location);
}
inline Tensor truncated_normal(const Shape &shape, const RandomNormalOptions &options,
                               SourceLocation location = SourceLocation::current()) {
  return backend::truncated_normal(shape, options.mean, options.stddev, options.dtype, options.seed,
                                   location);
}
inline Tensor random_uniform(const Shape &shape, const RandomUniformOptions &options,
                             SourceLocation location = SourceLocation::current()) {
  return backend::random_uniform(shape, options.minval, options.maxval, options.dtype, options.seed,
                                 location);
}
inline Tensor random_binomial(const Shape &shape, const RandomBinomialOptions &options,
                              SourceLocation location = SourceLocation::current()) {
  return backend::random_binomial(shape, options.p, options.dtype, options.seed, location);
}
inline Tensor random_gamma(const Shape &shape, const Operand &alpha,
                           const RandomGammaOptions &options,
                           SourceLocation location = SourceLocation::current()) {
  return backend::random_gamma(shape, alpha, options.beta, options.dtype, options.seed, location);
}
inline Tensor random_beta(const Shape &shape, const Operand &a, const Operand &b,
                          const RandomBetaOptions &options,
                          SourceLocation location = SourceLocation::current()) {
  return backend::random_beta(shape, a, b, options.dtype, options.seed, location);
}
inline Tensor random_exponential(const Shape &shape, const RandomExponentialOptions &options,
                                 SourceLocation location = SourceLocation::current()) {
  return backend::random_exponential(shape, options.scale, options.dtype, options.seed, location);
}
inline Tensor random_poisson(const Shape &shape, const RandomPoissonOptions &options,
                             SourceLocation location = SourceLocation::current()) {
  return backend::random_poisson(shape, options.lam, options.dtype, options.seed, location);
}
inline Tensor random_choice(const Operand &x, const Shape &shape,
                            const RandomChoiceOptions &options,
                            SourceLocation location = SourceLocation::current()) {
  return backend::random_choice(x, shape, options.replace, options.p, options.seed, location);
}
template <typename = void>
Tensor random_uniform_variable(const Shape &shape, double low, double high,
                               const RandomVariableOptions &options,
                               SourceLocation location = SourceLocation::current()) {
  return backend::random_uniform_variable(shape, low, high, options.dtype, options.name,
                                          options.seed, location);
}
template <typename = void>
Tensor random_normal_variable(const Shape &shape, double mean, double scale,
                              const RandomVariableOptions &options,
                              SourceLocation location = SourceLocation::current()) {
  return backend::random_normal_variable(shape, mean, scale, options.dtype, options.name,
                                         options.seed, location);
}
inline Tensor max(const Operand &x, const ReductionOptions &options,
                  SourceLocation location = SourceLocation::current()) {
  return backend::max(x, options.axis, options.keepdims, location);
}
inline Tensor min(const Operand &x, const ReductionOptions &options,
                  SourceLocation location = SourceLocation::current()) {
  return backend::min(x, options.axis, options.keepdims, location);
}
inline Tensor sum(const Operand &x, const ReductionOptions &options,
                  SourceLocation location = SourceLocation::current()) {
  return backend::sum(x, options.axis, options.keepdims, location);
}
inline Tensor prod(const Operand &x, const ReductionOptions &options,
                   SourceLocation location = SourceLocation::current()) {
  return backend::prod(x, options.axis, options.keepdims, location);
}
inline Tensor trace(const Operand &x, const TraceOptions &options,
                    SourceLocation location = SourceLocation::current()) {
  return backend::trace(x, options.offset, options.axis1, options.axis2, location);
}
inline Tensor pad(const Operand &x, const PadWidths &pad_width, const PadOptions &options,
                  SourceLocation location = SourceLocation::current()) {
  return backend::pad(x, pad_width, options.mode, options.constant_values, location);
}
inline Tensor mean(const Operand &x, const ReductionOptions &options,
                   SourceLocation location = SourceLocation::current()) {
  return backend::mean(x, options.axis, options.keepdims, location);
}
inline Tensor var(const Operand &x, const ReductionOptions &options,
                  SourceLocation location = SourceLocation::current()) {
  return backend::var(x, options.axis, options.keepdims, location);
}
inline Tensor std(const Operand &x, const ReductionOptions &options,
                  SourceLocation location = SourceLocation::current()) {
  return backend::std(x, options.axis, options.keepdims, location);
}
inline Tensor nanmax(const Operand &x, const ReductionOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::nanmax(x, options.axis, options.keepdims, location);
}
inline Tensor nanmin(const Operand &x, const ReductionOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::nanmin(x, options.axis, options.keepdims, location);
}
inline Tensor nansum(const Operand &x, const ReductionOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::nansum(x, options.axis, options.keepdims, location);
}
inline Tensor nanprod(const Operand &x, const ReductionOptions &options,
                      SourceLocation location = SourceLocation::current()) {
  return backend::nanprod(x, options.axis, options.keepdims, location);
}
inline Tensor nanmean(const Operand &x, const ReductionOptions &options,
                      SourceLocation location = SourceLocation::current()) {
  return backend::nanmean(x, options.axis, options.keepdims, location);
}
inline Tensor nanvar(const Operand &x, const ReductionOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::nanvar(x, options.axis, options.keepdims, location);
}
inline Tensor nanstd(const Operand &x, const ReductionOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::nanstd(x, options.axis, options.keepdims, location);
}
inline Tensor norm(const Operand &x, const NormOptions &options,
                   SourceLocation location = SourceLocation::current()) {
  return backend::norm(x, options.ord, options.axis, options.keepdims, location);
}
inline Tensor fft(const Operand &x, const FftOptions &options,
                  SourceLocation location = SourceLocation::current()) {
  return backend::fft(x, options.n, options.axis, options.norm, location);
}
inline Tensor ifft(const Operand &x, const FftOptions &options,
                   SourceLocation location = SourceLocation::current()) {
  return backend::ifft(x, options.n, options.axis, options.norm, location);
}
inline Tensor rfft(const Operand &x, const FftOptions &options,
                   SourceLocation location = SourceLocation::current()) {
  return backend::rfft(x, options.n, options.axis, options.norm, location);
}
inline Tensor irfft(const Operand &x, const FftOptions &options,
                    SourceLocation location = SourceLocation::current()) {
  return backend::irfft(x, options.n, options.axis, options.norm, location);
}
inline Tensor fft2(const Operand &x, const Fft2Options &options,
                   SourceLocation location = SourceLocation::current()) {
  return backend::fft2(x, options.s, options.axes, options.norm, location);
}
inline Tensor ifft2(const Operand &x, const Fft2Options &options,
                    SourceLocation location = SourceLocation::current()) {
  return backend::ifft2(x, options.s, options.axes, options.norm, location);
}
inline Tensor rfft2(const Operand &x, const Fft2Options &options,
                    SourceLocation location = SourceLocation::current()) {
  return backend::rfft2(x, options.s, options.axes, options.norm, location);
}
inline Tensor irfft2(const Operand &x, const Fft2Options &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::irfft2(x, options.s, options.axes, options.norm, location);
}
inline Tensor fftn(const Operand &x, const FftnOptions &options,
                   SourceLocation location = SourceLocation::current()) {
  return backend::fftn(x, options.s, options.axes, options.norm, location);
}
inline Tensor ifftn(const Operand &x, const FftnOptions &options,
                    SourceLocation location = SourceLocation::current()) {
  return backend::ifftn(x, options.s, options.axes, options.norm, location);
}
inline Tensor rfftn(const Operand &x, const FftnOptions &options,
                    SourceLocation location = SourceLocation::current()) {
  return backend::rfftn(x, options.s, options.axes, options.norm, location);
}
inline Tensor irfftn(const Operand &x, const FftnOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::irfftn(x, options.s, options.axes, options.norm, location);
}
inline Tensor triangular_solve(const Operand &a, const Operand &b,
                               const TriangularSolveOptions &options,
                               SourceLocation location = SourceLocation::current()) {
  return backend::triangular_solve(a, b, options.lower, options.transposed, options.unit_diagonal,
                                   options.check, location);
}
inline Tensor linspace(const Operand &start, const Operand &stop, const LinspaceOptions &options,
                       SourceLocation location = SourceLocation::current()) {
  return backend::linspace(start, stop, options.num, options.endpoint, options.dtype, location);
}
inline Tensor any(const Operand &x, const ReductionOptions &options,
                  SourceLocation location = SourceLocation::current()) {
  return backend::any(x, options.axis, options.keepdims, location);
}
inline Tensor all(const Operand &x, const ReductionOptions &options,
                  SourceLocation location = SourceLocation::current()) {
  return backend::all(x, options.axis, options.keepdims, location);
}
inline Tensor logsumexp(const Operand &x, const ReductionOptions &options,
                        SourceLocation location = SourceLocation::current()) {
  return backend::logsumexp(x, options.axis, options.keepdims, location);
}
template <typename = void>
Tensor relu(const Operand &x, const ReluOptions &options,
            SourceLocation location = SourceLocation::current()) {
  return backend::relu(x, options.alpha, options.max_value, options.threshold, location);
}
template <typename = void>
Tensor categorical_crossentropy(const Operand &target, const Operand &output,
                                const CrossentropyOptions &options,
                                SourceLocation location = SourceLocation::current()) {
  return backend::categorical_crossentropy(target, output, options.from_logits, options.axis,
                                           location);
}
template <typename = void>
Tensor sparse_categorical_crossentropy(const Operand &target, const Operand &output,
                                       const CrossentropyOptions &options,
                                       SourceLocation location = SourceLocation::current()) {
  return backend::sparse_categorical_crossentropy(target, output, options.from_logits, options.axis,
                                                  location);
}
inline Tensor dropout(const Operand &x, double level, const DropoutOptions &options,
                      SourceLocation location = SourceLocation::current()) {
  return backend::dropout(x, level, options.noise_shape, options.seed, location);
}
template <typename = void>
Tensor batch_normalization(const Operand &x, const Operand &mean, const Operand &var,
                           const Operand &beta, const Operand &gamma,
                           const BatchNormalizationOptions &options,
                           SourceLocation location = SourceLocation::current()) {
  return backend::batch_normalization(x, mean, var, beta, gamma, options.axis, options.epsilon,
                                      location);
}
inline Tensor conv1d(const Operand &x, const Operand &kernel, const ConvOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::conv1d(x, kernel, options.strides, options.padding, options.data_format,
                         options.dilation_rate, location);
}
inline Tensor conv2d(const Operand &x, const Operand &kernel, const ConvOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::conv2d(x, kernel, options.strides, options.padding, options.data_format,
                         options.dilation_rate, location);
}
inline Tensor conv3d(const Operand &x, const Operand &kernel, const ConvOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::conv3d(x, kernel, options.strides, options.padding, options.data_format,
                         options.dilation_rate, location);
}
inline Tensor conv2d_transpose(const Operand &x, const Operand &kernel, const Shape &output_shape,
                               const ConvOptions &options,
                               SourceLocation location = SourceLocation::current()) {
  return backend::conv2d_transpose(x, kernel, output_shape, options.strides, options.padding,
                                   options.data_format, options.dilation_rate, location);
}
inline Tensor conv3d_transpose(const Operand &x, const Operand &kernel, const Shape &output_shape,
                               const Conv3dTransposeOptions &options,
                               SourceLocation location = SourceLocation::current()) {
  return backend::conv3d_transpose(x, kernel, output_shape, options.strides, options.padding,
                                   options.data_format, location);
}
inline Tensor depthwise_conv2d(const Operand &x, const Operand &depthwise_kernel,
                               const ConvOptions &options,
                               SourceLocation location = SourceLocation::current()) {
  return backend::depthwise_conv2d(x, depthwise_kernel, options.strides, options.padding,
                                   options.data_format, options.dilation_rate, location);
}
inline Tensor separable_conv1d(const Operand &x, const Operand &depthwise_kernel,
                               const Operand &pointwise_kernel, const ConvOptions &options,
                               SourceLocation location = SourceLocation::current()) {
  return backend::separable_conv1d(x, depthwise_kernel, pointwise_kernel, options.strides,
                                   options.padding, options.data_format, options.dilation_rate,
                                   location);
}
inline Tensor separable_conv2d(const Operand &x, const Operand &depthwise_kernel,
                               const Operand &pointwise_kernel, const ConvOptions &options,
                               SourceLocation location = SourceLocation::current()) {
  return backend::separable_conv2d(x, depthwise_kernel, pointwise_kernel, options.strides,
                                   options.padding, options.data_format, options.dilation_rate,
                                   location);
}
inline Tensor pool2d(const Operand &x, const Shape &pool_size, const PoolOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::pool2d(x, pool_size, options.strides, options.padding, options.data_format,
                         options.pool_mode, location);
}
inline Tensor pool3d(const Operand &x, const Shape &pool_size, const PoolOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::pool3d(x, pool_size, options.strides, options.padding, options.data_format,
                         options.pool_mode, location);
}
template <typename = void>
std::tuple<Tensor, Tensor, std::vector<Tensor>>
rnn(const RnnStep &step_function, const Operand &inputs, const TensorList &initial_states,
    const RnnOptions &options, SourceLocation location = SourceLocation::current()) {
  return backend::rnn(step_function, inputs, initial_states, options.go_backwards, options.mask,
                      options.constants, options.unroll, options.input_length, options.time_major,
                      options.zero_output_for_mask, location);
}
inline Tensor map_fn(const ElementFunction &fn, const Elements &elems, const MapOptions &options,
                     SourceLocation location = SourceLocation::current()) {
  return backend::map_fn(fn, elems, options.name, options.dtype, location);
}
inline Tensor foldl(const std::function<Tensor(const Tensor &, const Tensor &)> &fn,
                    const Operand &elems, const FoldOptions &options,
                    SourceLocation location = SourceLocation::current()) {
  return backend::foldl(fn, elems, options.initializer, options.name, location);
}
inline Tensor foldr(const std::function<Tensor(const Tensor &, const Tensor &)> &fn,
                    const Operand &elems, const FoldOptions &options,
                    SourceLocation location = SourceLocation::current()) {
  return backend::foldr(fn, elems, options.initializer, options.name, location);
}
template <typename = void>
std::pair<std::vector<Tensor>, Tensor>
ctc_decode(const Operand &y_pred, const Operand &input_length, const CtcDecodeOptions &options,
           SourceLocation location = SourceLocation::current()) {
  return backend::ctc_decode(y_pred, input_length, options.greedy, options.beam_width,
                             options.top_paths, options.merge_repeated, location);
}
// FunctionOptions, without a name before them.
inline Function function(const TensorList &inputs, const OutputList &outputs,
                         const UpdateList &updates, const FunctionOptions &options,
                         SourceLocation location = SourceLocation::current()) {
  return backend::function(inputs, outputs, updates, options.name, options, location);
}

} // namespace backend
} // namespace keratin

#endif // KERATIN_OPTIONS_H
