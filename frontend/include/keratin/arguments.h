// Parameters that Python writes as tuples, lists and slices.
#ifndef KERATIN_ARGUMENTS_H
#define KERATIN_ARGUMENTS_H

#include "keratin/tensor.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace keratin {

// What is known of a size by name: the numbers that it lies between, and one that divides it.
struct DimOptions {
  std::optional<int64_t> min = std::nullopt, max = std::nullopt;
  std::optional<int64_t> multipleOf = std::nullopt;
};

// A size by its name, with what is known of it: K::Dim("length", {.max = 512, .multipleOf = 8}).
// Functions made from then on refuse to be called with another length, and are planned for those.
// Where the name stands alone it is the same size; what is said of it in several places must agree.
class Dim {
public:
  Dim(std::string name, DimOptions options = {}) : theName(std::move(name)), theOptions(options) {}

  const std::string &name() const { return theName; }
  const DimOptions &options() const { return theOptions; }

private:
  std::string theName;
  DimOptions theOptions;
};

// One entry of a shape: a number, None, the name of a size, or a scalar integer tensor. One that
// depends on data must be limited by how it is computed, as a count is, or by K::minimum: memory is
// asked for before.
//
// A name ("batch") is one size wherever it stands in the graph, known when a function is called:
// one of the function's inputs must have it among its dimensions, and all that have it must agree.
// It is a word of letters, digits and _ that begins with a letter.
class Size {
public:
  Size(std::nullopt_t) {}
  Size(const char *name) : value(Dim(name)) {}
  Size(std::string name) : value(Dim(std::move(name))) {}
  Size(Dim dim) : value(std::move(dim)) {}
  Size(std::nullptr_t) = delete;
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  Size(T number) : value(int64_t(number)) {}
  Size(const Tensor &tensor) : value(tensor) {}
  Size(const std::optional<int64_t> &size) {
    if (size)
      value = *size;
  }

  bool isNone() const { return value.index() == 0; }
  bool isNumber() const { return value.index() == 1; }
  bool isTensor() const { return value.index() == 2; }
  bool isName() const { return value.index() == 3; }
  // ValueError if it is something else.
  int64_t number() const {
    if (!isNumber())
      throw ValueError("Size::number: the Size is no number");
    return std::get<1>(value);
  }
  const Tensor &tensor() const {
    if (!isTensor())
      throw ValueError("Size::tensor: the Size is no tensor");
    return std::get<2>(value);
  }
  const Dim &dim() const {
    if (!isName())
      throw ValueError("Size::dim: the Size is no name");
    return std::get<3>(value);
  }

private:
  std::variant<std::monostate, int64_t, Tensor, Dim> value;
};

// A shape: {32, None}, {"batch", 784}, {K::shape(x)[0], 4}, a vector of sizes, one int for one
// dimension, or a vector tensor. `{}` is the shape of a scalar; None is no shape at all.
class Shape {
public:
  Shape() = default;
  Shape(std::nullopt_t) : none(true) {}
  Shape(std::initializer_list<Size> list) : sizes(list) {}
  Shape(std::vector<Size> list) : sizes(std::move(list)) {}
  Shape(const std::vector<int64_t> &list) : sizes(list.begin(), list.end()) {}
  Shape(const std::vector<int> &list) : sizes(list.begin(), list.end()) {}
  Shape(const StaticShape &shape) : sizes(shape.begin(), shape.end()) {}
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  Shape(T size) : sizes{Size(size)} {}
  // A scalar tensor is one size; a vector tensor is the whole shape.
  Shape(const Tensor &tensor) : whole(tensor) {}

  bool isNone() const { return none; }
  bool isTensor() const { return whole.has_value(); }
  // ValueError if it is none.
  const Tensor &tensor() const {
    if (!whole)
      throw ValueError("Shape::tensor: the Shape is no tensor");
    return *whole;
  }
  const std::vector<Size> &entries() const { return sizes; }

private:
  std::vector<Size> sizes;
  std::optional<Tensor> whole;
  bool none = false;
};

// How K::split divides an axis: a number of equal parts, or the size of each, at most one of which
// is -1 (or None), which is what the others leave.
class Parts {
public:
  template <typename T,
            std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Parts(T count) : number(int64_t(count)) {}
  template <typename T, std::enable_if_t<std::is_same_v<T, bool>, int> = 0>
  Parts(T isNoNumber) = delete; // a bool
  Parts(std::initializer_list<Size> sizes) : list(sizes) {}
  Parts(std::vector<Size> sizes) : list(std::move(sizes)) {}

  bool isCount() const { return number.has_value(); }
  // Precondition: isCount().
  int64_t count() const { return *number; }
  const std::vector<Size> &sizes() const { return list; }

private:
  std::optional<int64_t> number;
  std::vector<Size> list;
};

// One axis; a negative one counts from the end. No bool: that is a keepdims in the wrong place.
class Axis {
public:
  template <typename T,
            std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Axis(T number) : axis(int64_t(number)) {}
  template <typename T, std::enable_if_t<std::is_same_v<T, bool>, int> = 0>
  Axis(T isNoAxis) = delete; // a bool; keepdims comes behind the axis

  operator int64_t() const { return axis; }

private:
  int64_t axis;
};

// None (all axes), one axis, or a list.
class Axes {
public:
  Axes(std::nullopt_t) {}
  template <typename T,
            std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Axes(T axis) : list(std::vector<int64_t>{int64_t(axis)}) {}
  template <typename T, std::enable_if_t<std::is_same_v<T, bool>, int> = 0>
  Axes(T isNoAxis) = delete; // a bool; keepdims comes behind the axes
  Axes(Axis axis) : list(std::vector<int64_t>{axis}) {}
  Axes(std::initializer_list<Axis> axes)
      : list(std::in_place, axes.begin(), axes.end()), isList(true) {}
  Axes(const std::vector<int64_t> &axes) : list(axes), isList(true) {}
  Axes(const std::vector<int> &axes)
      : list(std::in_place, axes.begin(), axes.end()), isList(true) {}

  bool isNone() const { return !list; }
  bool isSingle() const { return list && !isList; }
  // ValueError for None.
  const std::vector<int64_t> &axes() const {
    if (!list)
      throw ValueError("Axes::axes: the Axes are None");
    return *list;
  }

private:
  std::optional<std::vector<int64_t>> list;
  bool isList = false;
};

// One tensor, or a list of them.
class TensorList {
public:
  TensorList() = default;
  TensorList(const Tensor &tensor) : tensors{tensor} {}
  TensorList(const Gradient &gradient) : tensors{gradient.value()} {}
  TensorList(std::initializer_list<Tensor> list) : tensors(list) {}
  TensorList(std::vector<Tensor> list) : tensors(std::move(list)) {}
  TensorList(const std::vector<Gradient> &list) : tensors(list.begin(), list.end()) {}

  const std::vector<Tensor> &list() const { return tensors; }

private:
  std::vector<Tensor> tensors;
};

// data_format: a name, or None for K::image_data_format().
class DataFormat {
public:
  DataFormat(std::nullopt_t) {}
  DataFormat(const char *text) {
    if (!text)
      throw ValueError("data_format: the name is NULL");
    name = text;
  }
  DataFormat(std::string text) : name(std::move(text)) {}
  const std::optional<std::string> &value() const { return name; }

private:
  std::optional<std::string> name;
};

// A tensor, a number, or a function without arguments that returns a tensor.
class Branch {
public:
  template <typename T, typename = std::enable_if_t<std::is_constructible_v<Operand, const T &>>>
  Branch(const T &value, SourceLocation location = SourceLocation::current())
      : operand(std::in_place, value, location) {}
  Branch(const Operand &value) : operand(value) {}
  template <typename F, typename = decltype(Tensor(std::declval<F &>()())),
            typename = std::enable_if_t<!std::is_constructible_v<Operand, const F &>>>
  Branch(F function) : callable(std::move(function)) {}

  bool isCallable() const { return bool(callable); }
  // Calls the function, if it is one; ValueError if that is empty.
  Operand evaluate() const {
    if (callable)
      return Operand(callable());
    if (!operand)
      throw ValueError("Branch::evaluate: the function is empty");
    return *operand;
  }

private:
  std::optional<Operand> operand;
  std::function<Tensor()> callable;
};

// start:stop:step, each None, a number, or a scalar integer tensor; Python's clamping semantics.
struct Slice {
  Slice(Size start = None, Size stop = None, Size step = None);
  Size start, stop, step;
};

inline Slice::Slice(Size from, Size to, Size by)
    : start(std::move(from)), stop(std::move(to)), step(std::move(by)) {}

struct EllipsisType {};
// Full slices for all axes that are not named.
inline constexpr EllipsisType Ellipsis;
// One full slice.
inline const Slice All;

// The key of x[key]: one item an axis. A number or scalar tensor drops the axis; a Slice keeps it;
// None inserts an axis of size 1; Ellipsis fills with full slices. One integer tensor of rank 1 or
// more alone is K::gather.
class IndexList {
public:
  using Item = std::variant<std::nullopt_t, EllipsisType, Slice, int64_t, Tensor>;

  class Entry {
  public:
    Entry(std::nullopt_t) : item(None) {}
    Entry(EllipsisType) : item(EllipsisType()) {}
    Entry(const Slice &slice) : item(slice) {}
    Entry(const Tensor &tensor) : item(tensor) {}
    template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
    Entry(T index) : item(int64_t(index)) {}
    Item item;
  };

  template <typename T, typename = std::enable_if_t<std::is_constructible_v<Entry, const T &>>>
  IndexList(const T &entry, SourceLocation place = SourceLocation::current())
      : items{Entry(entry).item}, location(place) {}
  IndexList(std::initializer_list<Entry> entries, SourceLocation place = SourceLocation::current())
      : location(place) {
    for (const Entry &entry : entries)
      items.push_back(entry.item);
  }
  IndexList(std::vector<Item> list, SourceLocation place = SourceLocation::current())
      : items(std::move(list)), location(place) {}

  std::vector<Item> items;
  SourceLocation location;
};

} // namespace keratin

#endif // KERATIN_ARGUMENTS_H
