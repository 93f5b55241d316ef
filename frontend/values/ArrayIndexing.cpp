// array[key].
#include "keratin/arguments.h"

#include <algorithm>
#include <limits>

using namespace keratin;

namespace {

// A key is worked off axis by axis into a view of what it picks.
class Indexer {
public:
  Indexer(const Array &array, const IndexList &key)
      : array(array), key(key), oldStrides(array.strides()) {}

  Array run() {
    size_t named = 0, ellipses = 0;
    for (const IndexList::Item &item : key.items) {
      named += !std::holds_alternative<std::nullopt_t>(item) &&
               !std::holds_alternative<EllipsisType>(item);
      ellipses += std::holds_alternative<EllipsisType>(item);
    }
    if (ellipses > 1)
      fail("the key has more than one Ellipsis");
    if (named > oldStrides.size())
      fail("the key has " + std::to_string(named) + " items; needed at most " +
           std::to_string(oldStrides.size()) + " for shape " + toString(array.shape()));
    for (const IndexList::Item &item : key.items)
      std::visit([&](const auto &entry) { add(entry, oldStrides.size() - named); }, item);
    fill(oldStrides.size() - axis);
    const bool isEmpty = std::find(dims.begin(), dims.end(), 0) != dims.end();
    const char *first = static_cast<const char *>(array.origin()) +
                        (isEmpty ? 0 : offset * int64_t(dtypeSize(array.dtype())));
    // A view has no use for the strides of what is not there.
    if (isEmpty)
      return Array::empty(array.dtype(), dims);
    const Array picked = Array::constView(first, array.dtype(), dims, strides);
    return Array(picked);
  }

private:
  [[noreturn]] void fail(const std::string &what) const {
    throw ValueError("Array::operator[]: " + what + "; at " + key.location.file + ":" +
                     std::to_string(key.location.line));
  }

  void add(std::nullopt_t, size_t) {
    dims.push_back(1);
    strides.push_back(0);
  }
  void add(EllipsisType, size_t missing) { fill(missing); }
  void add(const Tensor &, size_t) const {
    fail("the key has a tensor; needed numbers and slices of numbers");
  }

  void fill(size_t count) {
    for (; count; --count, ++axis) {
      dims.push_back(array.shape()[axis]);
      strides.push_back(oldStrides[axis]);
    }
  }

  void add(int64_t index, size_t) {
    const int64_t size = array.shape()[axis];
    if (index >= size || index < -size)
      fail("index " + std::to_string(index) + " is outside axis " + std::to_string(axis) +
           " of size " + std::to_string(size));
    offset += (index < 0 ? index + size : index) * oldStrides[axis];
    ++axis;
  }

  // Python's rule.
  void add(const Slice &slice, size_t) {
    const int64_t size = array.shape()[axis];
    const int64_t step = numberOf(slice.step, 1);
    if (step == 0)
      fail("the step of a slice is 0");
    const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
    auto bound = [&](const Size &given, int64_t otherwise) {
      int64_t place = numberOf(given, otherwise);
      if (given.isNone())
        return place;
      return std::clamp(place < 0 ? place + size : place, lowest, highest);
    };
    const int64_t start = bound(slice.start, step > 0 ? lowest : highest),
                  stop = bound(slice.stop, step > 0 ? highest : lowest);
    // The distance and the step without their signs, which any step has.
    const uint64_t distance = step > 0 ? uint64_t(std::max(stop - start, int64_t(0)))
                                       : uint64_t(std::max(start - stop, int64_t(0)));
    const uint64_t stride = step > 0 ? uint64_t(step) : -uint64_t(step);
    const auto count = int64_t(distance / stride + (distance % stride != 0));
    dims.push_back(count);
    // Of one element or none no step is taken, however large it is.
    strides.push_back(count > 1 ? oldStrides[axis] * step : 0);
    offset += start * oldStrides[axis];
    ++axis;
  }

  int64_t numberOf(const Size &size, int64_t otherwise) const {
    if (size.isTensor())
      fail("a slice has a tensor; needed numbers");
    return size.isNone() ? otherwise : size.number();
  }

  const Array &array;
  const IndexList &key;
  const std::vector<int64_t> oldStrides;
  std::vector<int64_t> dims, strides; // of the result
  int64_t offset = 0;                 // in elements
  size_t axis = 0;
};

} // namespace

Array Array::operator[](const IndexList &key) const {
  checkValue("operator[]");
  checkOnHost("operator[]");
  return Indexer(*this, key).run();
}
