// What the API has for scientists: derivatives against central differences, and how C++ calls it.
// Values are compared with NumPy's in tests/python/mathematics_test.py.
#include "tests/frontend/GradientCheck.h"

#include <limits>

static const double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("gradients of mathematical functions") {
  Array square{{0.3, -1.2, 2.1}, {1.7, 0.4, -0.6}, {0.9, -0.2, 1.4}};
  Tensor other = K::constant(Array{{0.5, -0.7, 1.9}, {-1.1, 0.8, 0.2}}, "float64");
  Tensor ids = K::constant(Array{1, 1}, "int32"),
         places = K::constant(Array{{2, 0}, {1, 1}}, "int64");
  for (const GradientCase &test : std::vector<GradientCase>{
           {"expm1", [](auto &x) { return K::expm1(x); }},
           {"log1p", [](auto &x) { return K::log1p(K::square(x)); }},
           {"sinc", [](auto &x) { return K::sinc(x * 0.5); }},
           {"hypot", [=](auto &x) { return K::hypot(x, other); }},
           {"hypot of equals", [](auto &x) { return K::hypot(x, x); }},
           {"atan2", [=](auto &x) { return K::atan2(x, other); }},
           {"atan2, the other", [=](auto &x) { return K::atan2(other, x); }},
           {"xlogy", [](auto &x) { return K::xlogy(x, K::square(x) + 0.1); }},
           {"lgamma", [](auto &x) { return K::lgamma(x) * K::digamma(x); }},
           {"polygamma", [](auto &x) { return K::polygamma(1, x); }},
           {"igamma", [](auto &x) { return K::igamma(2.5, K::square(x) + 0.1); }},
           {"igammac", [](auto &x) { return K::igammac(25.0, K::square(x) * 5 + 10.0); }},
           {"betainc", [](auto &x) { return K::betainc(2.0, 3.5, K::sigmoid(x)); }},
           {"zeta", [](auto &x) { return K::zeta(2.5, K::square(x) + 0.1); }},
           {"ndtr", [](auto &x) { return K::ndtr(x) * K::log_ndtr(x); }},
           {"ndtri", [](auto &x) { return K::ndtri(K::sigmoid(x)); }},
           {"bessel", [](auto &x) { return K::bessel_i0e(x) * K::bessel_i1e(x); }},
           {"cummax", [](auto &x) { return K::cummax(K::square(x), 1); }},
           {"cummin", [](auto &x) { return K::cummin(x, 0); }},
           {"cumlogsumexp", [](auto &x) { return K::cumlogsumexp(x, 1); }},
           {"segment_max", [=](auto &x) { return K::segment_max(K::square(x), ids, 2)[1]; }},
           {"segment_min", [=](auto &x) { return K::segment_min(x, ids, 2)[1]; }},
           {"sort", [](auto &x) { return K::sort(x, 1); }},
           {"take_along_axis", [=](auto &x) { return K::take_along_axis(x, places); }},
           {"roll", [](auto &x) { return K::roll(K::square(x), 2); }},
           {"roll along axes", [](auto &x) { return K::roll(K::square(x), {1, -1}, {0, 1}); }},
           {"nanvar", [](auto &x) { return K::nanvar(x, {.axis = 1}); }},
           {"nanprod", [](auto &x) { return K::nanprod(x, {.axis = 0}); }},
           {"segment_sum", [=](auto &x) { return K::segment_sum(K::square(x), ids, 3); }},
           {"segment_mean", [=](auto &x) { return K::segment_mean(K::square(x), ids, 2); }},
           {"bincount",
            [=](auto &x) {
              return K::bincount(K::constant(Array{{0, 2, 0}, {1, 1, 2}}, "int32"), 3,
                                 K::square(x));
            }},
           {"tril", [](auto &x) { return K::tril(K::square(x)); }},
           {"kron", [=](auto &x) { return K::kron(x, other); }},
           {"cross", [=](auto &x) { return K::cross(x, other) * x; }},
           {"norm", [](auto &x) { return K::norm(x, {.axis = 1}); }},
           {"norm of order 3", [](auto &x) { return K::norm(x, 3, 0); }},
           {"norm of order inf",
            [](auto &x) { return K::norm(x, infinity, 1) * K::norm(x, 1, 1); }},
           {"norm of matrices", [](auto &x) { return K::norm(x, 1) * K::norm(x, "fro"); }},
           {"matrix_power", [](auto &x) { return K::matrix_power(x, 5); }, square},
           {"linspace",
            [](auto &x) {
              return K::linspace(x[{0, 0}], x[{1, 1}], {.num = 4, .dtype = "float64"});
            }},
       })
    checkGradient(test);
}

TEST_CASE("gradients of factorizations") {
  Array square{{0.3, -1.2, 2.1}, {1.7, 0.4, -0.6}, {0.9, -0.2, 1.4}};
  Array batch{{{0.3, -1.2}, {1.7, 0.4}}, {{0.9, 2.1}, {-0.6, 1.4}}};
  Tensor b = K::constant(Array{{0.5, -0.7}, {1.9, -1.1}, {0.8, 0.2}}, "float64");
  Tensor unit = K::eye(3, "float64");
  auto definite = [=](const Tensor &x) { return K::dot(x, K::transpose(x)) + unit; };
  for (GradientCase test : std::vector<GradientCase>{
           {"cholesky", [=](auto &x) { return K::cholesky(definite(x)); }, square},
           {"cholesky_solve",
            [=](auto &x) { return K::cholesky_solve(K::cholesky(definite(x)), b); }, square},
           {"triangular_solve",
            [=](auto &x) {
              return K::triangular_solve(x + unit, x, {.lower = false, .transposed = true});
            },
            square},
           {"lu", [](auto &x) { return K::lu(x).factors; }, square},
           {"solve", [=](auto &x) { return K::solve(x, b); }, square},
           {"solve for vectors", [=](auto &x) { return K::solve(x, x[0]); }, batch},
           {"inv", [](auto &x) { return K::inv(x); }, batch},
           {"det", [](auto &x) { return K::det(x); }, square},
           {"det of batches", [](auto &x) { return K::det(x); }, batch},
           {"slogdet", [](auto &x) { return K::slogdet(x).logabsdet; }, batch},
           {"powers below 0", [](auto &x) { return K::matrix_power(x, -2); }, square},
       }) {
    // lu has tangents where matrices are known to be square.
    test.needsSizes = true;
    checkGradient(test);
  }
}

TEST_CASE("gradients of orthonormal factors") {
  Array square{{0.3, -1.2, 2.1}, {1.7, 0.4, -0.6}, {0.9, -0.2, 1.4}};
  Array tall{{1.3, -0.2}, {0.7, 2.4}, {0.9, -1.1}};
  Array batch{{{0.3, -1.2}, {1.7, 0.4}}, {{0.9, 2.1}, {-0.6, 1.4}}};
  Array wide{{1.3, 0.7, 0.9}, {-0.2, 2.4, -1.1}};
  auto symmetric = [](const Tensor &x) { return x + K::transpose(x); };
  for (const GradientCase &test : std::vector<GradientCase>{
           {"q", [](auto &x) { return K::qr(x).q; }, tall, true},
           {"r", [](auto &x) { return K::qr(x).r; }, batch, true},
           {"eigenvalues", [=](auto &x) { return K::eigvalsh(symmetric(x)); }, square},
           {"eigenvectors", [=](auto &x) { return K::eigh(symmetric(x)).vectors; }, square},
           {"u", [](auto &x) { return K::svd(x).u; }, tall},
           {"singular values", [](auto &x) { return K::svd(x).s; }, batch},
           {"vt", [](auto &x) { return K::svd(x).vt; }, wide},
           {"pinv", [](auto &x) { return K::pinv(x); }, tall},
           {"lstsq", [](auto &x) { return K::lstsq(x, Array{0.5, -0.7, 1.9}); }, tall},
           {"expm", [](auto &x) { return K::expm(x); }, square},
           {"norms", [](auto &x) { return K::norm(x, 2) + K::norm(x, -2) + K::norm(x, "nuc"); },
            wide},
       })
    checkGradient(test);
}

TEST_CASE("options of mathematical functions") {
  Tensor x = K::constant(Array{{3.0, 4.0}, {5.0, 12.0}});
  checkValue(K::norm(x, {.axis = 1, .keepdims = true}), Array{{5.0}, {13.0}});
  checkValue(K::norm(x, {.ord = infinity, .axis = 0}), Array{5.0, 12.0});
  checkValue(K::nansum(x, {.axis = 0}), Array{8.0, 16.0});
  checkValue(K::linspace(0, 1, {.num = 4, .endpoint = false}), Array{0.0, 0.25, 0.5, 0.75});
  checkValue(K::triangular_solve(x, Array{6.0, 10.0}, {.transposed = true, .unit_diagonal = true}),
             Array{-44.0, 10.0});
  checkValue(K::meshgrid({Array{1, 2}, Array{3}})[1], Array{{3, 3}});
}
