def Api_dot : Keratin_Function<"dot", "linear algebra", "dot(x, y)"> {
  let takesComplex = 1;
  let documentation = [{
    The product of tensors: sums over the last axis of x and the second-to-last of y.

    Args:
        x: a tensor or what becomes one; it may be sparse, if y is a matrix.
        y: likewise, dense; of a vector its only axis is summed over.

    Returns:
        A dense tensor of shape x.shape[:-1] + y.shape[:-2] + y.shape[-1:], as of numpy.dot:
        (2, 3) and (4, 3, 5) give (2, 4, 5). With a scalar it is x * y.

    Raises:
        ValueError: if the sizes summed over differ.
  }];
}
def Api_batch_dot : Keratin_Function<"batch_dot", "linear algebra",
    "batch_dot(x, y, axes=None)"> {
  let takesComplex = 1;
  let documentation = [{
    For each sample of a batch, the sums of products over one axis of x and one of y.

    Args:
        x, y: tensors or what becomes tensors, of rank 2 or more, with the batch first.
        axes: the axis of both, or a pair; None: the last of x, and of y the second-to-last, or
            the last if its rank is 2.

    Returns:
        A tensor of shape (batch, other axes of x, other axes of y): (2, 3, 4) and (2, 4, 5) give
        (2, 3, 5). Of two matrices it is (batch, 1).

    Raises:
        ValueError: for a rank below 2, several axes a side, axis 0, or sizes that differ.
  }];
}
def Api_transpose : Keratin_Function<"transpose", "linear algebra", "transpose(x)"> {
  let takesComplex = 1;
  let documentation = [{
    The tensor with its axes in reverse order.

    Args:
        x: a tensor or what becomes one.

    Returns:
        A tensor of shape x.shape[::-1].
  }];
}
def Api_gather : Keratin_Function<"gather", "linear algebra", "gather(reference, indices)"> {
  let takesComplex = 1;
  let documentation = [{
    The rows of a tensor at these indices.

    Args:
        reference: a tensor or what becomes one, of rank 1 or more.
        indices: integers from 0, of any shape.

    Returns:
        A tensor of shape indices.shape + reference.shape[1:]. In the gradient, rows that were
        taken several times add up.

    Raises:
        ValueError: at the call, for an index outside the first axis.
  }];
}
