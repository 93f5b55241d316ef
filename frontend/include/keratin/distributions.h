// K functions: logarithms of the densities of distributions, of those that count of their
// probabilities, as scipy.stats has them (logpdf, logpmf), with SciPy's parameters.
//
// Operands are broadcast; integers and bools become floatx. Outside of where a distribution lies
// the result is -inf, and no gradient flows; NaN for parameters that none has, such as a scale that
// is not positive. Gradients flow to what is drawn and to parameters.
#ifndef KERATIN_DISTRIBUTIONS_H
#define KERATIN_DISTRIBUTIONS_H

#include "keratin/arguments.h"

namespace keratin::backend {

//===-- Of numbers ----------------------------------------------------------------------------===//

Tensor normal_log_prob(const Operand &x, const Operand &loc, const Operand &scale,
                       SourceLocation location = SourceLocation::current());
// Of exp(y) for a normal y with mean log(scale) and standard deviation s.
Tensor lognormal_log_prob(const Operand &x, const Operand &s, const Operand &scale = 1.0,
                          SourceLocation location = SourceLocation::current());
Tensor half_normal_log_prob(const Operand &x, const Operand &scale = 1.0,
                            SourceLocation location = SourceLocation::current());
Tensor student_t_log_prob(const Operand &x, const Operand &df, const Operand &loc,
                          const Operand &scale,
                          SourceLocation location = SourceLocation::current());
Tensor cauchy_log_prob(const Operand &x, const Operand &loc, const Operand &scale,
                       SourceLocation location = SourceLocation::current());
Tensor laplace_log_prob(const Operand &x, const Operand &loc, const Operand &scale,
                        SourceLocation location = SourceLocation::current());
Tensor exponential_log_prob(const Operand &x, const Operand &scale = 1.0,
                            SourceLocation location = SourceLocation::current());
Tensor gamma_log_prob(const Operand &x, const Operand &a, const Operand &scale = 1.0,
                      SourceLocation location = SourceLocation::current());
Tensor inverse_gamma_log_prob(const Operand &x, const Operand &a, const Operand &scale = 1.0,
                              SourceLocation location = SourceLocation::current());
Tensor beta_log_prob(const Operand &x, const Operand &a, const Operand &b,
                     SourceLocation location = SourceLocation::current());
Tensor chi2_log_prob(const Operand &x, const Operand &df,
                     SourceLocation location = SourceLocation::current());
// From loc to loc + scale.
Tensor uniform_log_prob(const Operand &x, const Operand &loc, const Operand &scale,
                        SourceLocation location = SourceLocation::current());

//===-- Of counts -----------------------------------------------------------------------------===//

// 1 with probability sigmoid(logits), else 0.
Tensor bernoulli_log_prob(const Operand &k, const Operand &logits,
                          SourceLocation location = SourceLocation::current());
Tensor binomial_log_prob(const Operand &k, const Operand &n, const Operand &p,
                         SourceLocation location = SourceLocation::current());
Tensor poisson_log_prob(const Operand &k, const Operand &mu,
                        SourceLocation location = SourceLocation::current());
Tensor negative_binomial_log_prob(const Operand &k, const Operand &n, const Operand &p,
                                  SourceLocation location = SourceLocation::current());
// Of classes k, integers, with the probabilities of softmax along the last axis of logits.
Tensor categorical_log_prob(const Operand &k, const Operand &logits,
                            SourceLocation location = SourceLocation::current());

//===-- Of vectors ----------------------------------------------------------------------------===//

// Along the last axis; that the numbers sum to 1 is not checked.
Tensor dirichlet_log_prob(const Operand &x, const Operand &alpha,
                          SourceLocation location = SourceLocation::current());
// Of vectors along the last axis, with a mean and a covariance matrix; NaN where that is not
// positive definite.
Tensor multivariate_normal_log_prob(const Operand &x, const Operand &mean, const Operand &cov,
                                    SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_DISTRIBUTIONS_H
