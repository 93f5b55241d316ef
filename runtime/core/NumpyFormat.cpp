#include "runtime/core/NumpyFormat.h"
#include "runtime/core/DType.h"
#include "runtime/core/ElementFormat.h"

namespace keratin::runtime {

// NumPy's defaults: lines of 75, a summary above 1000 elements that keeps 3 at each end of an axis.
static constexpr int64_t lineWidth = 75;
static constexpr int64_t summaryThreshold = 1000;
static constexpr int64_t edgeItems = 3;

namespace {

class ArrayFormatter {
public:
  ArrayFormatter(const keratin_tensor_t &tensor, int64_t elements, Text &text)
      : tensor(tensor), text(text), format(tensor.dtype), summarise(elements > summaryThreshold) {
    int64_t stride = 1;
    for (int32_t axis = tensor.rank; axis-- > 0;) {
      strides[axis] = (tensor.strides ? tensor.strides[axis] : stride) * dtypeSize(tensor.dtype);
      // The tensor has its bytes in memory, so this fits unless strides repeat; then it is not
      // used.
      stride = tensor.strides ? 0 : stride * tensor.dims[axis];
    }
  }

  void run() {
    auto *data = static_cast<const char *>(tensor.data);
    visit(0, data, [this](const char *element) { format.observe(element); });
    visit(0, data, [this](const char *element) { format.measure(element); });
    format.finish();
    // The hanging indent starts as wide as the first bracket.
    writeAxis(0, data, lineWidth);
  }

private:
  bool isCut(int32_t axis) const { return summarise && tensor.dims[axis] > 2 * edgeItems; }

  // Calls use for the index of each item of the axis that is shown; -1 stands for the dots.
  template <typename Use> void forShownItems(int32_t axis, Use use) const {
    int64_t size = tensor.dims[axis];
    if (!isCut(axis)) {
      for (int64_t i = 0; i < size; ++i)
        use(i);
      return;
    }
    for (int64_t i = 0; i < edgeItems; ++i)
      use(i);
    use(-1);
    for (int64_t i = size - edgeItems; i < size; ++i)
      use(i);
  }

  template <typename Use> void visit(int32_t axis, const char *data, Use use) const {
    if (axis == tensor.rank)
      return use(data);
    forShownItems(axis, [&](int64_t i) {
      if (i >= 0)
        visit(axis + 1, data + i * strides[axis], use);
    });
  }

  void writeAxis(int32_t axis, const char *data, int64_t width) {
    text.append("[");
    if (axis + 1 == tensor.rank) {
      writeRow(data, width);
    } else {
      forShownItems(axis, [&](int64_t i) {
        // Blank lines part the blocks of three and more dimensions; items after the first are
        // indented.
        if (i != 0) {
          text.repeat('\n', tensor.rank - axis - 1);
          text.repeat(' ', axis + 1);
        }
        if (i < 0)
          text.append("...");
        else
          writeAxis(axis + 1, data + i * strides[axis], width - 1);
      });
    }
    text.append("]");
  }

  // One row, wrapped where it would pass the line's end. What stands before it in its line are
  // brackets, one for each axis, or as many spaces.
  void writeRow(const char *data, int64_t width) {
    int64_t indent = tensor.rank;
    int64_t column = indent;
    int64_t limit = width - 1;
    int32_t axis = tensor.rank - 1;
    forShownItems(axis, [&](int64_t i) {
      if (i != 0) {
        text.append(" ");
        ++column;
      }
      Text word;
      if (i < 0)
        word.append("...");
      else
        format.write(data + i * strides[axis], word);
      if (column + int64_t(word.size()) > limit && column > indent) {
        text.trimRight();
        text.append("\n");
        text.repeat(' ', indent);
        column = indent;
      }
      text.append(word.data(), word.size());
      column += int64_t(word.size());
    });
  }

  const keratin_tensor_t &tensor;
  Text &text;
  ElementFormat format;
  bool summarise;
  int64_t strides[KERATIN_MAX_RANK] = {};
};

} // namespace

void formatTensor(const keratin_tensor_t &tensor, Text &text) {
  int64_t bytes = 0;
  tensorBytes(tensor.dtype, tensor.rank, tensor.dims, bytes);
  if (bytes == 0)
    text.append("[]");
  else if (tensor.rank == 0)
    ElementFormat::writeScalar(tensor.dtype, tensor.data, text);
  else
    ArrayFormatter(tensor, bytes / dtypeSize(tensor.dtype), text).run();
}

} // namespace keratin::runtime
