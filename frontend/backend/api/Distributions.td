//===-- Random numbers --------------------------------------------------------------------------===//

class Keratin_DistributionDraw<string name, string parameters, string what, string described,
                               string gradients = "">
    : Keratin_Extension<name, name # "(shape, " # parameters # ", dtype=None, seed=None)"> {
  let hasAddress = 0;
  let documentation = Keratin_DrawText<what, described, gradients>.text;
}
def Api_random_gamma : Keratin_DistributionDraw<"random_gamma", "alpha, beta=1.0",
    "Gamma-distributed numbers.",
    [{alpha: the shape, a number above 0 or a tensor that broadcasts to the shape.
        beta: the rate, which is 1 / scale, likewise.
        dtype: a floating dtype; None: floatx().}],
    "; gradients flow to alpha, but no second ones, and beta">;
def Api_random_beta : Keratin_DistributionDraw<"random_beta", "a, b",
    "Beta-distributed numbers, between 0 and 1.",
    [{a, b: the parameters, numbers above 0 or tensors that broadcast to the shape.
        dtype: a floating dtype; None: floatx().}],
    "; gradients flow to a and b, but no second ones">;
def Api_random_exponential : Keratin_DistributionDraw<"random_exponential", "scale=1.0",
    "Exponentially distributed numbers.",
    [{scale: the mean, a number or a tensor that broadcasts to the shape; as a number not negative.
        dtype: a floating dtype; None: floatx().}],
    "; gradients flow to scale">;
def Api_random_poisson : Keratin_DistributionDraw<"random_poisson", "lam=1.0",
    "Numbers of the Poisson distribution: counts of events that happen lam times in the mean.",
    [{lam: the mean, a number or a tensor that broadcasts to the shape; as a number not negative.
        dtype: the dtype; None: int64.}]>;

class Keratin_RandomPick<string name, string signature, string what, string arguments, string result>
    : Keratin_Extension<name, name # signature> {
  let hasAddress = 0;
  let documentation = what # [{

    Args:
        }] # arguments # [{
        seed: an int, or None for one that NumPy's global generator draws now; see random_uniform().

    Returns:
        }] # result;
}
def Api_random_categorical : Keratin_RandomPick<"random_categorical", "(logits, count, seed=None)",
    "Classes with the probabilities of softmax(logits).",
    [{logits: a tensor, whose last axis is that of the classes.
        count: how many for each line of logits, an int or a scalar tensor.}],
    "An int64 tensor of the logits' shape, with count in the place of the last size.">;
def Api_random_permutation : Keratin_RandomPick<"random_permutation", "(x, seed=None)",
    "Rows in a random order.",
    [{x: a tensor, or an int n that stands for 0, 1, …, n - 1.}],
    "A tensor of x's shape and dtype; of an int an int64 vector. Gradients flow to x.">;
def Api_random_choice : Keratin_RandomPick<"random_choice",
    "(x, shape, replace=True, p=None, seed=None)",
    "Rows chosen at random.",
    [{x: a tensor, or an int n that stands for 0, 1, …, n - 1.
        shape: a tuple of ints and scalar tensors, or an integer vector.
        replace: whether a row may be chosen more than once.
        p: a vector of weights of the rows, not negative, whose sum may be any; None: equal ones.}],
    "A tensor of the shape followed by that of a row. Gradients flow to x.">;
