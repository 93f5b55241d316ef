// Host arrays.
#include "keratin/array.h"

#include "frontend/values/DTypeRules.h"
#include "frontend/values/Elements.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <optional>

using namespace keratin;

static constexpr size_t kAlignment = 64;

std::string keratin::toString(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// The product of dims; ValueError if one is negative or the bytes do not fit.
static int64_t countOf(const std::vector<int64_t> &dims, size_t elementSize) {
  int64_t count = 1;
  for (int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count))
      throw ValueError("Array: shape " + toString(dims) + " is negative or too large");
  // A zero anywhere hides an overflow of the others, so the bytes are checked last.
  int64_t bytes;
  if (__builtin_mul_overflow(count, int64_t(elementSize), &bytes))
    throw ValueError("Array: shape " + toString(dims) + " is too large");
  return count;
}

void Array::reset(DType dtype, std::vector<int64_t> newDims) {
  checkedDType(dtype);
  int64_t newCount = countOf(newDims, dtypeSize(dtype));
  size_t newBytes = size_t(newCount) * dtypeSize(dtype);
  if (newBytes <= sizeof(scalar)) {
    std::free(heap);
    heap = nullptr;
    heapBytes = 0;
  } else if (heapBytes < newBytes) {
    if (newBytes > std::numeric_limits<size_t>::max() - kAlignment)
      throw std::bad_alloc();
    size_t rounded = (newBytes + kAlignment - 1) / kAlignment * kAlignment;
    void *fresh = std::aligned_alloc(kAlignment, rounded);
    if (!fresh)
      throw RuntimeError("Array: no memory for shape " + toString(newDims));
    std::free(heap);
    heap = fresh;
    heapBytes = newBytes;
  }
  dims = std::move(newDims);
  count = newCount;
  type = dtype;
  valid = true;
}

void Array::shrink(const int64_t *newDims) noexcept {
  if (!valid)
    return;
  count = 1;
  for (int64_t &dim : dims)
    count *= dim = *newDims++;
  if (heap && bytes() <= sizeof(scalar)) {
    std::memcpy(&scalar, heap, bytes());
    std::free(heap);
    heap = nullptr;
    heapBytes = 0;
  }
}

Array::Array(const Array &other) {
  if (!other.valid)
    return;
  reset(other.type, other.dims);
  if (count)
    std::memcpy(rawData(), other.rawData(), bytes());
}

Array::Array(Array &&other) noexcept
    : dims(std::move(other.dims)), heap(other.heap), heapBytes(other.heapBytes), count(other.count),
      type(other.type), valid(other.valid) {
  std::memcpy(scalar, other.scalar, sizeof(scalar));
  other.dims.clear();
  other.heap = nullptr;
  other.heapBytes = 0;
  other.count = 0;
  other.valid = false;
}

Array &Array::operator=(Array other) noexcept {
  std::swap(dims, other.dims);
  std::swap(heap, other.heap);
  std::swap(heapBytes, other.heapBytes);
  std::swap(count, other.count);
  std::swap(type, other.type);
  std::swap(valid, other.valid);
  std::swap(scalar, other.scalar);
  return *this;
}

Array::~Array() { std::free(heap); }

Array keratin::stackArrays(const Array *rows, size_t count) {
  if (count == 0)
    return Array::zeros(DType::Float32, {0});
  if (!rows)
    throw ValueError("stackArrays: the rows are NULL");
  for (size_t i = 0; i < count; ++i)
    if (rows[i].isNone())
      throw ValueError("Array: None cannot be an element");
  DType dtype = rows[0].dtype();
  for (size_t i = 0; i < count; ++i) {
    if (rows[i].shape() != rows[0].shape())
      throw ValueError("Array: rows have shapes " + toString(rows[0].shape()) + " and " +
                       toString(rows[i].shape()) + "; they must be equal");
    dtype = frontend::promote(dtype, rows[i].dtype());
  }
  std::vector<int64_t> shape = rows[0].shape();
  shape.insert(shape.begin(), int64_t(count));
  Array result = Array::empty(dtype, std::move(shape));
  auto *out = static_cast<unsigned char *>(result.rawData());
  for (size_t i = 0; i < count; ++i) {
    frontend::convertElements(rows[i].dtype(), rows[i].rawData(), dtype, out, rows[i].size());
    out += size_t(rows[i].size()) * dtypeSize(dtype);
  }
  return result;
}

Array detail::ArrayRow::stack(std::initializer_list<ArrayRow> rows) {
  std::vector<Array> values;
  values.reserve(rows.size());
  for (const ArrayRow &row : rows)
    values.push_back(row.value);
  return stackArrays(values.data(), values.size());
}

Array::Array(std::initializer_list<detail::ArrayRow> rows)
    : Array(rows.size() == 1 && rows.begin()->isArray ? rows.begin()->value
                                                      : detail::ArrayRow::stack(rows)) {}

Array Array::empty(DType dtype, std::vector<int64_t> dims) {
  Array array;
  array.reset(dtype, std::move(dims));
  return array;
}

Array Array::zeros(DType dtype, std::vector<int64_t> dims) {
  Array array = empty(dtype, std::move(dims));
  std::memset(array.rawData(), 0, array.bytes());
  return array;
}

Array Array::copyOf(DType dtype, std::vector<int64_t> dims, const void *elements) {
  Array array = empty(dtype, std::move(dims));
  if (array.count && !elements)
    throw ValueError("Array::copyOf: the elements are NULL");
  if (array.count)
    std::memcpy(array.rawData(), elements, array.bytes());
  return array;
}

Array Array::astype(DType dtype) const {
  checkValue("astype");
  Array result = empty(dtype, dims);
  frontend::convertElements(type, rawData(), dtype, result.rawData(), count);
  return result;
}

Array Array::reshape(std::vector<int64_t> newDims) const {
  checkValue("reshape");
  if (countOf(newDims, dtypeSize(type)) != count)
    throw ValueError("Array: cannot give " + std::to_string(count) + " elements the shape " +
                     toString(newDims));
  Array result(*this);
  result.dims = std::move(newDims);
  return result;
}

void Array::failNone(const char *call) {
  throw ValueError("Array::" + std::string(call) + ": the Array is None");
}

void Array::checkType(DType wanted) const {
  if (!valid || wanted != type)
    throw TypeError(std::string("Array: elements are ") + (valid ? dtypeName(type) : "None") +
                    "; asked for " + dtypeName(wanted));
}

void Array::checkCount(size_t elements) const {
  if (int64_t(elements) != count)
    throw ValueError("Array: " + std::to_string(elements) + " values for shape " + toString(dims) +
                     "; needed " + std::to_string(count));
}

void Array::checkSingle() const {
  if (!valid || count != 1)
    throw ValueError("Array: item() needs exactly one element; found " +
                     (valid ? "shape " + toString(dims) : std::string("None")));
}

static void checkIndex(int64_t index, int64_t count) {
  if (index < 0 || index >= count)
    throw ValueError("Array: index " + std::to_string(index) + " is outside " +
                     std::to_string(count) + " elements");
}

static ValueError misfit(const Array &array, int64_t index, DType wanted) {
  return ValueError("Array: the element " + frontend::elementText(array, index) + " of dtype " +
                    dtypeName(array.dtype()) + " does not fit " + dtypeName(wanted));
}

double Array::elementAsFloat(int64_t index, DType wanted) const {
  checkIndex(index, count);
  double value = frontend::elementAsDouble(type, rawData(), index);
  if (wanted == DType::Float32 && std::isfinite(value) && !std::isfinite(float(value)))
    throw misfit(*this, index, wanted);
  return value;
}

int64_t Array::elementAsInteger(int64_t index, DType wanted) const {
  checkIndex(index, count);
  int64_t value = frontend::elementAsInteger(type, rawData(), index);
  bool fits = wanted == DType::Bool
                  ? (value == 0 || value == 1) &&
                        frontend::elementAsDouble(type, rawData(), index) == double(value)
                  : frontend::fitOf(*this, index, wanted) == frontend::Fit::Inside;
  if (!fits)
    throw misfit(*this, index, wanted);
  if (wanted == DType::UInt64 && isFloating(type)) // where int64 is saturated
    return int64_t(uint64_t(frontend::elementAsDouble(type, rawData(), index)));
  return value;
}
