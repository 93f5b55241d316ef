def Api_is_sparse : Keratin_Function<"is_sparse", "sparse", "is_sparse(tensor)"> {
  let pythonResult = "bool";
  let documentation = [{
    Whether a tensor is sparse: of its elements only some are stored.

    Args:
        tensor: anything.

    Returns:
        True or False; False for what is no tensor.
  }];
}
def Api_to_dense : Keratin_Function<"to_dense", "sparse", "to_dense(tensor)"> {
  let documentation = [{
    A sparse tensor with all its elements, zeros where none are stored.

    Args:
        tensor: a tensor or what becomes one; a dense one is returned as it is.

    Returns:
        A tensor of the same shape and dtype.
  }];
}
