// Host arrays.
#include "keratin/array.h"

#include "frontend/values/DTypeRules.h"
#include "frontend/values/Elements.h"
#include "runtime/strides/StridedElements.h"

#include <keratin/device.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <optional>

using namespace keratin;

static constexpr size_t kAlignment = 64;

// What a view has in the place of memory of its own.
struct Array::Foreign {
  void *data;
  std::vector<int64_t> strides; // in elements; empty exactly if row-major
  std::shared_ptr<const void> owner;
  bool isReadOnly;
  const keratin_device_t *device = nullptr; // null: the host
};

void Array::ForeignDeleter::operator()(Foreign *foreign) const { delete foreign; }

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

//===-- Views ---------------------------------------------------------------------------------===//

Array Array::view(void *data, DType dtype, std::vector<int64_t> dims, std::vector<int64_t> strides,
                  std::shared_ptr<void> owner) {
  return foreignArray("view", data, dtype, std::move(dims), std::move(strides), std::move(owner),
                      /*isReadOnly=*/false);
}

Array Array::constView(const void *data, DType dtype, std::vector<int64_t> dims,
                       std::vector<int64_t> strides, std::shared_ptr<const void> owner) {
  return foreignArray("constView", const_cast<void *>(data), dtype, std::move(dims),
                      std::move(strides), std::move(owner), /*isReadOnly=*/true);
}

static ValueError viewError(const char *call, const std::string &what) {
  return ValueError("Array::" + std::string(call) + ": " + what);
}

// Whether every element has an address: the bytes from the first to behind the last, of which there
// is at least one.
static bool areAddresses(const void *data, size_t elementSize, const std::vector<int64_t> &dims,
                         const std::vector<int64_t> &strides) {
  int64_t low = 0, high = int64_t(elementSize);
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    int64_t step;
    if (__builtin_mul_overflow(strides[axis], dims[axis] - 1, &step) ||
        __builtin_mul_overflow(step, int64_t(elementSize), &step) ||
        __builtin_add_overflow(step < 0 ? low : high, step, step < 0 ? &low : &high))
      return false;
  }
  uintptr_t begin = uintptr_t(data), end;
  return begin >= uintptr_t(0) - uintptr_t(low) &&
         !__builtin_add_overflow(begin, uintptr_t(high), &end);
}

// Of a shape that has elements.
static bool lieInRows(const std::vector<int64_t> &dims, const std::vector<int64_t> &strides) {
  int64_t expected = 1;
  for (size_t axis = strides.size(); axis-- > 0; expected *= dims[axis])
    if (dims[axis] != 1 && strides[axis] != expected)
      return false;
  return true;
}

Array Array::foreignArray(const char *call, void *data, DType dtype, std::vector<int64_t> dims,
                          std::vector<int64_t> strides, std::shared_ptr<const void> owner,
                          bool isReadOnly) {
  checkedDType(dtype);
  const size_t size = dtypeSize(dtype);
  Array array;
  array.count = countOf(dims, size);
  if (!strides.empty() && strides.size() != dims.size())
    throw viewError(call, std::to_string(strides.size()) + " strides for shape " + toString(dims) +
                              "; needed one an axis");
  if (array.count && !data)
    throw viewError(call, "the data of shape " + toString(dims) + " is NULL");
  if (uintptr_t(data) % size)
    throw viewError(call, "the data is not aligned; needed a multiple of the " +
                              std::to_string(size) + " bytes of " + dtypeName(dtype));
  array.dims = std::move(dims);
  array.type = dtype;
  array.foreign.reset(new Foreign{data, std::move(strides), std::move(owner), isReadOnly});
  array.valid = true;
  if (array.count && !areAddresses(data, size, array.dims, array.strides()))
    throw viewError(call, "shape " + toString(array.dims) + " with strides " +
                              toString(array.strides()) + " reaches beyond all memory");
  if (array.count == 0 || lieInRows(array.dims, array.foreign->strides))
    array.foreign->strides.clear();
  return array;
}

//===-- On devices ----------------------------------------------------------------------------===//

static const keratin_device_t &openDevice(const char *call, const std::string &name) {
  const keratin_device_t *device = nullptr;
  keratin_status_t status;
  if (keratin_device_open(name.c_str(), &device, &status) != KERATIN_OK)
    throw viewError(call, status.message);
  return *device;
}

static void checkCopy(const char *call, keratin_status_code_t code,
                      const keratin_status_t &status) {
  const std::string message = "Array::" + std::string(call) + ": " + status.message;
  if (code == KERATIN_RESOURCE_EXHAUSTED)
    throw MemoryError(message);
  if (code != KERATIN_OK)
    throw RuntimeError(message);
}

Array Array::deviceView(const std::string &device, void *data, DType dtype,
                        std::vector<int64_t> dims, std::vector<int64_t> strides,
                        std::shared_ptr<void> owner) {
  const keratin_device_t &place = openDevice("deviceView", device);
  Array array = foreignArray("deviceView", data, dtype, std::move(dims), std::move(strides),
                             std::move(owner), /*isReadOnly=*/false);
  if (&place != keratin_cpu_device())
    array.foreign->device = &place;
  return array;
}

const keratin_device_t *Array::place() const { return foreign ? foreign->device : nullptr; }

std::string Array::device() const {
  checkValue("device");
  return (place() ? place() : keratin_cpu_device())->name;
}

// The elements one after another. Of a view with strides all from its first to its last byte come
// to the host, to be packed there.
Array Array::toHost() const {
  checkValue("toHost");
  const keratin_device_t *from = place();
  if (!from || count == 0)
    return from ? empty(type, dims) : *this;
  keratin_status_t status;
  auto copy = [&](void *to, const char *data, size_t copied) {
    checkCopy("toHost", from->copy_out(from->user, nullptr, 0, to, data, copied, &status), status);
  };
  auto *data = static_cast<const char *>(foreign->data);
  if (isRowMajor()) {
    Array result = empty(type, dims);
    copy(result.rawData(), data, bytes());
    return result;
  }
  const auto size = int64_t(dtypeSize(type));
  int64_t low = 0, high = size;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    int64_t step = foreign->strides[axis] * (dims[axis] - 1) * size;
    (step < 0 ? low : high) += step;
  }
  Array all = empty(DType::UInt8, {high - low});
  auto *bytesOfAll = static_cast<char *>(all.rawData());
  copy(bytesOfAll, data + low, size_t(high - low));
  const Array spread = constView(bytesOfAll - low, type, dims, foreign->strides);
  return Array(spread); // a copy, which packs them
}

Array Array::toDevice(const std::string &name) const {
  checkValue("toDevice");
  const keratin_device_t &to = openDevice("toDevice", name);
  if (place() == &to && isRowMajor())
    return *this;
  Array packed, host = toHost();
  if (&to == keratin_cpu_device())
    return host;
  Array result = emptyOn(to, type, dims);
  keratin_status_t status;
  if (count)
    checkCopy("toDevice",
              to.copy_in(to.user, nullptr, 0, result.foreign->data,
                         frontend::rowMajor(host, packed).rawData(), bytes(), &status),
              status);
  return result;
}

Array Array::emptyOn(const keratin_device_t &device, DType dtype, std::vector<int64_t> dims) {
  const size_t wanted = size_t(countOf(dims, dtypeSize(dtype))) * dtypeSize(dtype);
  void *data = device.allocate(device.user, wanted, kAlignment);
  if (!data)
    throw MemoryError("Array: no memory for shape " + toString(dims) + " on device '" +
                      device.name + "'");
  std::shared_ptr<const void> owner(data, [&device, wanted](const void *memory) {
    device.release(device.user, const_cast<void *>(memory), wanted, kAlignment);
  });
  Array array = foreignArray("emptyOn", data, dtype, std::move(dims), {}, std::move(owner),
                             /*isReadOnly=*/false);
  array.foreign->device = &device;
  return array;
}

void Array::checkOnHost(const char *call) const {
  if (const keratin_device_t *device = place())
    throw viewError(call, "the elements lie on device '" + std::string(device->name) +
                              "'; needed an array on the host, which toHost() makes");
}

bool Array::isReadOnly() const {
  checkValue("isReadOnly");
  return foreign && foreign->isReadOnly;
}

bool Array::isRowMajor() const {
  checkValue("isRowMajor");
  return !foreign || foreign->strides.empty();
}

const int64_t *Array::foreignStrides() const {
  return foreign->strides.empty() ? nullptr : foreign->strides.data();
}

std::vector<int64_t> Array::strides() const {
  checkValue("strides");
  if (foreign && !foreign->strides.empty())
    return foreign->strides;
  std::vector<int64_t> result(dims.size());
  int64_t expected = 1;
  for (size_t axis = dims.size(); axis-- > 0;) {
    result[axis] = expected;
    // Beside a zero the others may be too large; no element is anywhere then.
    if (__builtin_mul_overflow(expected, dims[axis], &expected))
      expected = 0;
  }
  return result;
}

const void *Array::foreignOrigin() const { return foreign->data; }

void Array::checkView(bool isWritten) const {
  checkOnHost("rawData");
  if (isWritten && foreign->isReadOnly)
    throw viewError("rawData", "the memory is only read; needed Array::view, or a const Array");
  if (!foreign->strides.empty())
    throw viewError("rawData", "a view of shape " + toString(dims) + " has strides " +
                                   toString(foreign->strides) +
                                   "; needed row-major elements, which a copy has");
}

const void *Array::addressOf(int64_t index) const {
  checkOnHost("item");
  const int64_t size = int64_t(dtypeSize(type));
  if (const int64_t *strides = viewStrides())
    return elementAddress({origin(), size, int64_t(dims.size()), dims.data(), strides}, index);
  return static_cast<const char *>(origin()) + index * size;
}

void Array::pack(void *target) const {
  checkOnHost("pack");
  if (!viewStrides()) {
    std::memcpy(target, foreign->data, bytes());
    return;
  }
  if (count == 0)
    return;
  std::vector<int64_t> place(dims.size());
  packRowMajor(
      {foreign->data, int64_t(dtypeSize(type)), int64_t(dims.size()), dims.data(), viewStrides()},
      target, place.data());
}

//===-- Memory --------------------------------------------------------------------------------===//

void Array::reset(DType dtype, std::vector<int64_t> newDims) {
  checkedDType(dtype);
  int64_t newCount = countOf(newDims, dtypeSize(dtype));
  if (foreign) {
    if (type == dtype && dims == newDims && isRowMajor() && !foreign->isReadOnly &&
        !foreign->device)
      return;
    // A new array, so that nothing is lost where there is no memory.
    *this = empty(dtype, std::move(newDims));
    return;
  }
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
      throw MemoryError("Array: no memory for shape " + toString(newDims));
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
  if (const keratin_device_t *device = other.place()) {
    keratin_status_t status;
    if (!other.isRowMajor()) {
      *this = other.toHost().toDevice(device->name);
      return;
    }
    Array copy = emptyOn(*device, other.type, other.dims);
    if (other.count)
      checkCopy("Array",
                device->copy_within(device->user, nullptr, 0, copy.foreign->data,
                                    other.foreign->data, other.bytes(), &status),
                status);
    *this = std::move(copy);
    return;
  }
  reset(other.type, other.dims);
  if (count && other.foreign)
    other.pack(rawData());
  else if (count)
    std::memcpy(rawData(), other.rawData(), bytes());
}

Array::Array(Array &&other) noexcept
    : dims(std::move(other.dims)), heap(other.heap), heapBytes(other.heapBytes), count(other.count),
      type(other.type), valid(other.valid), foreign(std::move(other.foreign)) {
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
  std::swap(foreign, other.foreign);
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
    Array packed;
    const Array &row = frontend::rowMajor(rows[i], packed);
    frontend::convertElements(row.dtype(), row.rawData(), dtype, out, row.size());
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
  if (dtype == type)
    return *this;
  Array packed, result = empty(dtype, dims);
  frontend::convertElements(type, frontend::rowMajor(*this, packed).rawData(), dtype,
                            result.rawData(), count);
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

static void checkIsReal(const Array &array, DType wanted) {
  if (isComplex(array.dtype()))
    throw TypeError(std::string("Array: item() of ") + dtypeName(array.dtype()) + " as " +
                    dtypeName(wanted) + "; needed real elements, such as K::real makes");
}

double Array::elementAsFloat(int64_t index, DType wanted) const {
  checkIndex(index, count);
  checkIsReal(*this, wanted);
  double value = frontend::elementAsDouble(type, addressOf(index), 0);
  if (wanted == DType::Float32 && std::isfinite(value) && !std::isfinite(float(value)))
    throw misfit(*this, index, wanted);
  return value;
}

int64_t Array::elementAsInteger(int64_t index, DType wanted) const {
  checkIndex(index, count);
  checkIsReal(*this, wanted);
  int64_t value = frontend::elementAsInteger(type, addressOf(index), 0);
  bool fits = wanted == DType::Bool
                  ? (value == 0 || value == 1) &&
                        frontend::elementAsDouble(type, addressOf(index), 0) == double(value)
                  : frontend::fitOf(*this, index, wanted) == frontend::Fit::Inside;
  if (!fits)
    throw misfit(*this, index, wanted);
  if (wanted == DType::UInt64 && isFloating(type)) // where int64 is saturated
    return int64_t(uint64_t(frontend::elementAsDouble(type, addressOf(index), 0)));
  return value;
}
