// Runs single ops and functions with the reference interpreter; results as text.
#ifndef KERATIN_TESTS_UNIT_INTERPRETERHARNESS_H
#define KERATIN_TESTS_UNIT_INTERPRETERHARNESS_H

#include "ir/reference/EvaluationContext.h"
#include "ir/reference/HostTensor.h"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace keratin::tests {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

// Tensors with as many elements as the dimensions say; without dimensions a vector.
ir::HostTensor floats(std::vector<double> elements, std::vector<int64_t> dims = {-1},
                      keratin_dtype_t dtype = KERATIN_DTYPE_FLOAT32);
ir::HostTensor ints(keratin_dtype_t dtype, std::vector<int64_t> elements,
                    std::vector<int64_t> dims = {-1});
ir::HostTensor bools(std::vector<int64_t> elements);

// Runs @main of the module. Gives "tensor<3xf32> [1, 2, 3]" for each result, one a line, or
// "error: …"; "invalid IR" if it does not parse or verify.
std::string runModule(const std::string &module, const std::vector<ir::HostTensor> &arguments,
                      ir::EvaluationContext &context);
std::string runModule(const std::string &module, const std::vector<ir::HostTensor> &arguments);

// Runs one op with a static result type, whose text ends in it; operands are %0, %1, … with the
// types of the arguments.
std::string runOp(const std::string &op, const std::vector<ir::HostTensor> &arguments = {});
// The same for `keratin.NAME` of operands and a result that all have the first argument's type.
std::string runUniform(const std::string &name, const std::vector<ir::HostTensor> &arguments,
                       const std::string &attributes = "");

} // namespace keratin::tests

#endif // KERATIN_TESTS_UNIT_INTERPRETERHARNESS_H
