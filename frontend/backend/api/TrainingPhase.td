def Api_learning_phase : Keratin_Function<"learning_phase", "training-phase",
    "learning_phase()"> {
  let pythonResult = "Union[int, Tensor]";
  let documentation = [{
    Whether the graph trains: 1, or 0 for a test.

    Returns:
        The int that set_learning_phase() was given since the last clear_session(); else a scalar
        int32 placeholder, always the same one, which is 0 where a function is not fed it.
  }];
}
def Api_set_learning_phase : Keratin_Function<"set_learning_phase", "training-phase",
    "set_learning_phase(value)"> {
  let documentation = [{
    Sets what learning_phase() returns from now on.

    Args:
        value: 0 (test) or 1 (training).

    Raises:
        ValueError: for any other number.
  }];
}

class Keratin_InPhase<string name, string what>
    : Keratin_Function<name, "training-phase", name # "(x, alt, training=None)"> {
  let documentation = what # [{

    Args:
        x, alt: tensors or what becomes tensors, or functions without arguments that return such.
        training: a number, which picks now (a function that is not picked is not called), or a
            scalar tensor, which picks at the call; None: learning_phase().

    Returns:
        A tensor. Its attribute _uses_learning_phase is True if learning_phase() picks at the
        call.
  }];
}
def Api_in_train_phase : Keratin_InPhase<"in_train_phase", "x in training, alt in a test."> {
  let takesComplex = 1;
}
def Api_in_test_phase : Keratin_InPhase<"in_test_phase", "x in a test, alt in training."> {
  let takesComplex = 1;
}
