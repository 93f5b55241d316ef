#include "codegen/gpu/contractions/ContractionThinPlan.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/contractions/ContractionNumbers.h"
#include "codegen/gpu/contractions/ContractionTile.h"
#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

// More would have as many registers as a tile, and shared memory pays.
static constexpr int64_t mostVectors = 4;
// Shorter sums keep few threads of a warp busy.
static constexpr int64_t shortDepth = 64;
// Fewer lines of a longer depth are for many blocks each: parts of tiles.
static constexpr int64_t fewLines = 64, longDepth = 4096;

static int64_t orMany(std::optional<int64_t> size) { return size.value_or(INT64_MAX); }

static bool isMatrixA(const ContractionSpec &spec) {
  return orMany(spec.m.constant) >= orMany(spec.n.constant);
}

static bool isThin(const ContractionSpec &spec) {
  bool isA = isMatrixA(spec);
  const ContractionOperand &matrix = isA ? spec.a : spec.b;
  std::optional<int64_t> lines = isA ? spec.m.constant : spec.n.constant;
  std::optional<int64_t> vectors = isA ? spec.n.constant : spec.m.constant;
  if (orMany(vectors) > mostVectors || matrix.elementType.isInteger(1))
    return false;
  if (lines && spec.batch.constant &&
      *lines <= fewLines / std::max<int64_t>(1, *spec.batch.constant) &&
      orMany(spec.k.constant) > longDepth)
    return false;
  bool isAlongDepth = (isA ? matrix.constantColStride : matrix.constantRowStride) == 1;
  bool isAlongLines = (isA ? matrix.constantRowStride : matrix.constantColStride) == 1;
  return isAlongDepth ? orMany(spec.k.constant) >= shortDepth : isAlongLines;
}

DevicePlanPtr ContractionThinPlan::make(ir::KernelOp kernel, unsigned warpThreads) {
  if (kindOf(kernel) != KernelKind::Contraction || warpThreads == 1)
    return nullptr;
  std::optional<ContractionNest> nest = ContractionNest::of(kernel);
  if (!nest || !isThin(nest->describe()))
    return nullptr;
  return std::make_shared<ContractionThinPlan>(kernel, std::move(*nest));
}

ContractionThinPlan::ContractionThinPlan(ir::KernelOp kernel, ContractionNest product)
    : FormPlan(kernel), nest(std::move(product)) {
  ContractionSpec spec = nest.describe();
  isMatrixA = ::isMatrixA(spec);
  vectors = isMatrixA ? *spec.n.constant : *spec.m.constant;
  isAlongDepth = (isMatrixA ? spec.a.constantColStride : spec.b.constantRowStride) == 1;
  unitThreads = isAlongDepth ? warpThreads : unsigned(warps) * warpThreads;
  DimExpr perMatrix = isAlongDepth ? lines() : *ceildiv(lines(), DimExpr(blockLines));
  DimExpr ofBatch = mul(nest.shape.batch, perMatrix).value_or(DimExpr(INT64_MAX));
  if (!isAlongDepth) {
    int64_t bytes =
        vectors * blockLines * sumTypeOf(spec.accumulatorType).getIntOrFloatBitWidth() / 8;
    sharedBytes = warps * bytes;
    mostParts = mostDepthParts(ofBatch, nest.shape.k);
    partBytes = mostParts > 1 ? bytes : 0;
  }
  int64_t sumsOfUnit = (isAlongDepth ? 1 : blockLines) * std::max<int64_t>(1, vectors);
  setWork(mul(ofBatch, depthParts()).value_or(DimExpr(INT64_MAX)),
          mul(*ceildiv(nest.shape.k, depthParts()), DimExpr(2 * sumsOfUnit))
              .value_or(DimExpr(INT64_MAX)));
}

DimExpr ContractionThinPlan::depthParts() const { return partsOfDepth(nest.shape.k, mostParts); }

void ContractionThinPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: " << (isMatrixA ? "A" : "B") << " and " << counted(vectors, "vector") << "; ";
  if (isAlongDepth)
    out << "a warp a line, which meets by shuffles\n";
  else
    out << counted(warps, "warp") << " share the depth of " << counted(blockLines, "line") << "\n";
  if (mostParts > 1)
    out << "depth: in " << depthParts().str() << " parts, which meet\n";
}
