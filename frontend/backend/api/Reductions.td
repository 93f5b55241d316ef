// A value for all elements along axes.
class Keratin_Reduction<string name, string what, string result>
    : Keratin_Function<name, "reduction", name # "(x, axis=None, keepdims=False)"> {
  let hasAddress = 0;
  let documentation = what # [{

    Args:
        x: a tensor or what becomes one.
        axis: an axis or a list of them, negative ones from the end; None: all; []: none.
        keepdims: whether these axes stay, with size 1.

    Returns:
        }] # result;
}
def Api_max : Keratin_Reduction<"max", "The largest element along axes.",
    "A tensor of x's dtype: NaN if there is one, -inf over no floats. Equals share the gradient.">;
def Api_min : Keratin_Reduction<"min", "The smallest element along axes.",
    "A tensor of x's dtype: NaN if there is one, inf over no floats. Equals share the gradient.">;
def Api_sum : Keratin_Reduction<"sum", "The sum of elements along axes.",
    "A tensor of x's dtype, int32 for bools; 0 over no elements."> {
  let takesComplex = 1;
}
def Api_prod : Keratin_Reduction<"prod", "The product of elements along axes.",
    "A tensor of x's dtype, int32 for bools; 1 over no elements. The gradient is exact at zeros."> {
  let takesComplex = 1;
}
def Api_mean : Keratin_Reduction<"mean", "The mean of elements along axes.",
    "A tensor of x's dtype, floatx() for integers and bools."> {
  let takesComplex = 1;
}
def Api_var : Keratin_Reduction<"var", [{The population variance of elements along axes.

    The mean of (x - mean(x))**2: the sum is divided by the number of elements.}],
    "A tensor of x's dtype, floatx() for integers and bools.">;
def Api_std : Keratin_Reduction<"std",
    "The standard deviation of elements along axes: the square root of var().",
    [{A tensor of x's dtype, floatx() for integers and bools. Where the variance is 0 the gradient
        is not finite.}]>;
def Api_any : Keratin_Reduction<"any", "Whether any element along axes is nonzero.",
    "A tensor of bools; False over no elements.">;
def Api_all : Keratin_Reduction<"all", "Whether all elements along axes are nonzero.",
    "A tensor of bools; True over no elements.">;

class Keratin_PlaceOfExtreme<string name, string extreme>
    : Keratin_Function<name, "reduction", name # "(x, axis=-1)"> {
  let documentation = "Where the " # extreme # [{ element along an axis is.

    Args:
        x: a tensor or what becomes one.
        axis: one axis, which the result does not have.

    Returns:
        A tensor of int64: the place of the first of equals, or of a NaN, if there is one.

    Raises:
        ValueError: for an axis of size 0.
  }];
}
def Api_argmax : Keratin_PlaceOfExtreme<"argmax", "largest">;
def Api_argmin : Keratin_PlaceOfExtreme<"argmin", "smallest">;

class Keratin_Cumulation<string name, string what, string result>
    : Keratin_Function<name, "reduction", name # "(x, axis=0)"> {
  let documentation = what # [{

    Args:
        x: a tensor or what becomes one.
        axis: one axis.

    Returns:
        A tensor of x's shape and dtype; of bools: }] # result;
}
def Api_cumsum : Keratin_Cumulation<"cumsum",
    "The sums of the elements so far along an axis, each with its own.",
    "whether any so far is True."> {
  let takesComplex = 1;
}
def Api_cumprod : Keratin_Cumulation<"cumprod",
    [{The products of the elements so far along an axis, each with its own.

    The gradient is exact at zeros.}],
    "whether all so far are True.">;

def Api_logsumexp : Keratin_Reduction<"logsumexp",
    "log(sum(exp(x))) along axes, computed without overflow.",
    [{A tensor of x's dtype, floatx() for integers and bools: m + log(sum(exp(x - m))), where m is
        the largest element. Of [10000., 0.] it is 10000, over no elements -inf.}]>;
