#include "codegen/lowering/KernelListing.h"

#include "codegen/lowering/KernelPlan.h"
#include "ir/dialect/MemoryPlan.h"
#include "ir/dialect/SizeNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <set>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

// "sizes: d0 is batch, 8*d1 is length": what stands for them in the plans.
static void printSizes(llvm::raw_ostream &out, func::FuncOp function) {
  const ir::SizeNames names(function);
  const ir::LimitedSizes limited(function);
  std::set<int64_t> symbols;
  for (Type type : function.getArgumentTypes())
    for (const ir::DimExpr &size : ir::getShape(cast<RankedTensorType>(type)))
      if (std::optional<int64_t> symbol = limited.symbolCountedBy(size))
        symbols.insert(*symbol);
  const char *separator = "sizes: ";
  for (int64_t symbol : symbols) {
    const int64_t unit = limited.of(symbol).unit;
    out << separator << (unit == 1 ? "" : std::to_string(unit) + "*") << "d" << symbol << " is "
        << names[symbol];
    separator = ", ";
  }
  if (!symbols.empty())
    out << "\n";
}

void keratin::codegen::printKernels(llvm::raw_ostream &out, func::FuncOp function,
                                    const EntryDescription &description) {
  printSizes(out, function);
  llvm::DenseMap<const KernelPlan *, size_t> firsts;
  for (auto [number, kernel] : llvm::enumerate(ir::numberedKernels(function))) {
    out << "kernel " << number << ": ";
    if (ir::isJoined(kernel)) {
      out << description.kernelNames[number] << "\n  made in its place by those that it joins\n";
      continue;
    }
    const KernelPlan &plan = *description.plans.lookup(kernel);
    auto [first, isNew] = firsts.try_emplace(&plan, number);
    if (isNew)
      print(out, plan);
    else
      out << description.kernelNames[number] << "\n  as kernel " << first->second << "\n";
  }
  for (auto [number, loop] : llvm::enumerate(description.loops))
    out << "loop " << number << ": " << loop;
}

std::string KernelListing::annotate(StringRef code, StringRef comment,
                                    llvm::function_ref<StringRef(StringRef)> functionAt) const {
  // Many kernels may be one function.
  constexpr size_t mostLines = 8;
  llvm::StringMap<SmallVector<size_t>> kernelsOf;
  for (auto [number, function] : llvm::enumerate(functions))
    if (!function.empty())
      kernelsOf[function].push_back(number);
  std::string text;
  llvm::raw_string_ostream out(text);
  for (StringRef line : llvm::split(code, '\n')) {
    if (auto found = kernelsOf.find(functionAt(line)); found != kernelsOf.end()) {
      ArrayRef<size_t> kernels = found->second;
      for (size_t number : kernels.take_front(mostLines))
        out << comment << " kernel " << number << ": " << names[number] << "\n";
      if (kernels.size() > mostLines) {
        out << comment << " and kernels ";
        llvm::interleaveComma(kernels.drop_front(mostLines), out);
        out << "\n";
      }
    }
    out << line;
    if (line.end() != code.end())
      out << "\n";
  }
  return text;
}

std::string KernelListing::annotateAssembly(StringRef code) const {
  return annotate(code, "#", [](StringRef line) {
    return line.consume_back(":") ? line.trim('"') : StringRef();
  });
}

std::string KernelListing::annotateLlvm(StringRef code) const {
  return annotate(code, ";", [](StringRef line) {
    return line.starts_with("define ") ? line.split('@').second.split('(').first.trim('"')
                                       : StringRef();
  });
}
