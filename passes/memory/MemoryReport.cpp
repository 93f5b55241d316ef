#include "passes/memory/MemoryReport.h"

#include "ir/dialect/Keratin.h"
#include "passes/memory/MemoryPlan.h"
#include "passes/memory/PlannedBuffers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

constexpr int64_t kTimelineColumns = 48;
// A person reads the largest; the rest is one line.
constexpr size_t kMostRows = 200;

// "net.cc:57" of the innermost place in user code; empty if there is none.
std::string sourceLine(Location location) {
  std::string text;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    text = (llvm::sys::path::filename(file.getFilename().getValue()) + ":" + Twine(file.getLine()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

// Sizes under one assignment.
class Numbers {
public:
  Numbers(const PlannedMemory &plan, const SymbolValues &symbols, int64_t otherwise) {
    arena = evaluate(plan.arenaBytes, symbols, otherwise);
    for (const PlannedBuffer &buffer : plan.buffers) {
      std::optional<int64_t> number =
          buffer.bytes ? evaluate(*buffer.bytes, symbols, otherwise) : std::nullopt;
      complete &= number && *number >= 0;
      bytes.push_back(std::max<int64_t>(number.value_or(0), 0));
      ranges.push_back(buffer.live);
    }
    live = complete ? maxLiveBytes(ranges, bytes) : std::nullopt;
    busiest = busiestPosition(ranges, bytes).value_or(0);
    complete &= arena && live;
  }

  std::optional<int64_t> arena, live;
  int64_t busiest = 0;
  std::vector<int64_t> bytes;
  std::vector<LiveRange> ranges;
  bool complete = true;
};

// What is alive at one kernel, as an expression.
std::optional<DimExpr> liveExpression(const PlannedMemory &plan, int64_t position) {
  DimExpr sum;
  for (const PlannedBuffer &buffer : plan.buffers) {
    if (!buffer.live.overlaps({position, position}))
      continue;
    std::optional<DimExpr> next = buffer.bytes ? add(sum, *buffer.bytes) : std::nullopt;
    if (!next)
      return std::nullopt;
    sum = *next;
  }
  return sum;
}

// The most that is alive, as an expression: which kernel that is depends on the sizes, so the
// largest of those that are busiest for small, usual and large ones.
std::string maxLiveExpression(const PlannedMemory &plan, const SymbolValues &symbols) {
  std::vector<int64_t> positions{Numbers(plan, symbols, kDefaultSize).busiest};
  for (int64_t size : {1, 32, 1000})
    positions.push_back(Numbers(plan, {}, size).busiest);
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  std::optional<DimExpr> most = DimExpr(0);
  for (int64_t position : positions) {
    std::optional<DimExpr> live = liveExpression(plan, position);
    most = live && most ? max(*most, *live) : std::nullopt;
  }
  return most ? most->str() : "(a long expression)";
}

std::string timeline(const LiveRange &live, int64_t kernels) {
  int64_t columns = std::min(kernels, kTimelineColumns);
  std::string text(columns, '.');
  int64_t begin = live.first * columns / kernels, end = live.last * columns / kernels;
  std::fill(text.begin() + begin, text.begin() + end + 1, '#');
  return text;
}

using Row = std::array<std::string, 5>;

// Columns as wide as their widest entry; the last one is not padded.
void printTable(llvm::raw_ostream &out, const std::vector<Row> &rows) {
  Row::value_type::size_type widths[std::tuple_size_v<Row>] = {};
  for (const Row &row : rows)
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  for (const Row &row : rows) {
    for (size_t column = 0; column + 1 < row.size(); ++column)
      out << llvm::left_justify(row[column], unsigned(widths[column] + 2));
    out << row.back() << "\n";
  }
}

std::string symbolsText(const PlannedMemory &plan, const SymbolValues &symbols) {
  std::vector<int64_t> ids = plan.arenaBytes.symbols();
  std::string text;
  for (int64_t id : ids) {
    auto found = symbols.find(id);
    int64_t value = found == symbols.end() ? kDefaultSize : found->second;
    text += (text.empty() ? " (d" : ", d") + std::to_string(id) + " = " + std::to_string(value);
  }
  return text.empty() ? text : text + ")";
}

void printInPlace(llvm::raw_ostream &out, func::FuncOp function, const PlannedMemory &plan) {
  auto inPlace = function->getAttrOfType<DenseI64ArrayAttr>(kInPlaceAttr);
  int64_t updates = 0, updatesInPlace = 0;
  if (inPlace)
    for (int64_t flag : inPlace.asArrayRef()) {
      ++updates;
      updatesInPlace += flag != 0;
    }
  size_t reused = 0;
  for (const PlannedBuffer &buffer : plan.buffers)
    reused += buffer.values - 1;
  size_t views = 0;
  function.walk([&](ReshapeOp view) { views += isa<func::FuncOp>(view->getParentOp()); });
  out << "in place      " << updatesInPlace << " of " << updates << " updates, " << reused
      << " values over an operand; " << views << " views\n";
}

} // namespace

std::optional<MemoryUsage> keratin::passes::memoryUsage(func::FuncOp function,
                                                        const SymbolValues &symbols) {
  std::optional<PlannedMemory> plan = readMemoryPlan(function);
  if (!plan)
    return std::nullopt;
  Numbers numbers(*plan, symbols, kDefaultSize);
  if (!numbers.complete)
    return std::nullopt;
  return MemoryUsage{*numbers.arena, *numbers.live};
}

std::string keratin::passes::memoryReport(func::FuncOp function, const SymbolValues &symbols) {
  std::optional<PlannedMemory> plan = readMemoryPlan(function);
  if (!plan)
    return "no memory plan\n";
  Numbers numbers(*plan, symbols, kDefaultSize);
  auto number = [](std::optional<int64_t> value) {
    return value ? std::to_string(*value) : std::string("(cannot be computed)");
  };
  std::string text;
  llvm::raw_string_ostream out(text);
  std::string at = symbolsText(*plan, symbols);
  out << "arena         " << number(numbers.arena) << " bytes" << at;
  if (!plan->arenaBytes.isConstant())
    out << " = " << plan->arenaBytes.str();
  out << "\nlive at most  " << number(numbers.live) << " bytes" << at;
  if (!plan->arenaBytes.isConstant())
    out << " = " << maxLiveExpression(*plan, symbols);
  if (!plan->buffers.empty())
    out << ", first at kernel " << numbers.busiest << " of " << plan->kernels;
  if (numbers.complete && *numbers.live > 0)
    out << llvm::formatv("; arena / live = {0:f3}", double(*numbers.arena) / *numbers.live);
  out << "\n";
  printInPlace(out, function, *plan);
  if (plan->buffers.empty())
    return text;

  std::vector<size_t> largest(plan->buffers.size());
  for (size_t i = 0; i < largest.size(); ++i)
    largest[i] = i;
  std::sort(largest.begin(), largest.end(), [&](size_t a, size_t b) {
    return std::pair(-numbers.bytes[a], a) < std::pair(-numbers.bytes[b], b);
  });
  size_t shown = std::min(largest.size(), kMostRows);
  // In the order of time, so that the timeline reads as a staircase.
  std::sort(largest.begin(), largest.begin() + shown);
  std::vector<Row> rows{{"bytes", "offset", "made by", "kernels", "lifetime"}};
  for (size_t i = 0; i < shown; ++i) {
    const PlannedBuffer &buffer = plan->buffers[largest[i]];
    std::string maker = makerOf(buffer.firstValue);
    std::string line = sourceLine(buffer.firstValue.getLoc());
    if (!line.empty())
      maker += " " + line;
    if (buffer.values > 1)
      maker += ", then " + std::to_string(buffer.values - 1) + " in place";
    rows.push_back({std::to_string(numbers.bytes[largest[i]]), buffer.offset.str(), maker,
                    std::to_string(buffer.live.first) + "-" + std::to_string(buffer.live.last),
                    timeline(buffer.live, plan->kernels)});
  }
  out << "\n";
  printTable(out, rows);
  if (shown < largest.size())
    out << "and " << largest.size() - shown << " smaller buffers\n";
  return text;
}
