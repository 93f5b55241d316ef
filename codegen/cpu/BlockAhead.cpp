#include "codegen/cpu/BlockAhead.h"

#include "llvm/Support/MathExtras.h"

using namespace keratin::codegen;
using mlir::Value;

// Of all inputs, and what caches may hold of them.
static constexpr int64_t blockBytes = 32768, cachedBytes = 16 << 20;

std::optional<BlockAhead> BlockAhead::of(int64_t inputs, int64_t bytes, const ir::DimExpr &elements,
                                         const MemoryTraits &memory) {
  if (bytes == 0 || !elements.isConstant() || elements.constantValue() <= cachedBytes / bytes)
    return std::nullopt;
  const int64_t each = int64_t(llvm::PowerOf2Ceil(uint64_t(inputs)));
  return BlockAhead{blockBytes / each, std::max<int64_t>(2, memory.partsAhead / each)};
}

Value BlockAhead::distance(LoopEmitter &code, Value position, int64_t elementBytes) const {
  const int64_t block = bytes / elementBytes, line = lineBytes / elementBytes;
  Value within = code.rem(position, code.constant(block));
  Value part = code.rem(code.div(within, code.constant(line)), code.constant(parts));
  Value to = code.add(code.div(within, code.constant(parts)), code.mul(part, block / parts));
  return code.add(code.sub(to, within), block);
}

llvm::raw_ostream &keratin::codegen::operator<<(llvm::raw_ostream &out, const BlockAhead &ahead) {
  return out << "a block of " << ahead.bytes << " bytes ahead, in " << ahead.parts << " parts";
}
