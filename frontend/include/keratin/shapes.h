// K functions: moving elements.
#ifndef KERATIN_SHAPES_H
#define KERATIN_SHAPES_H

#include "keratin/arguments.h"

#include <string>
#include <vector>

namespace keratin::backend {

// Two numbers before and after, for each spatial axis.
using Padding = std::vector<int64_t>;
using Paddings = std::vector<Padding>;
// Two sizes before and after, for each axis.
using PadWidths = std::vector<std::vector<Size>>;

Tensor concatenate(const std::vector<Operand> &tensors, Axis axis = -1,
                   SourceLocation location = SourceLocation::current());
// Along a new axis.
Tensor stack(const std::vector<Operand> &x, Axis axis = 0,
             SourceLocation location = SourceLocation::current());
// At most one entry is -1 (or None): what the number of elements leaves.
Tensor reshape(const Operand &x, const Shape &shape,
               SourceLocation location = SourceLocation::current());
// Axis i of the result is axis pattern[i] of x.
Tensor permute_dimensions(const Operand &x, const std::vector<int64_t> &pattern,
                          SourceLocation location = SourceLocation::current());
Tensor flatten(const Operand &x, SourceLocation location = SourceLocation::current());
// Rank 2: the first size, and the product of the others.
Tensor batch_flatten(const Operand &x, SourceLocation location = SourceLocation::current());
Tensor expand_dims(const Operand &x, Axis axis = -1,
                   SourceLocation location = SourceLocation::current());
Tensor squeeze(const Operand &x, Axis axis, SourceLocation location = SourceLocation::current());
// Each element rep times along the axis.
Tensor repeat_elements(const Operand &x, int64_t rep, Axis axis,
                       SourceLocation location = SourceLocation::current());
// (b, d) to (b, n, d).
Tensor repeat(const Operand &x, const Size &n, SourceLocation location = SourceLocation::current());
// The whole n[i] times along axis i; a short n counts from the last axis.
Tensor tile(const Operand &x, const Shape &n, SourceLocation location = SourceLocation::current());
Tensor reverse(const Operand &x, const Axes &axes,
               SourceLocation location = SourceLocation::current());
// numpy.roll: elements move by `shift` along the axis, and those that leave it come in at its other
// end. One shift for all axes, or one for each; numbers or integer scalars. axis None: of all
// elements in a row.
Tensor roll(const Operand &x, const Shape &shift, const Axes &axis = None,
            SourceLocation location = SourceLocation::current());
// numpy.take_along_axis: y[i, j] = x[i, indices[i, j]] for the last axis of two. Sizes of other
// axes are broadcast. Indices count from 0; one outside the axis is an error of the call.
Tensor take_along_axis(const Operand &x, const Operand &indices, Axis axis = -1,
                       SourceLocation location = SourceLocation::current());
// x[start[i] : start[i] + size[i]] on every axis; size -1 is to the end.
Tensor slice(const Operand &x, const Shape &start, const Shape &size,
             SourceLocation location = SourceLocation::current());
// Into so many equal parts, or into parts of these sizes: K::split(x, 3), K::split(x, {2, -1}).
std::vector<Tensor> split(const Operand &x, const Parts &num_or_size_splits, Axis axis = 0,
                          SourceLocation location = SourceLocation::current());
// numpy.pad around all axes. mode: "constant"; "edge", the outermost element again; "reflect", a
// mirror at it; "symmetric", a mirror behind it. A mirror shows what is there once.
Tensor pad(const Operand &x, const PadWidths &pad_width, const std::string &mode = "constant",
           const Operand &constant_values = 0, SourceLocation location = SourceLocation::current());
// x with updates[i...] written to, or with mode "add" added to, its row indices[i...]. Updates of
// one row are added in the order of the indices, and of those written the last stays. updates are
// broadcast; an index outside x's first axis is an error of the call.
Tensor scatter(const Operand &x, const Operand &indices, const Operand &updates,
               const std::string &mode = "write",
               SourceLocation location = SourceLocation::current());
// Zeros around the spatial axes.
Tensor temporal_padding(const Operand &x, const Padding &padding = {1, 1},
                        SourceLocation location = SourceLocation::current());
Tensor spatial_2d_padding(const Operand &x, const Paddings &padding = {{1, 1}, {1, 1}},
                          const DataFormat &data_format = None,
                          SourceLocation location = SourceLocation::current());
Tensor spatial_3d_padding(const Operand &x, const Paddings &padding = {{1, 1}, {1, 1}, {1, 1}},
                          const DataFormat &data_format = None,
                          SourceLocation location = SourceLocation::current());
// Each spatial size times its factor. data_format has no default. Bilinear, along each axis: place
// i lies at i / factor, between the neighbours there.
Tensor resize_images(const Operand &x, int64_t height_factor, int64_t width_factor,
                     const DataFormat &data_format, const std::string &interpolation = "nearest",
                     SourceLocation location = SourceLocation::current());
Tensor resize_volumes(const Operand &x, int64_t depth_factor, int64_t height_factor,
                      int64_t width_factor, const DataFormat &data_format,
                      SourceLocation location = SourceLocation::current());
// A new last axis: 1 at the index, else 0; all 0 for an index outside it.
Tensor one_hot(const Operand &indices, int64_t num_classes,
               SourceLocation location = SourceLocation::current());
// Marks axes as having size 1.
Tensor pattern_broadcast(const Operand &x, const std::vector<bool> &broadcastable,
                         SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_SHAPES_H
