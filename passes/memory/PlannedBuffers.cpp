#include "passes/memory/PlannedBuffers.h"

#include "passes/memory/KernelProgram.h"
#include "passes/memory/MemoryPlan.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

std::optional<int64_t> keratin::passes::evaluate(const DimExpr &expression,
                                                 const SymbolValues &symbols, int64_t otherwise) {
  return expression.evaluate([&](int64_t id) -> std::optional<int64_t> {
    auto found = symbols.find(id);
    return found == symbols.end() ? otherwise : found->second;
  });
}

std::string keratin::passes::makerOf(OpResult result) {
  auto kernel = cast<KernelOp>(result.getOwner());
  Block &body = kernel.getBody().front();
  Value made = cast<YieldOp>(body.getTerminator()).getValues()[result.getResultNumber()];
  Operation *op = made.getDefiningOp();
  if (!op)
    return "copy";
  size_t others = body.getOperations().size() - 2;
  std::string name = op->getName().stripDialect().str();
  return others ? name + " +" + std::to_string(others) : name;
}

std::optional<PlannedMemory> keratin::passes::readMemoryPlan(func::FuncOp function) {
  auto offsets = function->getAttrOfType<DimsAttr>(kOffsetsAttr);
  auto bytes = function->getAttrOfType<DimsAttr>(kArenaBytesAttr);
  if (!offsets || !bytes)
    return std::nullopt;
  FailureOr<KernelProgram> program = KernelProgram::build(function);
  if (failed(program))
    return std::nullopt;
  PlannedMemory plan;
  std::vector<DimExpr> places = offsets.getDims();
  plan.arenaBytes = bytes.getDims().front();
  plan.kernels = program->nodes().size();
  llvm::DenseMap<Value, size_t> bufferOf;
  for (int64_t position = 0; position < plan.kernels; ++position) {
    Operation *kernel = program->nodes()[position];
    auto codes = kernel->getAttrOfType<DenseI64ArrayAttr>(kResultsAttr);
    auto reuses = kernel->getAttrOfType<DenseI64ArrayAttr>(kReusesAttr);
    if (!codes || !reuses || codes.size() != kernel->getNumResults() ||
        reuses.size() != kernel->getNumResults())
      return std::nullopt;
    for (OpResult result : kernel->getResults()) {
      int64_t code = codes[result.getResultNumber()];
      int64_t reused = reuses[result.getResultNumber()];
      if (code < 0)
        continue;
      ArrayRef<int64_t> readers = program->readers(result);
      int64_t last = readers.empty() ? position : readers.back();
      if (reused < 0) {
        if (code >= int64_t(places.size()))
          return std::nullopt;
        bufferOf[result] = plan.buffers.size();
        plan.buffers.push_back({result, {position, last}, places[code], bytesOf(result), 1});
        continue;
      }
      auto found = reused < int64_t(kernel->getOperands().size())
                       ? bufferOf.find(rootOf(kernel->getOperands()[reused]))
                       : bufferOf.end();
      if (found == bufferOf.end())
        return std::nullopt;
      size_t index = found->second;
      bufferOf[result] = index;
      plan.buffers[index].live.last = last;
      ++plan.buffers[index].values;
    }
  }
  return plan;
}
