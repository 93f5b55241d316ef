#include "compiler/driver/CompileReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

using namespace keratin::compiler;

// The most of which the bill speaks one by one.
static constexpr size_t mostLines = 10;

static void printLine(llvm::raw_ostream &out, double milliseconds, const llvm::Twine &name) {
  out << llvm::format("  %8.2f ms  ", milliseconds) << name << "\n";
}

// Those that took most, and the sum of the others.
static void printCosts(llvm::raw_ostream &out, std::vector<CompileReport::Cost> costs) {
  llvm::sort(costs, [](const auto &a, const auto &b) {
    return std::tie(b.milliseconds, a.name) < std::tie(a.milliseconds, b.name);
  });
  const llvm::ArrayRef<CompileReport::Cost> all = costs;
  for (const CompileReport::Cost &cost : all.take_front(mostLines))
    printLine(out, cost.milliseconds, "  " + cost.name);
  double rest = 0;
  const auto others = all.drop_front(std::min(mostLines, all.size()));
  for (const CompileReport::Cost &cost : others)
    rest += cost.milliseconds;
  if (!others.empty())
    printLine(out, rest, "  " + llvm::Twine(others.size()) + " more");
}

std::string keratin::compiler::toString(const CompileReport &report) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (report.source != CompileReport::Source::Compiler) {
    out << llvm::format("%.2f", report.milliseconds) << " ms, code of an equal function "
        << (report.source == CompileReport::Source::Disk ? "from the cache folder"
                                                         : "of this process")
        << "\n";
    return text;
  }
  double total = 0;
  for (const auto &stage : report.stages)
    total += stage.milliseconds;
  out << llvm::format("%.2f", total) << " ms, " << report.kernels << " kernels, "
      << report.uniqueKernels << " of them different\n";
  for (const auto &stage : report.stages) {
    printLine(out, stage.milliseconds, stage.name);
    if (llvm::StringRef(stage.name) == "passes")
      printCosts(out, report.passes);
    if (llvm::StringRef(stage.name) == "machine code")
      printCosts(out, report.code);
  }
  return text;
}
