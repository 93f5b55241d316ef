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

//===-- Logarithms of densities -----------------------------------------------------------------===//

// Logarithms of densities and probabilities.
class Keratin_LogProb<string name, string parameters, string what, string reference, string logs>
    : Keratin_Extension<name # "_log_prob", name # "_log_prob(" # parameters # ")"> {
  let documentation = logs # " of " # what # ", as of scipy.stats." # reference # [{.

    Args:
        }] # !subst("=1.0", "", parameters) # [{: tensors or what becomes tensors, which are broadcast; integers and bools
            become floatx().

    Returns:
        A tensor of the widest dtype: -inf outside of where the distribution lies, without a
        gradient there; NaN for parameters that no distribution has. Gradients flow to all.
  }];
}
class Keratin_LogDensity<string name, string parameters, string what, string reference>
    : Keratin_LogProb<name, parameters, what, reference, "The logarithm of the density">;
class Keratin_LogProbability<string name, string parameters, string what, string reference>
    : Keratin_LogProb<name, parameters, what, reference, "The logarithm of the probability of k">;

def Api_normal_log_prob : Keratin_LogDensity<"normal", "x, loc, scale",
    "the normal distribution", "norm">;
def Api_lognormal_log_prob : Keratin_LogDensity<"lognormal", "x, s, scale=1.0",
    "the lognormal distribution", "lognorm">;
def Api_half_normal_log_prob : Keratin_LogDensity<"half_normal", "x, scale=1.0",
    "the half-normal distribution", "halfnorm">;
def Api_student_t_log_prob : Keratin_LogDensity<"student_t", "x, df, loc, scale",
    "Student's t distribution", "t">;
def Api_cauchy_log_prob : Keratin_LogDensity<"cauchy", "x, loc, scale",
    "the Cauchy distribution", "cauchy">;
def Api_laplace_log_prob : Keratin_LogDensity<"laplace", "x, loc, scale",
    "the Laplace distribution", "laplace">;
def Api_exponential_log_prob : Keratin_LogDensity<"exponential", "x, scale=1.0",
    "the exponential distribution", "expon">;
def Api_gamma_log_prob : Keratin_LogDensity<"gamma", "x, a, scale=1.0",
    "the gamma distribution", "gamma">;
def Api_inverse_gamma_log_prob : Keratin_LogDensity<"inverse_gamma", "x, a, scale=1.0",
    "the inverse gamma distribution", "invgamma">;
def Api_beta_log_prob : Keratin_LogDensity<"beta", "x, a, b",
    "the beta distribution", "beta">;
def Api_chi2_log_prob : Keratin_LogDensity<"chi2", "x, df",
    "the chi-square distribution", "chi2">;
def Api_uniform_log_prob : Keratin_LogDensity<"uniform", "x, loc, scale",
    "the uniform distribution from loc to loc + scale", "uniform">;
def Api_binomial_log_prob : Keratin_LogProbability<"binomial", "k, n, p",
    "the binomial distribution", "binom">;
def Api_poisson_log_prob : Keratin_LogProbability<"poisson", "k, mu",
    "the Poisson distribution", "poisson">;
def Api_negative_binomial_log_prob : Keratin_LogProbability<"negative_binomial", "k, n, p",
    "the negative binomial distribution", "nbinom">;
def Api_bernoulli_log_prob : Keratin_Extension<"bernoulli_log_prob", "bernoulli_log_prob(k, logits)"> {
  let documentation = [{
    The logarithm of the probability of k: of 1 it is sigmoid(logits), of 0 the rest.

    Args:
        k, logits: tensors or what becomes tensors, which are broadcast; integers and bools become
            floatx().

    Returns:
        A tensor of the wider dtype; -inf where k is neither 0 nor 1.
  }];
}
def Api_categorical_log_prob : Keratin_Extension<"categorical_log_prob", "categorical_log_prob(k, logits)"> {
  let documentation = [{
    The logarithm of the probability of a class, which is that of softmax(logits).

    Args:
        k: an integer tensor of classes.
        logits: a tensor, whose last axis is that of the classes; the others are broadcast with k's.

    Returns:
        A tensor of k's shape and the logits' dtype; -inf where k is no class.

    Raises:
        TypeError: for classes that are no integers.
        ValueError: for scalar logits.
  }];
}
def Api_dirichlet_log_prob : Keratin_Extension<"dirichlet_log_prob", "dirichlet_log_prob(x, alpha)"> {
  let documentation = [{
    The logarithm of the density of the Dirichlet distribution, as of scipy.stats.dirichlet.

    Args:
        x: vectors along the last axis, whose numbers sum to 1, which is not checked.
        alpha: the parameters, which are broadcast with x.

    Returns:
        A tensor without the last axis; -inf for vectors with a number that is not from 0 to 1.

    Raises:
        ValueError: for scalars.
  }];
}
def Api_multivariate_normal_log_prob : Keratin_Extension<"multivariate_normal_log_prob",
    "multivariate_normal_log_prob(x, mean, cov)"> {
  let documentation = [{
    The logarithm of the density of a normal distribution of vectors, with a covariance matrix.

    Args:
        x: vectors along the last axis.
        mean: the mean, which is broadcast with x.
        cov: the covariance matrix, of which the lower triangle is read.

    Returns:
        A tensor without the last axis; NaN for a matrix that is not positive definite.

    Raises:
        ValueError: for an x that is a scalar and a cov that is no matrix of its size.
  }];
}
