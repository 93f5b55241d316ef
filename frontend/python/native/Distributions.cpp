#include "keratin/distributions.h"
#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

void keratin::python::registerDistributions(nb::module_ &m) {
  add<&K::bernoulli_log_prob>(m, "bernoulli_log_prob");
  add<&K::beta_log_prob>(m, "beta_log_prob");
  add<&K::binomial_log_prob>(m, "binomial_log_prob");
  add<&K::categorical_log_prob>(m, "categorical_log_prob");
  add<&K::cauchy_log_prob>(m, "cauchy_log_prob");
  add<&K::chi2_log_prob>(m, "chi2_log_prob");
  add<&K::dirichlet_log_prob>(m, "dirichlet_log_prob");
  add<&K::exponential_log_prob>(m, "exponential_log_prob");
  add<&K::gamma_log_prob>(m, "gamma_log_prob");
  add<&K::half_normal_log_prob>(m, "half_normal_log_prob");
  add<&K::inverse_gamma_log_prob>(m, "inverse_gamma_log_prob");
  add<&K::laplace_log_prob>(m, "laplace_log_prob");
  add<&K::lognormal_log_prob>(m, "lognormal_log_prob");
  add<&K::multivariate_normal_log_prob>(m, "multivariate_normal_log_prob");
  add<&K::negative_binomial_log_prob>(m, "negative_binomial_log_prob");
  add<&K::normal_log_prob>(m, "normal_log_prob");
  add<&K::poisson_log_prob>(m, "poisson_log_prob");
  add<&K::student_t_log_prob>(m, "student_t_log_prob");
  add<&K::uniform_log_prob>(m, "uniform_log_prob");
}
