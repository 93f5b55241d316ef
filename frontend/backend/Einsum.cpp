// K::einsum.
#include "frontend/backend/EinsumNotation.h"
#include "frontend/backend/Elementwise.h"
#include "frontend/backend/LabelledProduct.h"
#include "keratin/linear_algebra.h"

#include <algorithm>

using namespace keratin;
using namespace keratin::frontend;

// Labels that no letter is: dimensions of an ellipsis, counted from the last, which meet there.
static constexpr Label firstOfEllipsis = 256;

static bool isOfEllipsis(Label label) { return label >= firstOfEllipsis; }

// The labels before, those of an ellipsis of so many dimensions, and the labels behind.
static std::vector<Label> labelsOf(const EinsumTerm &term, int64_t dimensions) {
  std::vector<Label> labels(term.labels.begin(), term.labels.end());
  for (int64_t i = 0; i < dimensions; ++i)
    labels.insert(labels.begin() + ptrdiff_t(term.ellipsis.value_or(0)), firstOfEllipsis + int(i));
  return labels;
}

static std::vector<Labelled> labelled(Call &call, const EinsumNotation &notation,
                                      const std::vector<Value> &values, const std::string &text) {
  std::vector<Labelled> operands;
  for (size_t i = 0; i < values.size(); ++i) {
    const EinsumTerm &term = notation.operands[i];
    int64_t further = call.rank(values[i]) - int64_t(term.labels.size());
    if (further < 0 || (further > 0 && !term.ellipsis))
      call.valueError("'" + text + "': operand " + std::to_string(i) + " has shape " +
                      describe(values[i]) + "; '" + term.text + "' needs rank " +
                      std::to_string(term.labels.size()) + (term.ellipsis ? " or more" : ""));
    operands.push_back({values[i], labelsOf(term, further)});
  }
  return operands;
}

namespace keratin::backend {

Tensor einsum(const std::string &equation, const std::vector<Operand> &operands,
              SourceLocation location) {
  Call call("einsum", location);
  EinsumNotation notation;
  try {
    notation = parseEinsum(equation);
  } catch (const EinsumError &error) {
    call.valueError(error.what());
  }
  if (notation.operands.size() != operands.size())
    call.valueError("'" + equation + "' is of " + std::to_string(notation.operands.size()) +
                    " operands; found " + std::to_string(operands.size()));
  std::vector<Value> values = call.promoted(operands);
  std::vector<Labelled> factors = labelled(call, notation, values, equation);
  int64_t broadcast = 0;
  for (size_t i = 0; i < factors.size(); ++i)
    broadcast = std::max(broadcast, int64_t(factors[i].labels.size()) -
                                        int64_t(notation.operands[i].labels.size()));
  if (broadcast > 0 && !notation.result.ellipsis)
    call.valueError("'" + equation + "': the result has no '...' for the " +
                    std::to_string(broadcast) + " dimensions of the operands'");
  LabelRules rules{isOfEllipsis, [](Label label) {
                     return "the sizes of '" + std::string(1, char(label)) + "'";
                   }};
  std::vector<Label> result = labelsOf(notation.result, notation.result.ellipsis ? broadcast : 0);
  return call.tensor(asSummands(call, values, [&](llvm::ArrayRef<Value> numbers) {
    for (size_t i = 0; i < factors.size(); ++i)
      factors[i].value = numbers[i];
    return labelledProduct(call, factors, result, rules);
  }));
}

} // namespace keratin::backend
