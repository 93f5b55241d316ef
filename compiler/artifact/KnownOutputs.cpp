#include "compiler/artifact/KnownOutputs.h"

#include "ir/dialect/Keratin.h"
#include "ir/dialect/Signature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace keratin;
using namespace keratin::compiler;
using namespace mlir;

static constexpr int64_t mostElements = int64_t(1) << 20;

// Of one of them, as initializers of its dtype.
static std::vector<int64_t> elementsOf(DenseIntElementsAttr constant) {
  const bool isUnsigned = constant.getElementType().isUnsignedInteger();
  std::vector<int64_t> result;
  for (const APInt &element : constant.getValues<APInt>())
    result.push_back(isUnsigned ? int64_t(element.getZExtValue()) : element.getSExtValue());
  return result;
}

KnownOutputs::KnownOutputs(const ir::SavedGraph &graph) {
  ModuleOp module = graph.module.get();
  for (auto [number, function] : llvm::enumerate(module.getOps<func::FuncOp>())) {
    const ir::Signature signature(function);
    int32_t output = 0;
    for (auto [i, value] :
         llvm::enumerate(function.getBody().front().getTerminator()->getOperands())) {
      if (signature.isUpdate(i))
        continue;
      DenseIntElementsAttr constant;
      if (matchPattern(value, m_Constant(&constant)) && !constant.getElementType().isInteger(1) &&
          constant.getNumElements() > 0 && constant.getNumElements() <= mostElements)
        elements[{int32_t(number), output}] = elementsOf(constant);
      ++output;
    }
  }
}

static std::string macroOf(const std::string &function, int32_t output) {
  return function + "_OUTPUT_" + std::to_string(output) + "_VALUES";
}

std::string KnownOutputs::said(int32_t number, int32_t output, const std::string &function) const {
  return elements.contains({number, output}) ? ", always " + macroOf(function, output) : "";
}

// "#define F_OUTPUT_1_VALUES {0, 3, …}", over several lines.
static std::string definition(const std::string &macro, llvm::ArrayRef<int64_t> elements) {
  constexpr size_t mostColumns = 98;
  std::string text = "#define " + macro + " \\\n", line = "  {";
  for (auto [i, element] : llvm::enumerate(elements)) {
    // That number has no literal.
    std::string next = element == std::numeric_limits<int64_t>::min() ? "-9223372036854775807 - 1"
                                                                      : std::to_string(element);
    next += i + 1 < elements.size() ? "," : "}";
    if (line.size() + 1 + next.size() > mostColumns) {
      text += line + " \\\n";
      line = "  ";
    }
    line += (line.back() == ' ' || line.back() == '{' ? "" : " ") + next;
  }
  return text + line + "\n";
}

std::string KnownOutputs::definitions(int32_t number, const std::string &function) const {
  std::string text;
  for (auto of = elements.lower_bound({number, 0});
       of != elements.end() && of->first.first == number; ++of)
    text += definition(macroOf(function, of->first.second), of->second);
  return text.empty()
             ? ""
             : "// Outputs that are the same in every call, as initializers of arrays.\n" + text;
}
