// Symbolic tensors: handles on values of the graph, and what may stand for one.
#ifndef KERATIN_TENSOR_H
#define KERATIN_TENSOR_H

#include "keratin/array.h"
#include "keratin/source_location.h"

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keratin {

namespace detail {
struct Node;
struct TensorAccess;
} // namespace detail

namespace detail {
class OperandEntry;
} // namespace detail

class IndexList;
class Operand;

// A static shape: None where a size is known only at run time.
using StaticShape = std::vector<std::optional<int64_t>>;
// "(None, 28, 4)"
std::string toString(const StaticShape &shape);

// A reference-counted handle on one value of the graph. Copying it copies the handle. A value that
// no handle and no other value needs is erased. A default-made Tensor is empty: only assigning to
// it, destroying it and isEmpty() are allowed.
class Tensor {
public:
  Tensor() = default;
  Tensor(const Tensor &other) noexcept;
  Tensor(Tensor &&other) noexcept : node(other.node) { other.node = nullptr; }
  Tensor &operator=(Tensor other) noexcept {
    std::swap(node, other.node);
    return *this;
  }
  ~Tensor();

  bool isEmpty() const { return !node; }
  DType dtype() const;
  StaticShape shape() const;
  int64_t ndim() const;
  // Unique among the live tensors: "scope/add:0".
  std::string name() const;
  // As K::eval.
  Array eval(SourceLocation location = SourceLocation::current()) const;
  // As Python's x[key]: see IndexList.
  Tensor operator[](const IndexList &key) const;

  // Whether the value was chosen by K::learning_phase() (K::in_train_phase sets it).
  bool usesLearningPhase() const;
  void setUsesLearningPhase(bool uses);
  // What K::variable was given; null for none.
  std::function<Tensor(const Tensor &)> constraint() const;
  // True for a new variable; kept for the caller, means nothing here.
  bool trainable() const;
  void setTrainable(bool trainable);

  // Tensors have no == and no !=. K::equal and K::not_equal compare elements; K::is_same says
  // whether two are handles on one value, as std::equal_to does, so that tensors may be keys.
  friend bool operator==(const Tensor &, const Tensor &) = delete;  // K::equal, or K::is_same
  friend bool operator!=(const Tensor &, const Tensor &) = delete;  // K::not_equal, or !K::is_same
  friend bool operator==(const Tensor &, const Operand &) = delete; // K::equal
  friend bool operator==(const Operand &, const Tensor &) = delete; // K::equal
  friend bool operator!=(const Tensor &, const Operand &) = delete; // K::not_equal
  friend bool operator!=(const Operand &, const Tensor &) = delete; // K::not_equal

  // As toString.
  friend std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

private:
  friend struct detail::TensorAccess;
  friend struct std::hash<Tensor>;
  friend struct std::equal_to<Tensor>;
  detail::Node *node = nullptr;
};

// "dense/add:0: float32 (None, 4)"; "empty" for an empty tensor.
std::string toString(const Tensor &tensor);

using Constraint = std::function<Tensor(const Tensor &)>;

// An entry of what K::gradients returns: a tensor or, where the loss does not depend on the
// variable in a differentiable way, none. It stands where a tensor does; using one that is absent
// is a ValueError that names the variable and the place of the call of K::gradients.
class Gradient {
public:
  Gradient(Tensor found) : tensor(std::move(found)) {}
  static Gradient absent(Tensor variable, SourceLocation location) {
    Gradient gradient{Tensor()};
    gradient.variable = std::move(variable);
    gradient.location = location;
    return gradient;
  }

  bool has_value() const { return !tensor.isEmpty(); }
  explicit operator bool() const { return has_value(); }
  const Tensor &value() const {
    if (!has_value())
      failAbsent();
    return tensor;
  }
  // The tensor, or another where it is absent: K::zeros_like(w), for one.
  Tensor value_or(Tensor other) const { return has_value() ? tensor : std::move(other); }
  const Tensor &operator*() const { return value(); }
  const Tensor *operator->() const { return &value(); }
  operator const Tensor &() const { return value(); }

private:
  [[noreturn]] void failAbsent() const;

  Tensor tensor;
  Tensor variable; // of one that is absent
  SourceLocation location;
};

// What a K function takes where it needs a tensor: a tensor, a number, a bool, an array, nested
// lists of numbers, or a list that mixes tensors and numbers (stacked). None where the function
// says so. It remembers where it was made, so that an operator knows the line it stands on.
class Operand {
public:
  enum class Kind { Nothing, Tensor, Bool, Integer, Float, Array, List };

  Operand(std::nullopt_t, SourceLocation place = SourceLocation::current()) : location(place) {}
  Operand(const keratin::Tensor &tensor, SourceLocation place = SourceLocation::current())
      : location(place), type(Kind::Tensor), symbolic(tensor) {}
  Operand(const Gradient &gradient, SourceLocation place = SourceLocation::current())
      : Operand(gradient.value(), place) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(T number, SourceLocation place = SourceLocation::current())
      : location(place), type(std::is_same_v<T, bool>       ? Kind::Bool
                              : std::is_floating_point_v<T> ? Kind::Float
                                                            : Kind::Integer),
        value(number) {}
  Operand(Array array, SourceLocation place = SourceLocation::current())
      : location(place), type(array.isNone() ? Kind::Nothing : Kind::Array),
        value(std::move(array)) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(const std::vector<T> &values, SourceLocation place = SourceLocation::current())
      : location(place), type(Kind::Array), value(values) {}
  // Braces around one Operand alone copy it.
  Operand(std::initializer_list<detail::OperandEntry> list,
          SourceLocation place = SourceLocation::current());
  Operand(const std::vector<keratin::Tensor> &list,
          SourceLocation place = SourceLocation::current())
      : Operand(std::vector<Operand>(list.begin(), list.end()), place) {}
  // A list without tensors becomes an array.
  Operand(std::vector<Operand> list, SourceLocation place = SourceLocation::current());

  Kind kind() const { return type; }
  bool isNone() const { return type == Kind::Nothing; }
  bool isTensor() const { return type == Kind::Tensor; }
  bool isNumber() const {
    return type == Kind::Bool || type == Kind::Integer || type == Kind::Float;
  }
  // Precondition: isTensor().
  const keratin::Tensor &tensor() const { return symbolic; }
  // Precondition: a number or an array.
  const Array &array() const { return value; }
  double number() const { return value.item<double>(); }
  // Precondition: kind() is List.
  const std::vector<Operand> &list() const { return elements; }

  SourceLocation location;

private:
  Kind type = Kind::Nothing;
  keratin::Tensor symbolic;
  Array value;
  std::vector<Operand> elements;
};

namespace detail {

// An entry of Operand({…}), of a type of its own as ArrayRow is.
class OperandEntry {
public:
  template <typename T, typename = std::enable_if_t<std::is_constructible_v<Operand, T &&> &&
                                                    !std::is_same_v<std::decay_t<T>, OperandEntry>>>
  OperandEntry(T &&entry, SourceLocation location = SourceLocation::current())
      : value(entryOf(std::forward<T>(entry), location)),
        isOperand(std::is_same_v<std::decay_t<T>, Operand>) {}
  OperandEntry(std::initializer_list<OperandEntry> list,
               SourceLocation location = SourceLocation::current())
      : value(listOf(list), location) {}

  static std::vector<Operand> listOf(std::initializer_list<OperandEntry> list);

  Operand value;
  bool isOperand = false; // not made here

private:
  template <typename T> static Operand entryOf(T &&value, SourceLocation location) {
    if constexpr (std::is_same_v<std::decay_t<T>, Operand>)
      return std::forward<T>(value);
    else
      return Operand(std::forward<T>(value), location);
  }
};

} // namespace detail

// Operators are the K functions add … pow, less … of the same meaning.
Tensor operator+(const Operand &x, const Operand &y);
Tensor operator-(const Operand &x, const Operand &y);
Tensor operator*(const Operand &x, const Operand &y);
Tensor operator/(const Operand &x, const Operand &y);
// Remainder with the sign of the divisor, as in Python.
Tensor operator%(const Operand &x, const Operand &y);
Tensor operator-(const Operand &x);
Tensor operator<(const Operand &x, const Operand &y);
Tensor operator<=(const Operand &x, const Operand &y);
Tensor operator>(const Operand &x, const Operand &y);
Tensor operator>=(const Operand &x, const Operand &y);
// Logical on bool, bitwise on integers.
Tensor operator&(const Operand &x, const Operand &y);
Tensor operator|(const Operand &x, const Operand &y);
Tensor operator~(const Operand &x);
// In-place forms rebind the handle; a variable is left alone.
Tensor &operator+=(Tensor &x, const Operand &y);
Tensor &operator-=(Tensor &x, const Operand &y);
Tensor &operator*=(Tensor &x, const Operand &y);
Tensor &operator/=(Tensor &x, const Operand &y);

} // namespace keratin

template <> struct std::hash<keratin::Tensor> {
  size_t operator()(const keratin::Tensor &tensor) const noexcept {
    return std::hash<const void *>()(tensor.node);
  }
};
// As K::is_same.
template <> struct std::equal_to<keratin::Tensor> {
  bool operator()(const keratin::Tensor &a, const keratin::Tensor &b) const noexcept {
    return a.node == b.node;
  }
};

#endif // KERATIN_TENSOR_H
