// reduce: reductions along each of the axes of what no cache holds, which should cost one pass over
// it, and of what the caches hold.
#include "benchmarks/keratin-bench/Bench.h"

#include <algorithm>
#include <cmath>

using namespace keratin::bench;
namespace K = keratin::backend;
using keratin::DType;

namespace {

using Sizes = std::vector<int64_t>;

struct Case {
  const char *function;
  Sizes axes;
  Sizes dims{256, 256, 256};
  DType dtype = DType::Float32;
  bool isKnown = true; // what the sizes are
};

// One of the functions of a line, in double precision, and how far off a result may be.
struct Function {
  const char *name;
  K::Tensor (*build)(const K::Tensor &x, const Sizes &axes);
  double (*ofLine)(const double *line, size_t length);
  double absolute, relative;
};

double sumOf(const double *line, size_t length) {
  double sum = 0;
  for (size_t i = 0; i < length; ++i)
    sum += line[i];
  return sum;
}

double varianceOf(const double *line, size_t length) {
  double mean = sumOf(line, length) / double(length), sum = 0;
  for (size_t i = 0; i < length; ++i)
    sum += (line[i] - mean) * (line[i] - mean);
  return sum / double(length);
}

double logsumexpOf(const double *line, size_t length) {
  double sum = 0;
  for (size_t i = 0; i < length; ++i)
    sum += std::exp(line[i]);
  return std::log(sum);
}

const Function functions[] = {
    {"sum", [](const K::Tensor &x, const Sizes &axes) { return K::sum(x, axes); }, sumOf, 0, 1e-5},
    {"mean", [](const K::Tensor &x, const Sizes &axes) { return K::mean(x, axes); },
     [](const double *line, size_t length) { return sumOf(line, length) / double(length); }, 0,
     1e-5},
    {"max", [](const K::Tensor &x, const Sizes &axes) { return K::max(x, axes); },
     [](const double *line, size_t length) { return *std::max_element(line, line + length); }, 0,
     0},
    {"prod", [](const K::Tensor &x, const Sizes &axes) { return K::prod(x, axes); },
     [](const double *line, size_t length) {
       double product = 1;
       for (size_t i = 0; i < length; ++i)
         product *= line[i];
       return product;
     },
     1e-30, 1e-4},
    {"any", [](const K::Tensor &x, const Sizes &axes) { return K::any(x, axes); },
     [](const double *line, size_t length) {
       return double(std::any_of(line, line + length, [](double x) { return x != 0; }));
     },
     0, 0},
    {"argmax",
     [](const K::Tensor &x, const Sizes &axes) { return K::argmax(x, keratin::Axis(axes[0])); },
     [](const double *line, size_t length) {
       return double(std::max_element(line, line + length) - line);
     },
     0, 0},
    {"logsumexp", [](const K::Tensor &x, const Sizes &axes) { return K::logsumexp(x, axes); },
     logsumexpOf, 1e-5, 1e-5},
    {"var", [](const K::Tensor &x, const Sizes &axes) { return K::var(x, axes); }, varianceOf, 1e-5,
     1e-5},
};

const Case cases[] = {
    {"sum", {0}},
    {"sum", {1}},
    {"sum", {2}},
    {"sum", {0, 1}},
    {"sum", {1, 2}},
    {"sum", {0, 2}},
    {"sum", {0, 1, 2}},
    {"sum", {0}, {256, 256, 256}, DType::Float32, false},
    {"sum", {1}, {256, 256, 256}, DType::Float32, false},
    {"sum", {2}, {256, 256, 256}, DType::Float32, false},
    {"sum", {0, 2}, {256, 256, 256}, DType::Float32, false},
    {"sum", {0}, {512, 256, 256}, DType::Float16},
    {"sum", {2}, {256, 256, 512}, DType::Float16},
    {"sum", {0}, {512, 256, 256}, DType::BFloat16},
    {"sum", {1}, {256, 512, 256}, DType::BFloat16},
    {"sum", {2}, {256, 256, 512}, DType::BFloat16},
    {"sum", {0}, {128, 256, 256}, DType::Float64},
    {"sum", {2}, {256, 256, 128}, DType::Float64},
    {"mean", {0}},
    {"max", {0}},
    {"max", {2}},
    {"prod", {0}},
    {"any", {0}, {1024, 256, 256}, DType::Bool},
    {"any", {2}, {256, 256, 1024}, DType::Bool},
    {"argmax", {0}},
    {"argmax", {2}},
    {"logsumexp", {0}},
    {"logsumexp", {2}},
    {"var", {0}},
    {"var", {2}},
    // In the L3, in the L2, in the L1.
    {"sum", {0}, {1024, 1024}},
    {"sum", {1}, {1024, 1024}},
    {"sum", {0}, {512, 256}},
    {"sum", {1}, {512, 256}},
    {"sum", {0}, {64, 96}},
    {"sum", {1}, {64, 96}},
    {"logsumexp", {0}, {1024, 1024}},
    {"var", {0}, {1024, 1024}},
    // Rows without an end, and few of them.
    {"sum", {0}, {100352, 64}},
    {"var", {0}, {100352, 64}},
    {"sum", {0}, {8, 1 << 20}},
};

std::string textOf(const Sizes &sizes, const char *between) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : between) + std::to_string(size);
  return text;
}

std::string nameOf(const Case &c) {
  std::string axes = textOf(c.axes, ",");
  std::string name = std::string(c.function) + " " + (c.axes.size() > 1 ? "(" + axes + ")" : axes);
  if (c.dims != Sizes{256, 256, 256})
    name += " of " + textOf(c.dims, "x");
  if (c.dtype != DType::Float32)
    name += " " + std::string(keratin::dtypeName(c.dtype));
  return c.isKnown ? name : name + ", unknown sizes";
}

// Inputs are made once for all cases that have the same ones, one after the other.
struct Input {
  Sizes dims;
  DType dtype;
  K::Array array;
  Doubles values;
};

void fill(Input &input, const Case &c) {
  if (input.dims == c.dims && input.dtype == c.dtype)
    return;
  // Positive, so that a sum's error is one of the result; products neither vanish nor overflow.
  K::Array numbers = randomArray(c.dims, 0.5, 1.5, 1);
  if (c.dtype == DType::Bool)
    for (int64_t i = 0; i < numbers.size(); ++i)
      numbers.data<float>()[i] = numbers.data<float>()[i] > 1.499f;
  input.dims = c.dims;
  input.dtype = c.dtype;
  input.array = numbers.astype(c.dtype);
  input.values = toDoubles(input.array.astype(DType::Float32));
}

// Lines are gathered: elements that become one, one after the other.
Doubles expectedOf(const Case &c, const Function &function, const Doubles &values) {
  Sizes kept, reduced, keptSteps, reducedSteps;
  int64_t step = 1;
  for (size_t axis = c.dims.size(); axis-- > 0; step *= c.dims[axis]) {
    const bool isReduced = std::count(c.axes.begin(), c.axes.end(), int64_t(axis)) > 0;
    (isReduced ? reduced : kept).push_back(c.dims[axis]);
    (isReduced ? reducedSteps : keptSteps).push_back(step);
  }
  auto placesOf = [](const Sizes &sizes, const Sizes &steps) {
    Sizes places{0};
    for (size_t i = 0; i < sizes.size(); ++i) {
      Sizes more;
      for (int64_t index = 0; index < sizes[i]; ++index)
        for (int64_t place : places)
          more.push_back(place + index * steps[i]);
      places = std::move(more);
    }
    return places;
  };
  Doubles results;
  const Sizes along = placesOf(reduced, reducedSteps);
  Doubles line(along.size());
  for (int64_t start : placesOf(kept, keptSteps)) {
    for (size_t i = 0; i < along.size(); ++i)
      line[i] = values[size_t(start + along[i])];
    results.push_back(function.ofLine(line.data(), line.size()));
  }
  return results;
}

// For results alone fewer elements will do.
Sizes fewerOf(Sizes dims) {
  for (int64_t &size : dims)
    size = size > 128 ? size / 8 : size;
  return dims;
}

void run(Bench &bench, Case c, Input &input) {
  const std::string name = nameOf(c);
  if (!bench.wants(name))
    return;
  if (bench.checkOnly())
    c.dims = fewerOf(c.dims);
  const Function &function =
      *std::find_if(std::begin(functions), std::end(functions),
                    [&](const Function &f) { return std::string(f.name) == c.function; });
  fill(input, c);
  keratin::StaticShape shape(c.dims.size());
  if (c.isKnown)
    shape.assign(c.dims.begin(), c.dims.end());
  K::Tensor x = K::placeholder(shape, keratin::None, c.dtype);
  K::Function f = K::function({x}, {function.build(x, c.axes)});

  Row row;
  row.name = "reduce";
  row.caseName = name;
  row.describe(f);
  row.work.readBytes = double(input.array.bytes());
  std::vector<K::Array> outputs;
  f.call(&input.array, 1, outputs);
  // A result in 16 bits is rounded.
  const bool isNarrow = keratin::dtypeSize(c.dtype) == 2;
  Bench::expectNear(row.caseName, outputs[0].astype(DType::Float32),
                    expectedOf(c, function, input.values).data(), function.absolute,
                    isNarrow ? 0.01 : function.relative);
  bench.time(row, [&] { f.call(&input.array, 1, outputs); });
}

} // namespace

void keratin::bench::runReduce(Bench &bench) {
  Input input;
  for (const Case &c : cases)
    run(bench, c, input);
}
