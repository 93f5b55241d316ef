def Api_update : Keratin_Function<"update", "variable", "update(x, new_x)"> {
  let takesComplex = 1;
  let documentation = [{
    An update op that sets a variable to a new value.

    Args:
        x: a variable.
        new_x: a tensor or what becomes one; it is cast to the variable's dtype and broadcast to
            its shape.

    Returns:
        An update op: for function()'s updates, for control_dependencies(), and for eval(), which
        yields the new value.

    Raises:
        TypeError: if x is no variable.
        ValueError: for a shape that does not broadcast to the variable's.
  }];
}

// By how much a variable changes.
class Keratin_Increment<string name, string parameter, string what>
    : Keratin_Function<name, "variable", name # "(x, " # parameter # ")"> {
  let documentation = what # [{

    Args:
        x: a variable of numbers.
        }] # parameter # [{: a tensor or what becomes one; it is cast to the variable's dtype and
            broadcast to its shape.

    Returns:
        An update op, as of update(). Several for one variable in one call add up.

    Raises:
        TypeError: if x is no variable, or one of bools.
        ValueError: for a shape that does not broadcast to the variable's.
  }];
}
def Api_update_add : Keratin_Increment<"update_add", "increment",
    "An update op that adds to a variable."> {
  let takesComplex = 1;
}
def Api_update_sub : Keratin_Increment<"update_sub", "decrement",
    "An update op that subtracts from a variable."> {
  let takesComplex = 1;
}

def Api_moving_average_update : Keratin_Function<"moving_average_update", "variable",
    "moving_average_update(x, value, momentum)"> {
  let hasPythonBody = 1;
  let documentation = "Moves a variable towards a value: x * momentum + value * (1 - momentum).";
}
def Api_variable : Keratin_Function<"variable", "variable",
    "variable(value, dtype=None, name=None, constraint=None)"> {
  let takesComplex = 1;
  let hasAddress = 0;
  let documentation = [{
    A variable: state that calls of functions read and update.

    Args:
        value: what it starts with, copied: an array, a number, a list, a SciPy sparse matrix
            (of rank 2, for a sparse variable), or a tensor, which is evaluated once.
        dtype: its dtype; None: floatx(), whatever the value has.
        name: its name, a string.
        constraint: a function of the variable that optimizers apply, or None. It is kept as the
            attribute of that name.

    Returns:
        A tensor of the value's shape.
  }];
}
