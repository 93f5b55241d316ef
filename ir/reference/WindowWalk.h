// Windows that slide over a tensor of the interpreter.
#ifndef KERATIN_IR_REFERENCE_WINDOWWALK_H
#define KERATIN_IR_REFERENCE_WINDOWWALK_H

#include "ir/reference/ElementMath.h"
#include "ir/reference/IndexWalk.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace keratin::ir::reference {

// Windows along one dimension: which elements of x the window at `o` covers.
struct SlidingWindow {
  int64_t size, stride, low, xSize, xDilation, dilation;

  // Where an element of the window lies in x; nullopt if on a zero between or around.
  std::optional<int64_t> positionOf(int64_t o, int64_t element) const {
    int64_t position = o * stride - low + element * dilation;
    if (position < 0 || position % xDilation != 0 || position / xDilation >= xSize)
      return std::nullopt;
    return position / xDilation;
  }
  // Whether positions up to the window `count - 1` are numbers.
  bool fits(int64_t count) const {
    int64_t last, inside;
    return !__builtin_mul_overflow(std::max<int64_t>(count - 1, 0), stride, &last) &&
           !__builtin_sub_overflow(last, low, &last) &&
           !__builtin_mul_overflow(size, dilation, &inside) &&
           !__builtin_add_overflow(last, inside, &last) && low != INT64_MIN &&
           !__builtin_mul_overflow(xSize, xDilation, &last);
  }
};

// The windows of a tensor, one along each dimension.
class WindowWalk {
public:
  WindowWalk(const HostTensor &x, llvm::ArrayRef<int64_t> window, llvm::ArrayRef<int64_t> strides,
             const std::vector<int64_t> &low, llvm::ArrayRef<int64_t> xDilation)
      : offsets(rowMajorStrides(x.dims)) {
    for (size_t i = 0; i < x.dims.size(); ++i)
      windows.push_back({window[i], strides[i], low[i], x.dims[i], xDilation[i], 1});
  }

  bool fits(const std::vector<int64_t> &counts) const {
    for (size_t i = 0; i < windows.size(); ++i)
      if (!windows[i].fits(counts[i]))
        return false;
    return true;
  }

  // Calls function(number of the element of x) for the elements in the window, in row-major order.
  template <class Function>
  void forEachInside(const HostIndex &place, const Function &function) const {
    // Windows may be far larger than what they cover.
    std::vector<int64_t> first, count;
    for (size_t i = 0; i < windows.size(); ++i) {
      const SlidingWindow &window = windows[i];
      int64_t start = place[i] * window.stride - window.low;
      int64_t begin = std::max<int64_t>(0, -start);
      int64_t end = std::min(window.size, (window.xSize - 1) * window.xDilation + 1 - start);
      first.push_back(begin);
      count.push_back(std::max<int64_t>(0, end - begin));
    }
    forEachIndex(count, [&](const HostIndex &index, int64_t) {
      int64_t from = 0;
      for (size_t i = 0; i < windows.size(); ++i) {
        std::optional<int64_t> position = windows[i].positionOf(place[i], first[i] + index[i]);
        if (!position)
          return;
        from += *position * offsets[i];
      }
      function(from);
    });
  }

  // The first largest element; a NaN counts as the largest.
  template <class T>
  std::optional<int64_t> largest(const HostTensor &x, const HostIndex &place) const {
    std::optional<int64_t> best;
    forEachInside(place, [&](int64_t from) {
      if (!best) {
        best = from;
        return;
      }
      T old = load<T>(x, *best), candidate = load<T>(x, from);
      if (old == old && (candidate > old || candidate != candidate))
        best = from;
    });
    return best;
  }

private:
  std::vector<int64_t> offsets;
  std::vector<SlidingWindow> windows;
};

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_WINDOWWALK_H
