#include "passes/memory/MemoryReport.h"

#include "passes/memory/KernelProgram.h"
#include "passes/memory/LiveRange.h"
#include "passes/memory/MemoryPlan.h"

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

constexpr int64_t kDefaultSize = 32;
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

// The op that makes a result of a kernel: "tanh", or "add +3" if three more belong to the kernel.
std::string makerOf(OpResult result) {
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

// Storage in the arena: one value, or several that follow one another in place.
struct Storage {
  OpResult firstValue;
  LiveRange live;
  int64_t offset = 0; // an index into the offsets
  unsigned values = 1;
};

// The plan, read back from the attributes.
class Plan {
public:
  static std::optional<Plan> read(func::FuncOp function) {
    auto offsets = function->getAttrOfType<DimsAttr>(kOffsetsAttr);
    auto bytes = function->getAttrOfType<DimsAttr>(kArenaBytesAttr);
    if (!offsets || !bytes)
      return std::nullopt;
    FailureOr<KernelProgram> program = KernelProgram::build(function);
    if (failed(program))
      return std::nullopt;
    Plan plan;
    plan.offsets = offsets.getDims();
    plan.arenaBytes = bytes.getDims().front();
    plan.numKernels = program->kernels().size();
    llvm::DenseMap<Value, size_t> storageOf;
    for (int64_t position = 0; position < plan.numKernels; ++position) {
      KernelOp kernel = program->kernels()[position];
      auto codes = kernel->getAttrOfType<DenseI64ArrayAttr>(kResultsAttr);
      auto reuses = kernel->getAttrOfType<DenseI64ArrayAttr>(kReusesAttr);
      for (OpResult result : kernel->getResults()) {
        int64_t code = codes[result.getResultNumber()];
        int64_t reused = reuses[result.getResultNumber()];
        if (code < 0)
          continue;
        ArrayRef<int64_t> readers = program->readers(result);
        int64_t last = readers.empty() ? position : readers.back();
        if (reused >= 0) {
          size_t index = storageOf[rootOf(kernel.getInputs()[reused])];
          storageOf[result] = index;
          plan.storages[index].live.last = last;
          ++plan.storages[index].values;
        } else {
          storageOf[result] = plan.storages.size();
          plan.storages.push_back({result, {position, last}, code, 1});
        }
      }
    }
    return plan;
  }

  std::vector<DimExpr> offsets;
  DimExpr arenaBytes;
  std::vector<Storage> storages;
  int64_t numKernels = 0;
};

// Sizes under one assignment.
class Numbers {
public:
  Numbers(const Plan &plan, const SymbolValues &symbols, int64_t otherwise) {
    auto symbol = [&](int64_t id) -> std::optional<int64_t> {
      auto found = symbols.find(id);
      return found == symbols.end() ? otherwise : found->second;
    };
    arena = plan.arenaBytes.evaluate(symbol);
    for (const Storage &storage : plan.storages) {
      std::optional<DimExpr> expr = bytesOf(storage.firstValue);
      std::optional<int64_t> number = expr ? expr->evaluate(symbol) : std::nullopt;
      complete &= number && *number >= 0;
      bytes.push_back(std::max<int64_t>(number.value_or(0), 0));
      ranges.push_back(storage.live);
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
std::optional<DimExpr> liveExpression(const Plan &plan, int64_t position) {
  DimExpr sum;
  for (const Storage &storage : plan.storages) {
    if (!storage.live.overlaps({position, position}))
      continue;
    std::optional<DimExpr> bytes = bytesOf(storage.firstValue);
    std::optional<DimExpr> next = bytes ? add(sum, *bytes) : std::nullopt;
    if (!next)
      return std::nullopt;
    sum = *next;
  }
  return sum;
}

// The most that is alive, as an expression: which kernel that is depends on the sizes, so the
// largest of those that are busiest for small, usual and large ones.
std::string maxLiveExpression(const Plan &plan, const SymbolValues &symbols) {
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

std::string timeline(const LiveRange &live, int64_t numKernels) {
  int64_t columns = std::min(numKernels, kTimelineColumns);
  std::string text(columns, '.');
  int64_t begin = live.first * columns / numKernels, end = live.last * columns / numKernels;
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

std::string symbolsText(const Plan &plan, const SymbolValues &symbols) {
  std::vector<int64_t> ids = plan.arenaBytes.symbols();
  std::string text;
  for (int64_t id : ids) {
    auto found = symbols.find(id);
    int64_t value = found == symbols.end() ? kDefaultSize : found->second;
    text += (text.empty() ? " (d" : ", d") + std::to_string(id) + " = " + std::to_string(value);
  }
  return text.empty() ? text : text + ")";
}

void printInPlace(llvm::raw_ostream &out, func::FuncOp function, const Plan &plan) {
  auto inPlace = function->getAttrOfType<DenseI64ArrayAttr>(kInPlaceAttr);
  int64_t updates = 0, updatesInPlace = 0;
  if (inPlace)
    for (int64_t flag : inPlace.asArrayRef()) {
      ++updates;
      updatesInPlace += flag != 0;
    }
  size_t reused = 0;
  for (const Storage &storage : plan.storages)
    reused += storage.values - 1;
  size_t views = 0;
  function.walk([&](ReshapeOp view) { views += isa<func::FuncOp>(view->getParentOp()); });
  out << "in place      " << updatesInPlace << " of " << updates << " updates, " << reused
      << " values over an operand; " << views << " views\n";
}

} // namespace

std::optional<MemoryUsage> keratin::passes::memoryUsage(func::FuncOp function,
                                                        const SymbolValues &symbols) {
  std::optional<Plan> plan = Plan::read(function);
  if (!plan)
    return std::nullopt;
  Numbers numbers(*plan, symbols, kDefaultSize);
  if (!numbers.complete)
    return std::nullopt;
  return MemoryUsage{*numbers.arena, *numbers.live};
}

std::string keratin::passes::memoryReport(func::FuncOp function, const SymbolValues &symbols) {
  std::optional<Plan> plan = Plan::read(function);
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
  if (!plan->storages.empty())
    out << ", first at kernel " << numbers.busiest << " of " << plan->numKernels;
  if (numbers.complete && *numbers.live > 0)
    out << llvm::formatv("; arena / live = {0:f3}", double(*numbers.arena) / *numbers.live);
  out << "\n";
  printInPlace(out, function, *plan);
  if (plan->storages.empty())
    return text;

  std::vector<size_t> largest(plan->storages.size());
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
    const Storage &storage = plan->storages[largest[i]];
    std::string maker = makerOf(storage.firstValue);
    std::string line = sourceLine(storage.firstValue.getLoc());
    if (!line.empty())
      maker += " " + line;
    if (storage.values > 1)
      maker += ", then " + std::to_string(storage.values - 1) + " in place";
    rows.push_back({std::to_string(numbers.bytes[largest[i]]), plan->offsets[storage.offset].str(),
                    maker,
                    std::to_string(storage.live.first) + "-" + std::to_string(storage.live.last),
                    timeline(storage.live, plan->numKernels)});
  }
  out << "\n";
  printTable(out, rows);
  if (shown < largest.size())
    out << "and " << largest.size() - shown << " smaller buffers\n";
  return text;
}
