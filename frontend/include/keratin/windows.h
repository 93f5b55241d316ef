// K functions: convolutions and pooling.
//
// Images are (batch, spatial…, channels), or (batch, channels, spatial…) with data_format
// "channels_first"; kernels are (spatial…, channels in, channels out) in both. Nothing is flipped:
// all are cross-correlations. Strides, dilations and window sizes are numbers, one for each spatial
// axis or one for all. padding: "valid" (no zeros), "same" (as many results as the stride leaves,
// the odd zero at the end), for conv1d also "causal" (zeros before only). None stays None.
#ifndef KERATIN_WINDOWS_H
#define KERATIN_WINDOWS_H

#include "keratin/arguments.h"

#include <string>

namespace keratin::backend {

Tensor conv1d(const Operand &x, const Operand &kernel, const Shape &strides = 1,
              const std::string &padding = "valid", const DataFormat &data_format = None,
              const Shape &dilation_rate = 1, SourceLocation location = SourceLocation::current());
Tensor conv2d(const Operand &x, const Operand &kernel, const Shape &strides = {1, 1},
              const std::string &padding = "valid", const DataFormat &data_format = None,
              const Shape &dilation_rate = {1, 1},
              SourceLocation location = SourceLocation::current());
Tensor conv3d(const Operand &x, const Operand &kernel, const Shape &strides = {1, 1, 1},
              const std::string &padding = "valid", const DataFormat &data_format = None,
              const Shape &dilation_rate = {1, 1, 1},
              SourceLocation location = SourceLocation::current());

// What the gradient of the convolution that gives x from output_shape does to x. The kernel is that
// of the convolution: (spatial…, channels out, channels of x). output_shape is whole, in the order
// of data_format; its batch may be None.
Tensor conv2d_transpose(const Operand &x, const Operand &kernel, const Shape &output_shape,
                        const Shape &strides = {1, 1}, const std::string &padding = "valid",
                        const DataFormat &data_format = None, const Shape &dilation_rate = {1, 1},
                        SourceLocation location = SourceLocation::current());
Tensor conv3d_transpose(const Operand &x, const Operand &kernel, const Shape &output_shape,
                        const Shape &strides = {1, 1, 1}, const std::string &padding = "valid",
                        const DataFormat &data_format = None,
                        SourceLocation location = SourceLocation::current());

// Each channel by itself: with the kernel (spatial…, channels, m), channel c gives c * m to
// c * m + m - 1.
Tensor depthwise_conv2d(const Operand &x, const Operand &depthwise_kernel,
                        const Shape &strides = {1, 1}, const std::string &padding = "valid",
                        const DataFormat &data_format = None, const Shape &dilation_rate = {1, 1},
                        SourceLocation location = SourceLocation::current());
// That, then a convolution at each point with the kernel (1…, channels * m, channels out).
Tensor separable_conv1d(const Operand &x, const Operand &depthwise_kernel,
                        const Operand &pointwise_kernel, const Shape &strides = 1,
                        const std::string &padding = "valid", const DataFormat &data_format = None,
                        const Shape &dilation_rate = 1,
                        SourceLocation location = SourceLocation::current());
Tensor separable_conv2d(const Operand &x, const Operand &depthwise_kernel,
                        const Operand &pointwise_kernel, const Shape &strides = {1, 1},
                        const std::string &padding = "valid", const DataFormat &data_format = None,
                        const Shape &dilation_rate = {1, 1},
                        SourceLocation location = SourceLocation::current());

// A kernel for each place: (places, elements of a window, filters). inputs are (batch, steps,
// channels) whatever the data_format.
Tensor local_conv1d(const Operand &inputs, const Operand &kernel, const Shape &kernel_size,
                    const Shape &strides, const DataFormat &data_format = None,
                    SourceLocation location = SourceLocation::current());
// output_shape is (rows, columns); windows are flattened in the order of data_format.
Tensor local_conv2d(const Operand &inputs, const Operand &kernel, const Shape &kernel_size,
                    const Shape &strides, const Shape &output_shape,
                    const DataFormat &data_format = None,
                    SourceLocation location = SourceLocation::current());

// pool_mode "max" or "avg", of what lies inside x: zeros of the padding do not count. The gradient
// of a largest element goes to the first of equal ones.
Tensor pool2d(const Operand &x, const Shape &pool_size, const Shape &strides = {1, 1},
              const std::string &padding = "valid", const DataFormat &data_format = None,
              const std::string &pool_mode = "max",
              SourceLocation location = SourceLocation::current());
Tensor pool3d(const Operand &x, const Shape &pool_size, const Shape &strides = {1, 1, 1},
              const std::string &padding = "valid", const DataFormat &data_format = None,
              const std::string &pool_mode = "max",
              SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_WINDOWS_H
