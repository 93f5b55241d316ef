// Transforms of many lines, so many at a time as stay in a core's cache from stage to stage.
#include "ir/builder/LoopBuilder.h"
#include "passes/linalg/Fourier.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// Elements of a block: 64 KiB of complex128.
static constexpr int64_t kBlockElements = 1 << 12;

// How many lines are a step of a loop; nothing: all of them at once, as they are few, or as steps
// would do too little.
static std::optional<int64_t> linesOfBlock(const DimExpr &lines, int64_t length) {
  constexpr int64_t kLeastLength = 64, kLeastElements = kBlockElements / 4;
  if (length < kLeastLength)
    return std::nullopt;
  if (!lines.isConstant())
    return length >= kLeastElements ? std::optional<int64_t>(1) : std::nullopt;
  const int64_t count = lines.constantValue();
  int64_t block = std::max<int64_t>(kBlockElements / length, 1);
  if (count <= 2 * block)
    return std::nullopt;
  while (count % block != 0)
    --block;
  return block * length >= kLeastElements ? std::optional<int64_t>(block) : std::nullopt;
}

SmallVector<Value> inBlocks(GraphMath &g, ArrayRef<Value> operands, int64_t length,
                            llvm::function_ref<SmallVector<Value>(GraphMath &, ValueRange)> build) {
  const DimExpr lines = getShape(operands[0])[0];
  const std::optional<int64_t> block = linesOfBlock(lines, length);
  if (!block)
    return build(g, operands);
  const DimExpr steps = *block == 1 ? lines : DimExpr(lines.constantValue() / *block);
  SmallVector<Value> sequences;
  for (Value operand : operands) {
    Shape shape = getShape(operand);
    shape[0] = DimExpr(*block);
    shape.insert(shape.begin(), steps);
    sequences.push_back(g.reshape(operand, shape));
  }
  ScanOp loop = buildScan(g, steps, {{}, sequences, {}}, [&](GraphMath &body, LoopStep &step) {
    step.stacked = build(body, step.elements);
  });
  SmallVector<Value> results;
  for (Value stack : loop.getResults()) {
    Shape shape = getShape(stack);
    shape.erase(shape.begin());
    shape[0] = lines;
    results.push_back(g.reshape(stack, shape));
  }
  return results;
}

} // namespace keratin::passes
