// Arrays, tensors and functions as text.
#include "frontend/backend/FunctionState.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/RuntimeView.h"
#include "keratin/function.h"

#include "keratin/runtime.h"

#include <algorithm>
#include <ostream>

using namespace keratin;
using namespace keratin::frontend;

//===-- Arrays --------------------------------------------------------------------------------===//

// NumPy's: more elements than `threshold` are not all printed, but `edge` at both ends of an axis.
static constexpr int64_t threshold = 1000, edge = 3;

static bool isCut(int64_t size) { return size > 2 * edge; }

static std::string formatted(const Array &array) {
  keratin_tensor_t view = viewOf(array);
  size_t length = 0;
  keratin_status_t status;
  (void)keratin_format(&view, nullptr, 0, &length, &status);
  throwIfFailed("toString", status);
  std::string text(length + 1, '\0');
  (void)keratin_format(&view, text.data(), text.size(), &length, &status);
  throwIfFailed("toString", status);
  text.resize(length);
  return text;
}

// What is printed of an array that is abbreviated.
static Array endsOf(const Array &array) {
  std::vector<int64_t> dims = array.shape();
  for (int64_t &size : dims)
    size = isCut(size) ? 2 * edge : size;
  Array ends = Array::empty(array.dtype(), dims);
  std::vector<int64_t> at(dims.size(), 0);
  const size_t width = dtypeSize(array.dtype());
  auto *to = static_cast<char *>(ends.rawData());
  for (int64_t i = 0; i < ends.size(); ++i, to += width) {
    int64_t from = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      const int64_t size = array.shape()[axis];
      from =
          from * size + (isCut(size) && at[axis] >= edge ? size - dims[axis] + at[axis] : at[axis]);
    }
    std::memcpy(to, array.addressOf(from), width);
    for (size_t axis = dims.size(); axis-- > 0 && ++at[axis] == dims[axis];)
      at[axis] = 0;
  }
  return ends;
}

// The text of the ends with "..." where something was left out: behind item `edge` of an axis that
// is cut. What stands between it and the next item stands before and behind the dots.
static std::string withDots(const std::string &text, const std::vector<int64_t> &dims) {
  std::string result;
  std::vector<int64_t> items; // begun, in each bracket that is open
  auto between = [](char c) { return c == ' ' || c == '\n'; };
  for (size_t i = 0; i < text.size();) {
    size_t next = i;
    while (next < text.size() && between(text[next]))
      ++next;
    const bool isInside = !items.empty() && next < text.size() && text[next] != ']';
    // An item begins.
    if (isInside && items.back()++ == edge && isCut(dims[items.size() - 1])) {
      const bool isLast = items.size() == dims.size();
      result += (isLast ? std::string(" ") : text.substr(i, next - i)) + "...";
    }
    result.append(text, i, next - i);
    i = next;
    if (i == text.size())
      break;
    if (text[i] == '[')
      items.push_back(0);
    if (text[i] == ']')
      items.pop_back();
    if (text[i] == '[' || text[i] == ']') {
      result += text[i++];
      continue;
    }
    while (i < text.size() && !between(text[i]) && text[i] != ']')
      result += text[i++];
  }
  return result;
}

std::string keratin::toString(const Array &array) {
  if (array.isNone())
    return "None";
  if (array.place())
    return std::string(dtypeName(array.dtype())) + " " + toString(array.shape()) + " on " +
           array.device();
  if (array.size() <= threshold)
    return formatted(array);
  return withDots(formatted(endsOf(array)), array.shape());
}

//===-- Tensors and functions -----------------------------------------------------------------===//

static std::string described(const std::string &name, const Tensor &tensor) {
  Graph::Lock lock(Graph::get());
  return name + ": " + dtypeName(tensor.dtype()) + " " + describe(valueOf(tensor));
}

static std::string plainName(const Tensor &tensor) {
  std::string name = tensor.name();
  return name.substr(0, name.rfind(':'));
}

std::string keratin::toString(const Tensor &tensor) {
  return tensor.isEmpty() ? "empty" : described(tensor.name(), tensor);
}

std::string keratin::toString(const Function &function) {
  if (function.isEmpty())
    return "empty";
  std::string text = "function " + function.name();
  for (size_t i = 0; i < function.inputs().size(); ++i)
    text += "\n  input  " + described(function.inputNames()[i], function.inputs()[i]);
  for (size_t i = 0; i < function.outputs().size(); ++i) {
    const Tensor &output = function.outputs()[i];
    const std::string &name = function.outputNames()[i];
    text += "\n  output " + described(name.empty() ? plainName(output) : name, output);
  }
  for (const Tensor &update : FunctionAccess::impl(function)->updates) {
    Graph::Lock lock(Graph::get());
    if (auto op = valueOf(update).getDefiningOp<ir::UpdateOp>()) {
      Tensor variable = tensorOf(op.getVariable());
      text += "\n  update " + described(plainName(variable), variable);
    }
  }
  return text;
}

//===-- Streams -------------------------------------------------------------------------------===//

namespace keratin {

std::ostream &operator<<(std::ostream &out, const Array &array) { return out << toString(array); }
std::ostream &operator<<(std::ostream &out, const Tensor &tensor) {
  return out << toString(tensor);
}
std::ostream &operator<<(std::ostream &out, const Function &function) {
  return out << toString(function);
}

} // namespace keratin
