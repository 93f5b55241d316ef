// Values: what is fed to functions and what they return. On the host, or, where a function is told
// to leave them there, on a device.
#ifndef KERATIN_ARRAY_H
#define KERATIN_ARRAY_H

#include "keratin/dtype.h"
#include "keratin/error.h"

#include <cstring>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

struct keratin_device_t;

namespace keratin {

namespace detail {
class ArrayRow;
} // namespace detail

class IndexList;

// An n-dimensional array. It owns its elements, row-major, aligned to 64 bytes (scalars are held in
// the object), unless view() or constView() made it of memory that somebody else owns. A copy is a
// deep copy, which owns its elements; moving is cheap, and leaves None behind. The default is no
// value at all (None): isNone() may be asked of it, anything else is a ValueError.
class Array {
public:
  Array() = default;
  Array(std::nullopt_t) {}
  // A scalar of the C++ type's dtype.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>> Array(T value) {
    reset(dtypeOf<T>(), {});
    std::memcpy(rawData(), &value, sizeof(T));
  }
  // Stacks: {{1, 2}, {3, 4}} has shape (2, 2), and {a, b} one dimension more than the arrays a and
  // b. Mixed numbers take the wider dtype; ValueError unless the shapes are equal. Braces around
  // one Array alone copy it, as around any value in C++: stackArrays(&a, 1) has a dimension more.
  Array(std::initializer_list<detail::ArrayRow> rows);
  // One dimension.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Array(const std::vector<T> &values) : Array(values, {int64_t(values.size())}) {}
  // ValueError unless dims hold as many elements as values. Delegates, so that the destructor runs
  // when it throws.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Array(const std::vector<T> &values, std::vector<int64_t> sizes) : Array() {
    reset(dtypeOf<T>(), std::move(sizes));
    checkCount(values.size());
    if constexpr (std::is_same_v<T, bool>)
      for (size_t i = 0; i < values.size(); ++i)
        static_cast<bool *>(rawData())[i] = values[i];
    else if (!values.empty())
      std::memcpy(rawData(), values.data(), values.size() * sizeof(T));
  }
  Array(const Array &other);
  Array(Array &&other) noexcept;
  Array &operator=(Array other) noexcept;
  ~Array();

  // Elements are zero.
  static Array zeros(DType dtype, std::vector<int64_t> dims);
  // Elements are whatever the memory holds.
  static Array empty(DType dtype, std::vector<int64_t> dims);
  // A copy of row-major elements; ValueError if they are NULL and there are some.
  static Array copyOf(DType dtype, std::vector<int64_t> dims, const void *elements);
  // The elements where they lie: element (i, j, …) is at data + i * strides[0] + j * strides[1] + …
  // elements; strides may be 0 or negative, without them the memory is row-major. The memory must
  // live as long as the array and what it is moved to; with an owner it does: that is let go with
  // the array, from whatever thread. ValueError for NULL where there are elements, for memory that
  // is not aligned to them, and for strides that no memory has.
  //
  // Functions read a view where it lies, also one with strides, which the runtime packs for the
  // call. A view among the outputs of Function::call is written where it lies.
  static Array view(void *data, DType dtype, std::vector<int64_t> dims,
                    std::vector<int64_t> strides = {}, std::shared_ptr<void> owner = nullptr);
  // The same of memory that is only read: data() and rawData() are a ValueError unless the array is
  // const.
  static Array constView(const void *data, DType dtype, std::vector<int64_t> dims,
                         std::vector<int64_t> strides = {},
                         std::shared_ptr<const void> owner = nullptr);

  // Elements in the memory of a device ("cuda"), as view() has those of the host. Who wants to read
  // them asks toHost(); functions of the device read them where they lie, which takes them
  // row-major. ValueError for a device that there is not.
  static Array deviceView(const std::string &device, void *data, DType dtype,
                          std::vector<int64_t> dims, std::vector<int64_t> strides = {},
                          std::shared_ptr<void> owner = nullptr);
  // Where the elements lie: "cpu", "cuda", ….
  std::string device() const;
  // A copy on the host, and one on the device of this name.
  Array toHost() const;
  Array toDevice(const std::string &device) const;
  // The device as the runtime knows it; null: the host's memory.
  const keratin_device_t *place() const;

  bool isNone() const { return !valid; }
  DType dtype() const {
    checkValue("dtype");
    return type;
  }
  const std::vector<int64_t> &shape() const {
    checkValue("shape");
    return dims;
  }
  int64_t ndim() const {
    checkValue("ndim");
    return int64_t(dims.size());
  }
  int64_t size() const {
    checkValue("size");
    return count;
  }
  size_t bytes() const {
    checkValue("bytes");
    return size_t(count) * dtypeSize(type);
  }

  // Whether the elements are no memory of this array's own on the host, and whether they may be
  // written.
  bool isView() const { return foreign != nullptr; }
  bool isReadOnly() const;
  // Whether the elements lie one after another, the last axis fastest. Only strides of a view can
  // say otherwise.
  bool isRowMajor() const;
  // In elements, one an axis.
  std::vector<int64_t> strides() const;
  // The same of a view that is not row-major, as long as it lives; null for any other array.
  const int64_t *viewStrides() const { return foreign ? foreignStrides() : nullptr; }
  // Where the element lies whose indices are 0, wherever the others lie. To read only.
  const void *origin() const {
    checkValue("origin");
    return foreign ? foreignOrigin() : heap ? heap : static_cast<const void *>(&scalar);
  }
  // Where the element lies that comes `index` elements after it row-major. To read only.
  // Precondition: there is one.
  const void *addressOf(int64_t index) const;

  // Row-major elements; ValueError for a view with other strides (a copy of it is row-major).
  // TypeError unless T is the array's dtype.
  template <typename T> T *data() {
    checkType(dtypeOf<T>());
    return static_cast<T *>(rawData());
  }
  template <typename T> const T *data() const {
    checkType(dtypeOf<T>());
    return static_cast<const T *>(rawData());
  }
  void *rawData() {
    checkValue("rawData");
    if (foreign)
      checkView(/*isWritten=*/true);
    return const_cast<void *>(origin());
  }
  const void *rawData() const {
    checkValue("rawData");
    if (foreign)
      checkView(/*isWritten=*/false);
    return origin();
  }

  // One element as a T. ValueError outside the array, and for a number that T does not hold: NaN,
  // or one beyond the range of an integer once its fraction is cut off; not 0 or 1 for a bool; a
  // finite one that a float would make infinite. Without an index the array must have exactly one
  // element.
  template <typename T = double> T item() const {
    checkSingle();
    return item<T>(0);
  }
  template <typename T = double> T item(int64_t index) const {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(elementAsFloat(index, dtypeOf<T>()));
    else
      return static_cast<T>(elementAsInteger(index, dtypeOf<T>()));
  }
  template <typename T = double> std::vector<T> toVector() const {
    checkValue("toVector");
    std::vector<T> values;
    values.reserve(size_t(count));
    for (int64_t i = 0; i < count; ++i)
      values.push_back(item<T>(i));
    return values;
  }

  // Float to integer truncates towards zero and saturates, NaN becomes 0; to bool: nonzero.
  Array astype(DType dtype) const;
  // The same elements; ValueError unless there are as many.
  Array reshape(std::vector<int64_t> dims) const;
  // As Python's x[key] (see IndexList) of what lies on the host; always a copy, which owns its
  // elements. ValueError for an index outside its axis, for more items than axes, and for tensors.
  Array operator[](const IndexList &key) const;

  // As toString.
  friend std::ostream &operator<<(std::ostream &out, const Array &array);

  // Makes this an array of the given dtype and dims with unspecified elements; keeps the memory if
  // it already has as many bytes. A view keeps its memory if it has this dtype and these dims, is
  // row-major and may be written; otherwise it is a view no more.
  void reset(DType dtype, std::vector<int64_t> dims);

  // Row-major memory of the device with unspecified elements, which the array owns.
  static Array emptyOn(const keratin_device_t &device, DType dtype, std::vector<int64_t> dims);

  // Keeps the first elements only, and the memory. Precondition: ndim() sizes, whose product is not
  // more than size().
  void shrink(const int64_t *newDims) noexcept;

private:
  struct Foreign;
  struct ForeignDeleter {
    void operator()(Foreign *foreign) const;
  };

  static Array foreignArray(const char *call, void *data, DType dtype, std::vector<int64_t> dims,
                            std::vector<int64_t> strides, std::shared_ptr<const void> owner,
                            bool isReadOnly);
  void checkView(bool isWritten) const;
  void checkOnHost(const char *call) const;
  const void *foreignOrigin() const;
  const int64_t *foreignStrides() const;
  // Of a view, row-major.
  void pack(void *target) const;
  void checkValue(const char *call) const {
    if (!valid)
      failNone(call);
  }
  [[noreturn]] static void failNone(const char *call);
  void checkType(DType wanted) const;
  void checkCount(size_t elements) const;
  void checkSingle() const;
  // ValueError where the wanted dtype does not hold the element.
  double elementAsFloat(int64_t index, DType wanted) const;
  int64_t elementAsInteger(int64_t index, DType wanted) const;

  std::vector<int64_t> dims;
  void *heap = nullptr; // null: the element is in `scalar`, or what a view says
  size_t heapBytes = 0;
  int64_t count = 0;
  DType type = DType::Float32;
  bool valid = false;
  alignas(8) unsigned char scalar[8] = {};
  std::unique_ptr<Foreign, ForeignDeleter> foreign; // of a view
};

namespace detail {

// An entry of Array({…}): a number, an array or a list of entries. A type of its own, since
// compilers disagree on what `Array{a}` is where a list of Arrays is one way to make an Array.
class ArrayRow {
public:
  template <typename T, typename = std::enable_if_t<std::is_convertible_v<T, Array> &&
                                                    !std::is_same_v<std::decay_t<T>, ArrayRow>>>
  ArrayRow(T &&element)
      : value(std::forward<T>(element)), isArray(std::is_same_v<std::decay_t<T>, Array>) {}
  ArrayRow(std::initializer_list<ArrayRow> rows) : value(stack(rows)) {}

  static Array stack(std::initializer_list<ArrayRow> rows);

  Array value;
  bool isArray = false; // not a number or a list
};

} // namespace detail

// The rows along a new first dimension: what Array({…}) does.
Array stackArrays(const Array *rows, size_t count);
// "(2, 3)", as Python writes it.
std::string toString(const std::vector<int64_t> &shape);
// The elements as NumPy prints them; of more than 1000, the first and last three of each axis that
// has more than six. "None" for no value; of a device, what is there and where.
std::string toString(const Array &array);

} // namespace keratin

#endif // KERATIN_ARRAY_H
