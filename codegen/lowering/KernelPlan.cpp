#include "codegen/lowering/KernelPlan.h"

#include "ir/interfaces/KernelName.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

// Elements of a chunk of units: enough to hide the cost of handing it to a thread.
static constexpr int64_t chunkElements = 16384;

void KernelPlan::setWork(const DimExpr &count, const DimExpr &perUnit) {
  units = count;
  grain = *max(DimExpr(1), *floordiv(DimExpr(chunkElements), *max(perUnit, DimExpr(1))));
  work = mul(count, perUnit).value_or(DimExpr(INT64_MAX));
}

KernelFunction KernelPlan::finish(KernelBuilder &k) const {
  k.tellNotes();
  k.result.units = units;
  if (countsUnits())
    k.result.countUnits = [plan = shared_from_this()](OpBuilder &b, Location loc, SizeOf sizeOf) {
      return plan->countUnits(b, loc, sizeOf);
    };
  k.result.grain = grain;
  k.result.work = work;
  k.result.scratchBytes = scratchBytes;
  k.result.hasLastUnit = hasLastUnit;
  return std::move(k.result);
}

std::string keratin::codegen::counted(int64_t count, StringRef one) {
  return std::to_string(count) + " " + one.str() + (count == 1 ? "" : "s");
}

// "float32 [d0, 4], int64 []"
static std::string tensorsOf(ValueRange values) {
  std::string text;
  for (Value value : values) {
    text += text.empty() ? "" : ", ";
    text += ir::dtypeName(ir::dtypeOf(ir::getElementType(value)));
    text += " " + ir::toString(ir::getShape(value));
  }
  return text.empty() ? "nothing" : text;
}

static void printIndented(llvm::raw_ostream &out, StringRef text) {
  for (StringRef line : llvm::split(text.rtrim('\n'), '\n'))
    out << "  " << line << "\n";
}

void keratin::codegen::print(llvm::raw_ostream &out, const KernelPlan &plan) {
  out << ir::nameOf(plan.kernel) << "\n";
  std::string text;
  llvm::raw_string_ostream stream(text);
  Block &body = ir::KernelOp(plan.kernel).getBody().front();
  stream << "tensors: " << tensorsOf(body.getArguments()) << " -> "
         << tensorsOf(body.getTerminator()->getOperands()) << "\n";
  plan.printNest(stream);
  stream << "work: units " << plan.unitsInWords() << ", grain " << plan.grain.str()
         << ", operations " << plan.work.str()
         << (plan.hasLastUnit ? ", a unit behind all others" : "") << "\n";
  plan.printSchedule(stream);
  if (plan.scratchBytes)
    stream << "scratch: " << plan.scratchBytes << " bytes\n";
  printIndented(out, text);
}
