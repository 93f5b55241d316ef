// Shape of dot_general.
#include "ir/dialect/Keratin.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult DotGeneralOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                             Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  Shape a = getShape(adaptor.getA()), b = getShape(adaptor.getB());
  if (getElementType(adaptor.getA()) != getElementType(adaptor.getB()))
    return emitOptionalError(location, "dot_general: element types differ");
  llvm::SmallBitVector usedA(a.size()), usedB(b.size());
  Shape result;
  auto pair = [&](ArrayRef<int64_t> da, ArrayRef<int64_t> db, StringRef what) -> LogicalResult {
    if (da.size() != db.size())
      return emitOptionalError(location, "dot_general: ", what, " dimensions must come in pairs");
    for (auto [i, j] : llvm::zip(da, db)) {
      if (i < 0 || i >= int64_t(a.size()) || j < 0 || j >= int64_t(b.size()) || usedA.test(i) ||
          usedB.test(j))
        return emitOptionalError(location, "dot_general: ", what,
                                 " dimensions must be inside the ranks and different");
      usedA.set(i);
      usedB.set(j);
      if (a[i] != b[j])
        return emitOptionalError(location, "dot_general: ", what, " dimensions ", i, " and ", j,
                                 " have sizes ", a[i].str(), " and ", b[j].str(),
                                 "; they must be equal");
    }
    return success();
  };
  if (failed(pair(adaptor.getABatch(), adaptor.getBBatch(), "batch")))
    return failure();
  for (int64_t i : adaptor.getABatch())
    result.push_back(a[i]);
  if (failed(pair(adaptor.getAContract(), adaptor.getBContract(), "contracted")))
    return failure();
  for (size_t i = 0; i < a.size(); ++i)
    if (!usedA.test(i))
      result.push_back(a[i]);
  for (size_t j = 0; j < b.size(); ++j)
    if (!usedB.test(j))
      result.push_back(b[j]);
  inferred.push_back(getTensorType(result, getElementType(adaptor.getA())));
  return success();
}
