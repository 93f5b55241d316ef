// Fourier transforms, line by line.
#include "ir/reference/Evaluation.h"
#include "ir/reference/FourierTransform.h"

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

LogicalResult FftOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  const std::vector<double> &re = operands[0]->floats, &im = operands[1]->floats;
  std::vector<std::complex<double>> line(size_t(operands[0]->dims.back()));
  for (size_t first = 0; first < re.size(); first += line.size()) {
    for (size_t j = 0; j < line.size(); ++j)
      line[j] = {re[first + j], im[first + j]};
    std::vector<std::complex<double>> y = fourierTransform(line, getInverse());
    for (size_t k = 0; k < y.size(); ++k) {
      results[0].floats[first + k] = y[k].real();
      results[1].floats[first + k] = y[k].imag();
    }
  }
  return success();
}
