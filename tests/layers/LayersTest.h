// What the tests of layers, optimizers and training share.
#ifndef KERATIN_TESTS_LAYERS_LAYERSTEST_H
#define KERATIN_TESTS_LAYERS_LAYERSTEST_H

#include "keratin/layers.h"
#include "keratin/optimizers.h"
#include "keratin/training.h"

#include "tests/frontend/FrontendTest.h"

namespace layers = keratin::layers;
namespace optimizers = keratin::optimizers;
namespace training = keratin::training;

// Variables are float64 and names begin anew while it lives.
class Doubles {
public:
  Doubles() {
    K::clear_session();
    K::set_floatx("float64");
  }
  ~Doubles() { K::set_floatx("float32"); }
};

// Numbers that a formula gives, the same in numpy_values.py.
inline Array wave(double phase, const std::vector<int64_t> &shape) {
  Array numbers = Array::empty(DType::Float64, shape);
  for (int64_t i = 0; i < numbers.size(); ++i)
    numbers.data<double>()[i] = std::sin(0.7 * double(i) + phase);
  return numbers;
}

inline layers::Initializer waves(double phase) {
  return [phase](const std::vector<int64_t> &shape) { return wave(phase, shape); };
}

#endif // KERATIN_TESTS_LAYERS_LAYERSTEST_H
