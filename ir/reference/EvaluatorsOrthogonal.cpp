// Factorizations with orthonormal factors, one matrix after the other.
#include "ir/reference/Evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

namespace {

// Rows one after the other.
struct Matrix {
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), elements(size_t(rows * columns)) {}

  static Matrix unit(int64_t rows, int64_t columns) {
    Matrix x(rows, columns);
    for (int64_t i = 0; i < std::min(rows, columns); ++i)
      x(i, i) = 1;
    return x;
  }

  double &operator()(int64_t i, int64_t j) { return elements[size_t(i * columns + j)]; }
  double operator()(int64_t i, int64_t j) const { return elements[size_t(i * columns + j)]; }

  Matrix transposed() const {
    Matrix x(columns, rows);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        x(j, i) = (*this)(i, j);
    return x;
  }

  int64_t rows, columns;
  std::vector<double> elements;
};

struct OrthogonalFactors {
  Matrix q, r;
};

struct SingularFactors {
  Matrix u, v;
  std::vector<double> s;
};

} // namespace

// Calls function(number of the matrix, matrix) for each in the last two dimensions.
template <class Function> static void forEachMatrix(const HostTensor &x, const Function &function) {
  const int64_t rows = x.dims[x.dims.size() - 2], columns = x.dims.back(), size = rows * columns;
  for (int64_t i = 0; size > 0 && i < x.size() / size; ++i) {
    Matrix matrix(rows, columns);
    std::copy_n(x.floats.begin() + i * size, size, matrix.elements.begin());
    function(i, matrix);
  }
}

static void put(HostTensor &results, int64_t number, const std::vector<double> &elements) {
  std::copy(elements.begin(), elements.end(),
            results.floats.begin() + number * int64_t(elements.size()));
}

// x without v (v . x), column by column.
static void reflect(Matrix &x, const std::vector<double> &v) {
  for (int64_t j = 0; j < x.columns; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < x.rows; ++i)
      sum += v[size_t(i)] * x(i, j);
    for (int64_t i = 0; i < x.rows; ++i)
      x(i, j) -= v[size_t(i)] * sum;
  }
}

// The reflections of Householder, as LAPACK chooses them: the diagonal of R has the signs that the
// elements there have not, but where there are only zeros below.
static OrthogonalFactors factorOrthogonal(const Matrix &x) {
  const int64_t k = std::min(x.rows, x.columns);
  Matrix r = x;
  std::vector<std::vector<double>> reflections;
  for (int64_t j = 0; j < k; ++j) {
    double size = 0, squares = 0;
    for (int64_t i = j; i < x.rows; ++i)
      size = std::isnan(r(i, j)) ? r(i, j) : std::max(size, std::abs(r(i, j)));
    std::vector<double> v(size_t(x.rows), 0.0);
    for (int64_t i = j; i < x.rows; ++i) {
      v[size_t(i)] = size == 0 ? 0 : r(i, j) / size;
      squares += i > j ? v[size_t(i)] * v[size_t(i)] : 0;
    }
    if (squares == 0)
      continue;
    const double first = v[size_t(j)], norm = std::sqrt(first * first + squares),
                 length = std::sqrt(norm * (norm + std::abs(first)));
    v[size_t(j)] += first < 0 ? -norm : norm;
    for (double &element : v)
      element /= length;
    reflect(r, v);
    reflections.push_back(v);
  }
  Matrix q = Matrix::unit(x.rows, k), upper(k, x.columns);
  for (const std::vector<double> &v : llvm::reverse(reflections))
    reflect(q, v);
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = i; j < x.columns; ++j)
      upper(i, j) = r(i, j);
  return {q, upper};
}

LogicalResult QrOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  forEachMatrix(*operands[0], [&](int64_t number, const Matrix &x) {
    const OrthogonalFactors factors = factorOrthogonal(x);
    put(results[0], number, factors.q.elements);
    put(results[1], number, factors.r.elements);
  });
  return success();
}

//===-- Rotations of Jacobi -------------------------------------------------------------------===//

static constexpr int kMostSweeps = 60;

// The tangent of the smaller angle whose double has this cotangent.
static double tangentOf(double cotangent) {
  const double tangent = 1 / (std::abs(cotangent) + std::hypot(1.0, cotangent));
  return cotangent < 0 ? -tangent : tangent;
}

// Columns p and q become cosine p - sine q and sine p + cosine q.
static void rotateColumns(Matrix &x, int64_t p, int64_t q, double cosine, double sine) {
  for (int64_t i = 0; i < x.rows; ++i) {
    const double first = x(i, p), second = x(i, q);
    x(i, p) = cosine * first - sine * second;
    x(i, q) = sine * first + cosine * second;
  }
}

// Whether there is anything but finite numbers.
static bool hasOthers(const Matrix &x) {
  return !llvm::all_of(x.elements, [](double element) { return std::isfinite(element); });
}

// As passes/linalg/Rotations.h has them.
static double signOfColumn(const Matrix &x, int64_t j) {
  double largest = 0;
  for (int64_t i = 0; i < x.rows; ++i)
    largest = std::max(largest, std::abs(x(i, j)));
  for (int64_t i = 0; i < x.rows; ++i)
    if (std::abs(x(i, j)) >= 0.999 * largest)
      return x(i, j) < 0 ? -1 : 1;
  return 1;
}

// The numbers of the values in their order.
static std::vector<int64_t> sorted(const std::vector<double> &values, bool descending) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t i, int64_t j) {
    const double first = values[size_t(i)], second = values[size_t(j)];
    return first == second ? i < j : descending ? first > second : first < second;
  });
  return order;
}

static Matrix columnsIn(const Matrix &x, const std::vector<int64_t> &order) {
  Matrix result(x.rows, x.columns);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j)
      result(i, j) = x(i, order[size_t(j)]);
  return result;
}

// Element after element of a symmetric matrix becomes 0, from both sides; V has what was turned.
static void diagonalize(Matrix &a, Matrix &v) {
  const int64_t n = a.rows;
  double size = 0;
  for (double element : a.elements)
    size = std::max(size, std::abs(element));
  bool isDone = false;
  for (int sweep = 0; !isDone && sweep < kMostSweeps; ++sweep) {
    isDone = true;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        if (std::abs(a(p, q)) <= 0x1p-60 * size)
          continue;
        isDone = false;
        const double tangent = tangentOf((a(q, q) - a(p, p)) / (2 * a(p, q))),
                     cosine = 1 / std::hypot(1.0, tangent), sine = cosine * tangent;
        rotateColumns(a, p, q, cosine, sine);
        a = a.transposed();
        rotateColumns(a, p, q, cosine, sine);
        rotateColumns(v, p, q, cosine, sine);
        a(p, q) = a(q, p) = 0;
      }
  }
}

LogicalResult EighOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  forEachMatrix(*operands[0], [&](int64_t number, Matrix x) {
    const int64_t n = x.rows;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i + 1; j < n; ++j)
        x(i, j) = x(j, i);
    std::vector<double> values(size_t(n), std::numeric_limits<double>::quiet_NaN());
    Matrix v(n, n);
    if (hasOthers(x)) {
      std::fill(v.elements.begin(), v.elements.end(), std::numeric_limits<double>::quiet_NaN());
    } else {
      v = Matrix::unit(n, n);
      diagonalize(x, v);
      std::vector<double> diagonal;
      for (int64_t i = 0; i < n; ++i)
        diagonal.push_back(x(i, i));
      const std::vector<int64_t> order = sorted(diagonal, /*descending=*/false);
      v = columnsIn(v, order);
      for (int64_t j = 0; j < n; ++j) {
        values[size_t(j)] = diagonal[size_t(order[size_t(j)])];
        const double sign = signOfColumn(v, j);
        for (int64_t i = 0; i < n; ++i)
          v(i, j) *= sign;
      }
    }
    put(results[0], number, values);
    put(results[1], number, v.elements);
  });
  return success();
}

// Columns of a become orthogonal to each other; V has what was turned.
static void orthogonalizeColumns(Matrix &a, Matrix &v) {
  bool isDone = false;
  for (int sweep = 0; !isDone && sweep < kMostSweeps; ++sweep) {
    isDone = true;
    for (int64_t p = 0; p < a.columns; ++p)
      for (int64_t q = p + 1; q < a.columns; ++q) {
        double first = 0, second = 0, both = 0;
        for (int64_t i = 0; i < a.rows; ++i) {
          first += a(i, p) * a(i, p);
          second += a(i, q) * a(i, q);
          both += a(i, p) * a(i, q);
        }
        if (!(std::abs(both) > 0x1p-51 * std::sqrt(first) * std::sqrt(second)))
          continue;
        isDone = false;
        const double tangent = tangentOf((second - first) / (2 * both)),
                     cosine = 1 / std::hypot(1.0, tangent);
        rotateColumns(a, p, q, cosine, cosine * tangent);
        rotateColumns(v, p, q, cosine, cosine * tangent);
      }
  }
}

// Of matrices with as many rows as columns, or more. Columns without a length have no direction:
// those of the reflections that the others need are as good as any.
static SingularFactors factorSingular(Matrix a) {
  const int64_t n = a.columns;
  double size = 0;
  for (double element : a.elements)
    size = std::max(size, std::abs(element));
  for (double &element : a.elements)
    element = size == 0 ? 0 : element / size;
  Matrix v = Matrix::unit(n, n);
  orthogonalizeColumns(a, v);
  std::vector<double> lengths(size_t(n), 0.0), s;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < a.rows; ++i)
      lengths[size_t(j)] += a(i, j) * a(i, j);
    lengths[size_t(j)] = size * std::sqrt(lengths[size_t(j)]);
  }
  const std::vector<int64_t> order = sorted(lengths, /*descending=*/true);
  for (int64_t j : order)
    s.push_back(lengths[size_t(j)]);
  auto [u, r] = factorOrthogonal(columnsIn(a, order));
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < a.rows; ++i)
      u(i, j) *= r(j, j) < 0 ? -1 : 1;
  return {u, columnsIn(v, order), s};
}

LogicalResult SvdOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  forEachMatrix(*operands[0], [&](int64_t number, const Matrix &x) {
    const int64_t k = std::min(x.rows, x.columns);
    if (hasOthers(x)) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      put(results[0], number, std::vector<double>(size_t(x.rows * k), nan));
      put(results[1], number, std::vector<double>(size_t(k), nan));
      put(results[2], number, std::vector<double>(size_t(k * x.columns), nan));
      return;
    }
    const bool isWide = x.rows < x.columns;
    SingularFactors factors = factorSingular(isWide ? x.transposed() : x);
    if (isWide)
      std::swap(factors.u, factors.v);
    for (int64_t j = 0; j < k; ++j) {
      const double sign = signOfColumn(factors.v, j);
      for (int64_t i = 0; i < x.rows; ++i)
        factors.u(i, j) *= sign;
      for (int64_t i = 0; i < x.columns; ++i)
        factors.v(i, j) *= sign;
    }
    put(results[0], number, factors.u.elements);
    put(results[1], number, factors.s);
    put(results[2], number, factors.v.transposed().elements);
  });
  return success();
}
