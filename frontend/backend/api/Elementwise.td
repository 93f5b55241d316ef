def Api_cast : Keratin_Function<"cast", "elementwise", "cast(x, dtype)"> {
  let takesComplex = 1;
  let documentation = [{
    The same elements in another dtype.

    Args:
        x: a tensor or what becomes one; sparse ones stay sparse.
        dtype: the dtype: its name, or what numpy.dtype() takes.

    Returns:
        A tensor. Floats become integers by truncation towards 0; nonzero numbers become True;
        True becomes 1. Gradients pass between floating dtypes.

    Raises:
        TypeError: for an unknown dtype.
  }];
}

// y = f(x), element by element, of floats.
class Keratin_FloatFunction<string name, string what, string more = "">
    : Keratin_Function<name, "elementwise", name # "(x)"> {
  let documentation = what # [{

    Args:
        x: a tensor or what becomes one; integers and bools become floatx().

    Returns:
        A tensor of x's shape and dtype.}] # more;
}
// The same of any numbers.
class Keratin_NumberFunction<string name, string what, string more = "">
    : Keratin_Function<name, "elementwise", name # "(x)"> {
  let documentation = what # [{

    Args:
        x: a tensor or what becomes one.

    Returns:
        A tensor of x's shape and dtype.}] # more;
}
def Api_square : Keratin_NumberFunction<"square", "The square, x * x, element by element."> {
  let takesComplex = 1;
}
def Api_exp : Keratin_FloatFunction<"exp", "The exponential function, element by element."> {
  let takesComplex = 1;
}
def Api_log : Keratin_FloatFunction<"log", "The natural logarithm, element by element.",
    " log(0) is -inf, that of negative numbers NaN."> {
  let takesComplex = 1;
}
def Api_sin : Keratin_FloatFunction<"sin", "The sine of angles in radians, element by element."> {
  let takesComplex = 1;
}
def Api_cos : Keratin_FloatFunction<"cos", "The cosine of angles in radians, element by element."> {
  let takesComplex = 1;
}
def Api_abs : Keratin_NumberFunction<"abs", "The absolute value, element by element.",
    " The gradient at 0 is 0."> {
  let takesComplex = 1;
}
def Api_sqrt : Keratin_FloatFunction<"sqrt",
    "The square root, element by element; 0 for negative numbers.",
    " The gradient is inf at 0, and 0 below."> {
  let takesComplex = 1;
}
def Api_round : Keratin_NumberFunction<"round",
    "The nearest whole number, element by element; halves go to the even one.", [{ -2.5, 0.5 and
        1.5 give -2, 0 and 2; integers are unchanged. No gradient.}]>;
def Api_sign : Keratin_NumberFunction<"sign", "-1, 0 or 1 by the sign, element by element.",
    " NaN stays NaN. The gradient is 0.">;

def Api_pow : Keratin_Function<"pow", "elementwise", "pow(x, a)"> {
  let takesComplex = 1;
  let documentation = [{
    x to the power of a, element by element.

    Args:
        x: a tensor or what becomes one, the base.
        a: a number or a tensor, the exponent; it is broadcast with x.

    Returns:
        A tensor of the wider dtype; integers to an integer power stay integers. A negative float
        to a power that is not whole is NaN.

    Raises:
        ValueError: for integers to a negative integer power.
  }];
}
def Api_clip : Keratin_Function<"clip", "elementwise", "clip(x, min_value, max_value)"> {
  let documentation = [{
    The elements with those outside an interval moved to its ends.

    Args:
        x: a tensor or what becomes one, of numbers.
        min_value: the lower end: a number, a tensor that broadcasts to x, or None for no end.
        max_value: the upper end, likewise; a number below the number min_value counts as that.

    Returns:
        A tensor of x's shape and dtype: max(min(x, max_value), min_value). The gradient is 1
        inside and at the ends, 0 outside.

    Raises:
        TypeError: for bools.
  }];
}

class Keratin_Comparison<string name, string words>
    : Keratin_Function<name, "elementwise", name # "(x, y)"> {
  let documentation = "Whether x " # words # [{ y, element by element.

    Args:
        x, y: tensors or what becomes tensors; they are broadcast.

    Returns:
        A tensor of bools.
  }];
}
def Api_equal : Keratin_Comparison<"equal", "equals"> {
  let takesComplex = 1;
}
def Api_not_equal : Keratin_Comparison<"not_equal", "differs from"> {
  let takesComplex = 1;
}
def Api_greater : Keratin_Comparison<"greater", "is above">;
def Api_greater_equal : Keratin_Comparison<"greater_equal", "is above or equals">;
def Api_less : Keratin_Comparison<"less", "is below">;
def Api_less_equal : Keratin_Comparison<"less_equal", "is below or equals">;

class Keratin_Extreme<string name, string what>
    : Keratin_Function<name, "elementwise", name # "(x, y)"> {
  let documentation = "The " # what # [{ of two tensors' elements.

    Args:
        x, y: tensors or what becomes tensors; they are broadcast.

    Returns:
        A tensor of the wider dtype; NaN where either is NaN. The gradient of equals goes to x.
  }];
}
def Api_maximum : Keratin_Extreme<"maximum", "larger">;
def Api_minimum : Keratin_Extreme<"minimum", "smaller">;
