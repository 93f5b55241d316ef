def Api_concatenate : Keratin_Function<"concatenate", "shape",
    "concatenate(tensors, axis=-1)"> {
  let takesComplex = 1;
  let documentation = [{
    Tensors joined along an axis that they have.

    Args:
        tensors: a list of tensors or what becomes tensors, whose other sizes agree; one or more.
        axis: the axis that joins them.

    Returns:
        A tensor of the widest dtype. It is sparse if all of them are.

    Raises:
        ValueError: for an empty list, and for ranks or other sizes that differ.
  }];
}
def Api_reshape : Keratin_Function<"reshape", "shape", "reshape(x, shape)"> {
  let takesComplex = 1;
  let documentation = [{
    The same elements, in row-major order, in another shape.

    Args:
        x: a tensor or what becomes one.
        shape: a tuple of ints and scalar tensors, or an integer vector; one may be -1 (or None),
            which is what the number of elements leaves.

    Returns:
        A tensor of x's dtype.

    Raises:
        ValueError: for another number of elements, and more than one -1.
  }];
}
def Api_permute_dimensions : Keratin_Function<"permute_dimensions", "shape",
    "permute_dimensions(x, pattern)"> {
  let takesComplex = 1;
  let documentation = [{
    The tensor with its axes in another order.

    Args:
        x: a tensor or what becomes one.
        pattern: a tuple with each axis of x once; axis i of the result is axis pattern[i] of x.

    Returns:
        A tensor of x's dtype: (0, 2, 1) makes shape (2, 4, 3) of (2, 3, 4).

    Raises:
        ValueError: if the pattern is no permutation of the axes.
  }];
}
def Api_resize_images : Keratin_Function<"resize_images", "shape",
    "resize_images(x, height_factor, width_factor, data_format, interpolation='nearest')"> {
  let documentation = [{
    Images enlarged by whole factors.

    Args:
        x: a tensor or what becomes one, of rank 4, with the batch first.
        height_factor, width_factor: ints, 1 or more.
        data_format: 'channels_last' or 'channels_first'.
        interpolation: 'nearest': place i is x[i // factor]. 'bilinear': place i lies at
            i / factor, between its neighbours there; behind the last it is the last.

    Returns:
        A tensor: [1., 2., 4.] becomes [1., 1., 2., 2., 4., 4.] by 'nearest', and
        [1., 1.5, 2., 3., 4., 4.] by 'bilinear'.

    Raises:
        ValueError: for another data format or interpolation, and factors below 1.
  }];
}
def Api_resize_volumes : Keratin_Function<"resize_volumes", "shape",
    "resize_volumes(x, depth_factor, height_factor, width_factor, data_format)"> {
  let documentation = [{
    Volumes enlarged by whole factors: each element is repeated along three axes.

    Args:
        x: a tensor or what becomes one, of rank 5, with the batch first.
        depth_factor, height_factor, width_factor: ints, 1 or more.
        data_format: 'channels_last' or 'channels_first'.

    Returns:
        A tensor of x's dtype, whose spatial sizes are those of x times their factors.

    Raises:
        ValueError: for another data format, and factors below 1.
  }];
}
def Api_repeat_elements : Keratin_Function<"repeat_elements", "shape",
    "repeat_elements(x, rep, axis)"> {
  let takesComplex = 1;
  let documentation = [{
    Each element several times along an axis: [1, 2] twice is [1, 1, 2, 2].

    Args:
        x: a tensor or what becomes one.
        rep: how often, an int.
        axis: one axis.

    Returns:
        A tensor whose size along the axis is rep times that of x.
  }];
}
def Api_repeat : Keratin_Function<"repeat", "shape", "repeat(x, n)"> {
  let takesComplex = 1;
  let documentation = [{
    Each row of a matrix n times, along a new axis behind the rows.

    Args:
        x: a tensor or what becomes one, of shape (batch, size).
        n: how often, an int or a scalar tensor.

    Returns:
        A tensor of shape (batch, n, size).

    Raises:
        AssertionError: for another rank than 2.
  }];
}
def Api_tile : Keratin_Function<"tile", "shape", "tile(x, n)"> {
  let takesComplex = 1;
  let documentation = [{
    The whole tensor several times along its axes: [1, 2] twice is [1, 2, 1, 2].

    Args:
        x: a tensor or what becomes one.
        n: an int, a tuple of ints and scalar tensors, or an integer vector: how often along each
            axis; fewer entries than axes are those of the last axes.

    Returns:
        A tensor of x's dtype, whose sizes are those of x times n.

    Raises:
        NotImplementedError: for more entries than axes.
  }];
}
def Api_flatten : Keratin_Function<"flatten", "shape", "flatten(x)"> {
  let takesComplex = 1;
  let documentation = [{
    All elements, in row-major order, as a vector.

    Args:
        x: a tensor or what becomes one.

    Returns:
        A tensor of x's dtype and rank 1.
  }];
}
def Api_batch_flatten : Keratin_Function<"batch_flatten", "shape", "batch_flatten(x)"> {
  let takesComplex = 1;
  let documentation = [{
    The elements of each sample, in row-major order, as the rows of a matrix.

    Args:
        x: a tensor or what becomes one, of rank 1 or more, with the batch first.

    Returns:
        A tensor of shape (batch, product of the other sizes).
  }];
}
def Api_expand_dims : Keratin_Function<"expand_dims", "shape", "expand_dims(x, axis=-1)"> {
  let takesComplex = 1;
  let documentation = [{
    The tensor with a new axis of size 1.

    Args:
        x: a tensor or what becomes one.
        axis: where the result has it; -1: behind all others.

    Returns:
        A tensor of x's dtype.
  }];
}
def Api_squeeze : Keratin_Function<"squeeze", "shape", "squeeze(x, axis)"> {
  let takesComplex = 1;
  let documentation = [{
    The tensor without an axis of size 1.

    Args:
        x: a tensor or what becomes one.
        axis: the axis.

    Returns:
        A tensor of x's dtype.

    Raises:
        ValueError: if it has another size; where that is unknown, at the call.
  }];
}

def Api_temporal_padding : Keratin_Function<"temporal_padding", "shape",
    "temporal_padding(x, padding=(1, 1))"> {
  let documentation = [{
    Sequences with zeros before and behind their steps.

    Args:
        x: a tensor or what becomes one, of shape (batch, steps, channels).
        padding: a pair of ints, the zeros before and behind.

    Returns:
        A tensor of x's dtype.

    Raises:
        AssertionError: if padding has not two numbers.
  }];
}
class Keratin_SpatialPadding<string name, string padding, string what, string rank, string axes>
    : Keratin_Function<name, "shape",
                       name # "(x, padding=" # padding # ", data_format=None)"> {
  let documentation = what # [{ with zeros around them.

    Args:
        x: a tensor or what becomes one, of rank }] # rank # [{, with the batch first.
        padding: for each of the }] # axes # [{ spatial axes a pair of ints, the zeros before and
            behind.
        data_format: 'channels_last' or 'channels_first'; None: image_data_format().

    Returns:
        A tensor of x's dtype.

    Raises:
        AssertionError: for another number of pairs, or of entries of one.
  }];
}
def Api_spatial_2d_padding : Keratin_SpatialPadding<"spatial_2d_padding", "((1, 1), (1, 1))",
    "Images", "4", "two">;
def Api_spatial_3d_padding : Keratin_SpatialPadding<"spatial_3d_padding",
    "((1, 1), (1, 1), (1, 1))", "Volumes", "5", "three">;

def Api_stack : Keratin_Function<"stack", "shape", "stack(x, axis=0)"> {
  let takesComplex = 1;
  let documentation = [{
    Tensors of one shape joined along a new axis.

    Args:
        x: a list of tensors or what becomes tensors; one or more.
        axis: where the result has the new axis, whose size is their number.

    Returns:
        A tensor of the widest dtype.

    Raises:
        ValueError: for an empty list, and for shapes that differ.
  }];
}
def Api_one_hot : Keratin_Function<"one_hot", "shape", "one_hot(indices, num_classes)"> {
  let documentation = [{
    A vector for each index, 1 at that place and 0 elsewhere.

    Args:
        indices: a tensor of integers or what becomes one.
        num_classes: the vectors' size, an int.

    Returns:
        A tensor of dtype floatx() and shape indices.shape + (num_classes,). An index outside the
        classes gives zeros.

    Raises:
        TypeError: for indices that are no integers.
  }];
}
def Api_reverse : Keratin_Function<"reverse", "shape", "reverse(x, axes)"> {
  let takesComplex = 1;
  let documentation = [{
    The elements in reverse order along axes.

    Args:
        x: a tensor or what becomes one.
        axes: an axis or a list of them.

    Returns:
        A tensor of x's shape and dtype.
  }];
}
def Api_pattern_broadcast : Keratin_Function<"pattern_broadcast", "shape",
    "pattern_broadcast(x, broadcastable)"> {
  let takesComplex = 1;
  let documentation = [{
    The same value, with axes known to have size 1.

    Args:
        x: a tensor or what becomes one.
        broadcastable: a bool for each axis: whether its size is 1.

    Returns:
        A tensor of x's dtype.

    Raises:
        ValueError: for another number of bools than axes, and for a size that is not 1.
  }];
}
def Api_slice : Keratin_Function<"slice", "shape", "slice(x, start, size)"> {
  let takesComplex = 1;
  let documentation = [{
    The block x[start[i] : start[i] + size[i], ...] of a tensor.

    Args:
        x: a tensor or what becomes one.
        start: for each axis the first place: a tuple of ints and scalar tensors, or an integer
            vector.
        size: for each axis how many places, likewise; -1: all up to the end.

    Returns:
        A tensor of x's dtype.

    Raises:
        ValueError: if start or size have another number of entries than x has axes.
  }];
}
