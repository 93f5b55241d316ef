#include "tools/keratin-dump/Stats.h"

#include "tools/keratin-dump/Text.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace keratin::dump;

namespace {

constexpr int64_t kBarColumns = 32;

std::string number(const std::optional<int64_t> &value) {
  return value ? std::to_string(*value) : "(cannot be computed)";
}

class StatsWriter {
public:
  StatsWriter(llvm::raw_ostream &out, const GraphView &view) : out(out), view(view) {}

  void write() {
    out << "function " << readable(view.function) << ", " << view.stage;
    for (const auto &[name, value] : view.symbols)
      out << ", " << name << " = " << value;
    out << "\n\n";
    writeCounts();
    quantity("FLOPs", view.operations);
    quantity("bytes read", view.bytesRead);
    quantity("bytes written", view.bytesWritten);
    if (view.memory) {
      quantity("arena bytes", view.memory->arena);
      if (view.memory->mostArena)
        quantity("arena at most", {view.memory->mostArena, ""});
      if (view.memory->prepared)
        quantity("prepared bytes", {view.memory->prepared, ""});
      out << llvm::formatv("  {0,-15} {1}\n", "live at most", number(view.memory->maxLive));
    }
    if (view.microseconds)
      out << llvm::formatv("  {0,-15} {1:f1}\n", "us a call", *view.microseconds);
    if (!view.kernels.empty())
      writeKernels();
  }

private:
  void quantity(const char *name, const ViewQuantity &quantity) {
    out << llvm::formatv("  {0,-15} {1}", name, number(quantity.value));
    if (!quantity.formula.empty())
      out << " = " << quantity.formula;
    out << "\n";
  }

  void writeCounts() {
    int64_t total = 0;
    for (const auto &count : view.opCounts)
      total += count.second;
    out << llvm::formatv("  {0,-15} {1}", "ops", total);
    size_t loops = view.loopCount();
    if (view.kernels.size() > loops)
      out << ", kernels " << view.kernels.size() - loops;
    if (loops)
      out << ", loops and branches " << loops;
    out << "\n";
    for (const auto &[name, count] : view.opCounts)
      out << llvm::formatv("    {0,7}  {1}\n", count, name);
  }

  void writeKernels() {
    hasLive = view.memory && view.memory->live.size() == view.kernels.size();
    hasTime = view.microseconds.has_value();
    std::vector<std::string> head = {"kernel", "FLOPs", "read", "written"};
    if (hasTime)
      head.push_back("us");
    if (hasLive)
      head.push_back("live");
    rows.push_back({head, "timeline" + std::string(kBarColumns - 8, ' '), ""});
    for (size_t i = 0; i < view.kernels.size(); ++i) {
      const ViewKernel &kernel = view.kernels[i];
      addRow(kernel, "", hasLive ? std::to_string(view.memory->live[i]) : "",
             hasLive ? bar(i) : "");
      for (const ViewKernel &inner : kernel.inside)
        addRow(inner, "  ", "", std::string(kBarColumns, ' '));
    }
    std::vector<size_t> widths(head.size());
    for (const Row &row : rows)
      for (size_t column = 0; column < widths.size(); ++column)
        widths[column] = std::max(widths[column], row.cells[column].size());
    out << "\n";
    for (const Row &row : rows) {
      for (size_t column = 0; column < widths.size(); ++column)
        out << "  " << llvm::right_justify(row.cells[column], unsigned(widths[column]));
      if (hasLive)
        out << "  " << row.bar;
      out << row.title << "\n";
    }
  }

  // A kernel of a loop stands below it.
  void addRow(const ViewKernel &kernel, const char *indent, const std::string &live,
              const std::string &bar) {
    std::string number = std::to_string(kernel.first);
    if (kernel.last > kernel.first)
      number += "-" + std::to_string(kernel.last);
    Row row{{kernel.last < kernel.first ? "" : number}, bar, ""};
    for (const ViewQuantity *quantity :
         {&kernel.operations, &kernel.bytesRead, &kernel.bytesWritten})
      row.cells.push_back(quantity->value ? std::to_string(*quantity->value) : "?");
    if (hasTime)
      row.cells.push_back(kernel.microseconds ? llvm::formatv("{0:f1}", *kernel.microseconds).str()
                                              : "?");
    if (hasLive)
      row.cells.push_back(live);
    row.title = std::string("  ") + indent + readable(kernel.title);
    if (!kernel.place.empty())
      row.title += " " + readable(kernel.place);
    rows.push_back(std::move(row));
  }

  std::string bar(size_t kernel) const {
    int64_t most = std::max(view.memory->arena.value.value_or(0), view.memory->maxLive.value_or(0));
    double share = most > 0 ? double(view.memory->live[kernel]) / double(most) : 0;
    std::string text(kBarColumns, '.');
    std::fill_n(text.begin(), int64_t(share * kBarColumns + 0.5), '#');
    return text;
  }

  struct Row {
    std::vector<std::string> cells;
    std::string bar, title;
  };

  llvm::raw_ostream &out;
  const GraphView &view;
  std::vector<Row> rows;
  bool hasLive = false, hasTime = false;
};

} // namespace

std::string keratin::dump::toStats(const std::vector<GraphView> &views) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const GraphView &view : views) {
    if (&view != &views.front())
      out << "\n";
    StatsWriter(out, view).write();
  }
  return text;
}
