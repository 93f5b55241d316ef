// A tensor of random numbers. The generator is that of Salmon, Moraes, Dror, Shaw: Parallel random
// numbers: as easy as 1, 2, 3; SC 2011.
class Keratin_DrawText<string what, string described, string gradients> {
  string text = what # [{

    Args:
        shape: a tuple of ints and scalar tensors, or an integer vector.
        }] # described # [{
        seed: an int: tensors of equal seeds, shapes and parameters draw equal sequences, in every
            process. None: NumPy's global generator draws one now.

    Returns:
        A tensor that draws anew in each evaluation}] # gradients # [{.
        It draws by Philox 4x32-10 (Salmon et al. 2011), whatever the threads and devices.
  }];
}
class Keratin_Draw<string name, string parameters, string what, string described,
                   string gradients = "">
    : Keratin_Function<name, "random",
                       name # "(shape, " # parameters # ", dtype=None, seed=None)"> {
  let hasAddress = 0;
  let documentation = Keratin_DrawText<what, described, gradients>.text;
}
def Api_random_normal : Keratin_Draw<"random_normal", "mean=0.0, stddev=1.0",
    "Normally distributed numbers.",
    [{mean: the mean, a number or a tensor that broadcasts to the shape.
        stddev: the standard deviation, likewise; as a number not negative.
        dtype: a floating dtype; None: floatx().}],
    "; gradients flow to mean and stddev">;
def Api_random_uniform : Keratin_Draw<"random_uniform", "minval=0.0, maxval=1.0",
    "Numbers drawn uniformly from [minval, maxval).",
    [{minval: the least, a number or a tensor that broadcasts to the shape.
        maxval: what all are below, likewise; above minval.
        dtype: a floating dtype, or an integer one for whole numbers; None: floatx().}],
    "; gradients flow to floating minval and maxval">;
def Api_random_binomial : Keratin_Draw<"random_binomial", "p=0.0",
    "Ones with probability p, zeros otherwise.",
    [{p: the probability, a number from 0 to 1 or a tensor that broadcasts to the shape.
        dtype: the dtype; None: floatx().}]>;
def Api_truncated_normal : Keratin_Draw<"truncated_normal", "mean=0.0, stddev=1.0",
    [{Normally distributed numbers within two standard deviations of the mean.

    The distribution is the normal one under that condition: nothing is clipped. Its own standard
    deviation is 0.87962566 * stddev.}],
    [{mean: the mean, a number or a tensor that broadcasts to the shape.
        stddev: the standard deviation before the condition, likewise.
        dtype: a floating dtype; None: floatx().}],
    "; gradients flow to mean and stddev">;

class Keratin_DrawnVariable<string name, string what, string first, string second, string described>
    : Keratin_Function<name, "random", name # "(shape, " # first # ", " # second #
                                       ", dtype=None, name=None, seed=None)"> {
  let hasAddress = 0;
  let documentation = what # [{

    Args:
        shape: a tuple of ints.
        }] # first # ", " # second # ": " # described # [{
        dtype: a floating dtype; None: floatx().
        name: its name, a string.
        seed: an int, or None for one that is drawn now; see random_uniform().

    Returns:
        A variable.
  }];
}
def Api_random_uniform_variable : Keratin_DrawnVariable<"random_uniform_variable",
    "A variable that starts with numbers drawn uniformly from [low, high).", "low", "high",
    "numbers, the least and what all are below.">;
def Api_random_normal_variable : Keratin_DrawnVariable<"random_normal_variable",
    "A variable that starts with normally distributed numbers.", "mean", "scale",
    "numbers, the mean and the standard deviation.">;
