#include "ir/interfaces/KernelName.h"

#include "ir/dialect/NameScope.h"
#include "ir/dialect/SourceLine.h"
#include "ir/interfaces/OpCost.h"
#include "ir/interfaces/OpProperties.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin::ir;
using namespace mlir;

// A name must not depend on the sizes of a call.
static int64_t atUsualSize(const Count &count) {
  static constexpr int64_t usualSize = 32;
  auto value =
      count ? count->evaluate([](int64_t) { return std::optional(usualSize); }) : std::nullopt;
  // What cannot be represented is large.
  return value.value_or(INT64_MAX);
}

// What an op weighs: arithmetic first. Of ops that do as much, as those over one element each, a
// reduction tells more than what it is applied to; of ops that do none, the largest result counts.
static std::array<int64_t, 3> weightOf(Operation *op) {
  int64_t elements = 0;
  for (Value result : op->getResults())
    elements = std::max(elements, atUsualSize(elementCount(getShape(result))));
  return {atUsualSize(operationCount(op)), isa<ReductionOpInterface>(op), elements};
}

static std::string workOf(Operation *op) {
  StringRef own = op->getName().stripDialect(), of = differentiatedOp(op->getLoc());
  if (of.empty())
    return own.str();
  return (kGradientOf + of).str() + (of == own ? "" : (" (" + own + ")").str());
}

static KernelName nameOfAlone(Operation *op) {
  return {scopeOf(op->getLoc()).str(), workOf(op), sourceLine(op->getLoc())};
}

KernelName keratin::ir::nameOf(Operation *node) {
  auto kernel = dyn_cast<KernelOp>(node);
  if (!kernel) {
    KernelName name = nameOfAlone(node);
    KernelOp heaviestInside;
    node->walk([&](KernelOp inner) {
      if (!heaviestInside || weightOf(inner) > weightOf(heaviestInside))
        heaviestInside = inner;
    });
    if (heaviestInside)
      name.work += " of " + nameOf(heaviestInside).work;
    return name;
  }
  SmallVector<Operation *> ops;
  Operation *heaviest = nullptr;
  auto inside = kernel.getBody().front().without_terminator();
  for (Operation &op : inside) {
    if (op.hasTrait<OpTrait::ConstantLike>())
      continue;
    ops.push_back(&op);
    if (!heaviest || weightOf(&op) > weightOf(heaviest))
      heaviest = &op;
  }
  KernelName name = nameOfAlone(heaviest ? heaviest : node);
  if (!heaviest) // it hands on what it is given, or what it holds
    name.work = inside.empty() ? "copy" : "constant";
  else if (ops.size() == 2)
    name.work += (" + " + (ops[0] == heaviest ? ops[1] : ops[0])->getName().stripDialect()).str();
  else if (ops.size() > 2)
    name.work += " + " + std::to_string(ops.size() - 1);
  if (name.location.empty())
    name.location = sourceLine(node->getLoc());
  return name;
}

llvm::raw_ostream &keratin::ir::operator<<(llvm::raw_ostream &out, const KernelName &name) {
  // Paths may hold any characters; in comments of assembly, say, a name is one line.
  for (char c : name.str() + (name.location.empty() ? "" : "  ") + name.location)
    if (llvm::isPrint(c) || uint8_t(c) >= 0x80)
      out << c;
    else
      out << "\\" << llvm::utohexstr(uint8_t(c), /*LowerCase=*/false, /*Width=*/2);
  return out;
}

SmallVector<KernelOp> keratin::ir::numberedKernels(func::FuncOp function) {
  SmallVector<KernelOp> kernels;
  function.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  return kernels;
}

KernelNumbers::KernelNumbers(func::FuncOp function) {
  int64_t next = 0;
  function.walk([&](Operation *op, const WalkStage &stage) {
    if (isa<KernelOp>(op)) {
      if (stage.isBeforeAllRegions())
        numbers[op] = next++;
    } else if (op->getNumRegions() && stage.isBeforeAllRegions()) {
      ranges[op].first = next;
    } else if (op->getNumRegions() && stage.isAfterAllRegions()) {
      ranges[op].last = next - 1;
    }
  });
}

KernelNumbers::Range KernelNumbers::of(Operation *op) const {
  if (auto kernel = numbers.find(op); kernel != numbers.end())
    return {kernel->second, kernel->second};
  auto range = ranges.find(op);
  return range == ranges.end() ? Range{0, -1} : range->second;
}

std::string keratin::ir::inWords(const KernelNumbers::Range &range) {
  if (range.last < range.first)
    return "no kernels";
  if (range.first == range.last)
    return "kernel " + std::to_string(range.first);
  return "kernels " + std::to_string(range.first) + " to " + std::to_string(range.last);
}
