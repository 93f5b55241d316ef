#include "runtime/core/NumberReport.h"

#include "runtime/core/DType.h"

#include <inttypes.h>
#include <math.h>

namespace keratin::runtime {

namespace {

struct Kinds {
  bool areFinite = true, haveNan = false;
  void add(double value) {
    areFinite = areFinite && isfinite(value);
    haveNan = haveNan || isnan(value);
  }
};

} // namespace

static Kinds kindsOf(const keratin_number_check_t &check) {
  Kinds kinds;
  for (int64_t k = 0; k < check.num_operands; ++k) {
    const keratin_number_operand_t &operand = check.operands[k];
    for (int64_t i = 0; i < operand.elements; ++i)
      kinds.add(readFloat(operand.dtype, operand.data, i));
  }
  return kinds;
}

static double operandAt(const keratin_number_operand_t &operand, int64_t index) {
  return readFloat(operand.dtype, operand.data, operand.elements == 1 ? 0 : index);
}

static Kinds kindsAt(const keratin_number_check_t &check, int64_t index) {
  Kinds kinds;
  for (int64_t k = 0; k < check.num_operands; ++k)
    kinds.add(operandAt(check.operands[k], index));
  return kinds;
}

// What weighs most stands first: a number made of finite ones, then what was fed, then a NaN made
// of infinities. -1: nobody here is to blame.
static int64_t rankOf(int64_t rule, double number, const Kinds &operands) {
  if (rule == KERATIN_NUMBER_FED)
    return operands.areFinite ? -1 : 1;
  if (operands.areFinite)
    return 0;
  return isnan(number) && !operands.haveNan ? 2 : -1;
}

void NumberReport::look(const keratin_number_check_t &check) {
  int64_t elements = 1;
  for (int64_t axis = 0; axis < check.rank; ++axis)
    elements *= check.dims[axis];
  bool isElementwise = check.rule == KERATIN_NUMBER_ELEMENTWISE, knowsAll = false;
  Kinds all;
  for (int64_t i = 0; i < elements; ++i) {
    double value = readFloat(check.dtype, check.data, i);
    if (isfinite(value) || (check.counts && !check.counts[i]))
      continue;
    if (!isElementwise && !knowsAll) {
      all = kindsOf(check);
      knowsAll = true;
    }
    int64_t found = rankOf(check.rule, value, isElementwise ? kindsAt(check, i) : all);
    bool isBetter = isEmpty() || found < rank || (found == rank && check.order < order);
    if (found < 0 || !isBetter)
      continue;
    foundSite = check.site;
    rank = found;
    order = check.order;
    number = value;
    numOperands = 0;
    for (; isElementwise && numOperands < check.num_operands && numOperands < mostOperands;
         ++numOperands)
      operands[numOperands] = operandAt(check.operands[numOperands], i);
    hasStep = check.step != nullptr;
    if (hasStep)
      step = *check.step;
    numAxes = int32_t(check.rank);
    int64_t rest = i;
    for (int32_t axis = numAxes; axis-- > 0; rest /= check.dims[axis])
      element[axis] = rest % check.dims[axis];
  }
}

static void addNumber(ShortText &text, double number) {
  if (isfinite(number))
    text.add("%.9g", number);
  else
    text.add("%s", isnan(number) ? "NaN" : number < 0 ? "-infinity" : "infinity");
}

ShortText NumberReport::text() const {
  ShortText text;
  addNumber(text, number);
  for (int32_t k = 0; k < numOperands; ++k) {
    text.add(k == 0 ? " of " : k + 1 == numOperands ? " and " : ", ");
    addNumber(text, operands[k]);
  }
  for (int32_t axis = 0; axis < numAxes; ++axis)
    text.add(axis ? ", %" PRId64 : " at element [%" PRId64, element[axis]);
  text.add(numAxes ? "]" : "");
  if (hasStep)
    text.add("%s step %" PRId64, numAxes ? "," : " at", step);
  return text;
}

} // namespace keratin::runtime
