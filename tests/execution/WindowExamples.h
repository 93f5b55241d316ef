// Windows of many forms, for tests of gradients and of compiled code.
#ifndef KERATIN_TESTS_EXECUTION_WINDOWEXAMPLES_H
#define KERATIN_TESTS_EXECUTION_WINDOWEXAMPLES_H

#include "ir/builder/GraphMath.h"

#include <string>
#include <vector>

namespace keratin::tests {

// A keratin.convolution.
struct ConvolutionExample {
  std::string label;
  ir::Shape x, filter, y;
  ir::GraphMath::ConvolutionWindows windows;

  mlir::Value build(ir::GraphMath &math, mlir::Value xValue, mlir::Value filterValue) const;
};
// Over ranks, strides, dilations, paddings (negative ones too), layouts, groups, reversed windows,
// sizes 0 and 1, unknown sizes (d0 to d2, at least 1), and filters larger than x. Each has fewer
// than 200 elements.
std::vector<ConvolutionExample> convolutionExamples();
// Sizes that fill tiles, vectors and panels, for compiled code.
std::vector<ConvolutionExample> largeConvolutionExamples();

// A window_sum; with x_dilation of ones also a window_max, window_pick or window_scatter.
struct WindowExample {
  std::string label;
  ir::Shape x, y;
  std::vector<int64_t> window, strides, xDilation;
  ir::Shape low;

  bool hasDilation() const;
  mlir::Value buildSum(ir::GraphMath &math, mlir::Value xValue) const;
  mlir::Value buildMax(ir::GraphMath &math, mlir::Value xValue) const;
  mlir::Value buildPick(ir::GraphMath &math, mlir::Value xValue, mlir::Value v) const;
  mlir::Value buildScatter(ir::GraphMath &math, mlir::Value xValue, mlir::Value v) const;
};
std::vector<WindowExample> windowExamples();
std::vector<WindowExample> largeWindowExamples();

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_WINDOWEXAMPLES_H
