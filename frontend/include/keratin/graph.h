// K functions: the graph and what is known of its tensors.
#ifndef KERATIN_GRAPH_H
#define KERATIN_GRAPH_H

#include "keratin/session.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace keratin::backend {

// 1, 2, … for each prefix.
int64_t get_uid(const std::string &prefix = "");
void reset_uids();
// Resets uids, names and the learning phase and drops cached code; tensors, variables and functions
// stay as they are.
void clear_session();
// Variables always hold their initial value here, so the flag changes nothing.
void manual_variable_initialization(bool value);
// What set_session was given, else one that is always there.
std::shared_ptr<Session> get_session();
void set_session(std::shared_ptr<Session> session);

// Names of tensors that this thread makes while it lives start with "outer/inner/". Ends in the
// thread that it began in, as control_dependencies does.
class name_scope {
public:
  explicit name_scope(const std::string &name = "");
  ~name_scope();
  name_scope(const name_scope &) = delete;
  name_scope &operator=(const name_scope &) = delete;
  // The whole scope, ending in '/'; "" for none.
  const std::string &name() const { return current; }

private:
  std::string current;
};

// While it lives, tensors that this thread makes are evaluated after the update ops, and where they
// read a variable that these assign, they read its new value. Each op happens once a call, whatever
// branch is taken.
class control_dependencies {
public:
  explicit control_dependencies(const std::vector<Tensor> &control_inputs);
  explicit control_dependencies(const Tensor &op) : control_dependencies(std::vector<Tensor>{op}) {}
  explicit control_dependencies(std::nullopt_t) : control_dependencies(std::vector<Tensor>()) {}
  ~control_dependencies();
  control_dependencies(const control_dependencies &) = delete;
  control_dependencies &operator=(const control_dependencies &) = delete;

private:
  std::vector<Tensor> held;
};

// Made by a Keras layer: never in C++. ValueError unless x is a tensor.
bool is_keras_tensor(const Operand &x);
bool is_tensor(const Operand &x);
// Whether both are handles on one value of the graph: what Python's `is` says. K::equal compares
// elements.
inline bool is_same(const Tensor &a, const Tensor &b) { return std::equal_to<Tensor>()(a, b); }
bool is_variable(const Operand &x);
// False for the learning phase, which has a default.
bool is_placeholder(const Operand &x);

// The sizes at run time, an int32 vector.
Tensor shape(const Operand &x, SourceLocation location = SourceLocation::current());
StaticShape int_shape(const Operand &x);
StaticShape get_variable_shape(const Operand &x);
int64_t ndim(const Operand &x);
// The number of elements at run time, an int32 scalar.
Tensor size(const Operand &x, const std::string &name = "",
            SourceLocation location = SourceLocation::current());
std::string dtype(const Operand &x);
// ValueError if a size is unknown.
int64_t count_params(const Operand &x);

// One entry for each variable (or placeholder, or any tensor), of its shape and dtype: the
// derivative of the loss (its sum, if it is no scalar). Absent where the loss does not depend on it
// in a differentiable way: has_value() is false, and using it a ValueError that names the variable.
// That of a sparse tensor is sparse: of what is stored. Gradients have gradients.
std::vector<Gradient> gradients(const Tensor &loss, const TensorList &variables,
                                SourceLocation location = SourceLocation::current());
// How each output changes with the inputs along their tangents, which have the inputs' shapes and
// dtypes: the sum, over the inputs, of its derivative times the tangent, in forward mode. Zeros
// where it does not depend on them in a differentiable way.
std::vector<Tensor> jvp(const TensorList &outputs, const TensorList &inputs,
                        const TensorList &tangents,
                        SourceLocation location = SourceLocation::current());
// The gradient, for each input, of the sum of the outputs' elements times those of their
// cotangents, which have the outputs' shapes and dtypes. Zeros where no output depends on it.
std::vector<Tensor> vector_jacobian_product(const TensorList &outputs, const TensorList &inputs,
                                            const TensorList &cotangents,
                                            SourceLocation location = SourceLocation::current());
// The second derivatives of the loss (its sum, if it is no scalar) with respect to x times v, of
// which there is one for each x: how the gradients change along v.
std::vector<Tensor> hessian_vector_product(const Tensor &loss, const TensorList &x,
                                           const TensorList &v,
                                           SourceLocation location = SourceLocation::current());
// The derivative of each element of the output by each of an input, for each input: a tensor of the
// output's shape and, behind it, the input's. mode "forward": by jvp for all elements of the inputs
// at once; "reverse": by vector_jacobian_product for all elements of the output; "auto": whichever
// are fewer, where sizes are known, else reverse. Zeros where it does not depend on the input.
std::vector<Tensor> jacobian(const Tensor &output, const TensorList &inputs,
                             const std::string &mode = "auto",
                             SourceLocation location = SourceLocation::current());
// The second derivatives of the loss (its sum, if it is no scalar) by all pairs of elements of x: a
// tensor of x's shape and, behind it, x's shape. Forward over reverse, for all elements at once.
Tensor hessian(const Tensor &loss, const Tensor &x,
               SourceLocation location = SourceLocation::current());
// The same value, a constant for derivatives.
Tensor stop_gradient(const Operand &variables, SourceLocation location = SourceLocation::current());
std::vector<Tensor> stop_gradient(const std::vector<Tensor> &variables,
                                  SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_GRAPH_H
