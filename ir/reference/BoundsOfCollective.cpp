#include "ir/reference/BoundsOfCollective.h"

#include "ir/dialect/Keratin.h"
#include "ir/reference/HostConversions.h"

#include <cmath>
#include <optional>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

namespace {

// What a sum of a dtype is rounded to, and how large it can be.
struct SumFormat {
  explicit SumFormat(keratin_dtype_t dtype)
      : ulp(reference::ulp(dtype)), largest(reference::largest(dtype)) {
    if (dtype == KERATIN_DTYPE_FLOAT16) {
      ulp = 0x1p-10;
      smallest = 0x1p-24;
      largest = 65504;
    } else if (dtype == KERATIN_DTYPE_BFLOAT16) {
      ulp = 0x1p-7;
      smallest = 0x1p-133;
    } else {
      smallest = reference::smallest(dtype);
    }
  }
  double ulp, smallest, largest;
};

class CollectiveBounds {
public:
  CollectiveBounds(Operation *op, const BoundedTensor &operand, EvaluationContext &context)
      : op(op), x(asOperand(operand)), context(context) {}

  LogicalResult run(std::vector<BoundedTensor> &results) {
    result.value = together(x.value);
    if (!reduction())
      move();
    else if (x.value.isFloat() && *reduction() != RankReduction::Max &&
             *reduction() != RankReduction::Min)
      sum();
    else
      extreme();
    results.push_back(std::move(result));
    return success(isGood);
  }

private:
  std::optional<RankReduction> reduction() const {
    if (auto reduce = dyn_cast<AllReduceOp>(op))
      return reduce.getReduction();
    if (auto reduce = dyn_cast<ReduceScatterOp>(op))
      return reduce.getReduction();
    return std::nullopt;
  }

  // What becomes of another tensor of all ranks. Each does so as often as the others.
  HostTensor together(const HostTensor &own) {
    std::vector<int64_t> dims;
    for (const DimExpr &dim : getShape(op->getResult(0)))
      dims.push_back(context.evaluate(dim).value_or(-1));
    std::optional<HostTensor> made = makeHostTensor(own.dtype, dims);
    if (!made || failed(cast<EvaluableOpInterface>(op).evaluate(context, {&own}, *made))) {
      isGood = false;
      return result.value;
    }
    return *std::move(made);
  }

  void move() {
    result.lower = together(x.lower);
    result.upper = together(x.upper);
  }

  // Sums of integers are exact.
  void extreme() {
    move();
    const HostTensor unknown = together(unknowns(x));
    for (int64_t i = 0; i < result.value.size(); ++i)
      if (unknown.floats[i])
        forget(result, i);
  }

  void sum() {
    const HostTensor unknown = together(unknowns(x)), nonFinite = together(nonFinites(x)),
                     size = together(magnitude(x)), finite = together(valueMagnitude(x)),
                     distance = together(width(x)), terms = together(ones(x)),
                     open = together(
                         mapElements(x, [&](size_t i) { return isPoint(x, i) ? 0.0 : 1.0; }));
    result.lower = result.upper = result.value;
    const SumFormat format(result.value.dtype);
    for (int64_t i = 0; i < result.value.size(); ++i) {
      const double value = result.value.floats[i];
      const double error =
          distance.floats[i] + terms.floats[i] * (format.ulp * size.floats[i] + format.smallest);
      if (unknown.floats[i] || (nonFinite.floats[i] && open.floats[i]))
        forget(result, i);
      else if (nonFinite.floats[i])
        setRange(result, i, value, value);
      else if (!(finite.floats[i] < format.largest / 2 &&
                 size.floats[i] + error < format.largest / 2))
        forget(result, i); // a partial sum may overflow or not
      else
        setRange(result, i, value - error, value + error);
    }
  }

  Operation *op;
  const BoundedTensor x;
  EvaluationContext &context;
  BoundedTensor result;
  bool isGood = true;
};

} // namespace

LogicalResult reference::boundsOfCollective(Operation *op, const BoundedTensor &operand,
                                            EvaluationContext &context,
                                            std::vector<BoundedTensor> &results) {
  return CollectiveBounds(op, operand, context).run(results);
}
