#include "passes/memory/MemoryReport.h"

#include "ir/dialect/MemoryPlan.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeLimits.h"
#include "ir/dialect/SizeNames.h"
#include "ir/dialect/SourceLine.h"
#include "ir/dialect/VectorizedMap.h"
#include "ir/ops/LoopGradients.h"
#include "passes/memory/KernelProgram.h"
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

constexpr char kMemoryBudgetAttr[] = "keratin.memory_budget";
constexpr int64_t kTimelineColumns = 48;
// A person reads the largest; the rest is one line.
constexpr size_t kMostRows = 200;

// "lstm: scan net.cc:57"; folders of lines are left out.
std::string titleOf(Operation *op) {
  KernelName name = nameOf(op);
  StringRef line = llvm::sys::path::filename(name.location);
  return name.str() + (line.empty() ? "" : " " + line.str());
}

// Sizes under one assignment.
class Numbers {
public:
  Numbers(const PlannedMemory &plan, const SymbolValues &symbols, int64_t otherwise) {
    arena = evaluate(plan.arenaBytes, symbols, otherwise);
    // What must be there: of a loop or a branch, what is alive inside of it.
    std::vector<int64_t> needed;
    for (const PlannedBuffer &buffer : plan.buffers) {
      std::optional<int64_t> number =
          buffer.bytes ? evaluate(*buffer.bytes, symbols, otherwise) : std::nullopt;
      complete &= number && *number >= 0;
      bytes.push_back(std::max<int64_t>(number.value_or(0), 0));
      needed.push_back(bytes.back());
      ranges.push_back(buffer.live);
      if (buffer.inside >= 0)
        needed.back() = liveInside(plan.inside[buffer.inside], symbols, otherwise);
    }
    live = complete ? maxLiveBytes(ranges, needed) : std::nullopt;
    busiest = busiestPosition(ranges, needed).value_or(0);
    complete &= arena && live;
  }

  std::optional<int64_t> arena, live;
  int64_t busiest = 0;
  std::vector<int64_t> bytes;
  std::vector<LiveRange> ranges;
  bool complete = true;

private:
  int64_t liveInside(const PlannedNode &node, const SymbolValues &symbols, int64_t otherwise) {
    int64_t most = 0;
    for (const PlannedMemory &program : node.programs) {
      Numbers numbers(program, symbols, otherwise);
      complete &= numbers.complete;
      most = std::max(most, numbers.live.value_or(0));
    }
    return most;
  }
};

std::optional<DimExpr> maxLive(const PlannedMemory &plan, const SymbolValues &symbols);

std::optional<DimExpr> maxLive(const PlannedNode &node, const SymbolValues &symbols) {
  std::optional<DimExpr> most = DimExpr(0);
  for (const PlannedMemory &program : node.programs) {
    std::optional<DimExpr> live = maxLive(program, symbols);
    most = live && most ? max(*most, *live) : std::nullopt;
  }
  return most;
}

// What is alive at one kernel, as an expression.
std::optional<DimExpr> liveExpression(const PlannedMemory &plan, int64_t position,
                                      const SymbolValues &symbols) {
  std::optional<DimExpr> sum = DimExpr(0);
  for (const PlannedBuffer &buffer : plan.buffers) {
    if (!buffer.live.overlaps({position, position}))
      continue;
    std::optional<DimExpr> bytes =
        buffer.inside >= 0 ? maxLive(plan.inside[buffer.inside], symbols) : buffer.bytes;
    sum = sum && bytes ? add(*sum, *bytes) : std::nullopt;
  }
  return sum;
}

// The most that is alive, as an expression: which kernel that is depends on the sizes, so the
// largest of those that are busiest for small, usual and large ones.
std::optional<DimExpr> maxLive(const PlannedMemory &plan, const SymbolValues &symbols) {
  std::vector<int64_t> positions{Numbers(plan, symbols, kDefaultSize).busiest};
  for (int64_t size : {1, 32, 1000})
    positions.push_back(Numbers(plan, {}, size).busiest);
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  std::optional<DimExpr> most = DimExpr(0);
  for (int64_t position : positions) {
    std::optional<DimExpr> live = liveExpression(plan, position, symbols);
    most = live && most ? max(*most, *live) : std::nullopt;
  }
  return most;
}

std::string maxLiveExpression(const PlannedMemory &plan, const SymbolValues &symbols,
                              const SizeNames &names) {
  std::optional<DimExpr> most = maxLive(plan, symbols);
  return most ? names.text(*most) : "(a long expression)";
}

// Of memory that is there for the time of so many kernels; a body may have memory and none.
std::string timeline(const LiveRange &live, int64_t kernels) {
  if (kernels == 0)
    return {};
  int64_t columns = std::min(kernels, kTimelineColumns);
  std::string text(columns, '.');
  int64_t begin = live.first * columns / kernels, end = live.last * columns / kernels;
  std::fill(text.begin() + begin, text.begin() + end + 1, '#');
  return text;
}

using Row = std::array<std::string, 5>;

// Before each table, and between the cells of a row.
constexpr char kTable = '\x1e', kCell = '\x1f';

void printTable(llvm::raw_ostream &out, const std::vector<Row> &rows) {
  out << kTable;
  for (const Row &row : rows)
    out << llvm::join(row, StringRef(&kCell, 1)) << "\n";
}

// The rows at the beginning of the text, which they are taken from. Columns are as wide as their
// widest entry; the last one is not padded.
void alignTable(llvm::raw_ostream &out, StringRef &text) {
  SmallVector<SmallVector<StringRef, 5>> rows;
  SmallVector<size_t, 5> widths;
  while (text.take_front(text.find('\n')).contains(kCell) && text.front() != kTable) {
    auto [line, rest] = text.split('\n');
    line.split(rows.emplace_back(), kCell);
    widths.resize(std::max(widths.size(), rows.back().size()));
    for (auto [width, cell] : llvm::zip(widths, rows.back()))
      width = std::max(width, cell.size());
    text = rest;
  }
  for (const auto &row : rows) {
    for (auto [width, cell] : llvm::zip(widths, ArrayRef(row).drop_back()))
      out << llvm::left_justify(cell, unsigned(width + 2));
    out << row.back() << "\n";
  }
}

std::string symbolsText(func::FuncOp function, const PlannedMemory &plan,
                        const SymbolValues &symbols, const SizeNames &names) {
  const LimitedSizes limited(function);
  std::vector<int64_t> ids = plan.arenaBytes.symbols();
  std::string text;
  for (int64_t id : ids) {
    auto found = symbols.find(id);
    int64_t value = (found == symbols.end() ? kDefaultSize : found->second) * limited.of(id).unit;
    text += (text.empty() ? " (" : ", ") + names[id] + " = " + std::to_string(value);
  }
  return text.empty() ? text : text + ")";
}

size_t valuesOverOperands(const PlannedMemory &plan) {
  size_t count = 0;
  for (const PlannedBuffer &buffer : plan.buffers)
    count += buffer.values - 1;
  for (const PlannedNode &node : plan.inside)
    for (const PlannedMemory &program : node.programs)
      count += valuesOverOperands(program);
  return count;
}

void printInPlace(llvm::raw_ostream &out, func::FuncOp function, const PlannedMemory &plan) {
  Signature signature(function);
  int64_t updates = 0, updatesInPlace = 0;
  for (unsigned result = 0; result < function.getNumResults(); ++result) {
    updates += signature.isUpdate(result);
    updatesInPlace += signature.isInPlace(result);
  }
  size_t views = 0;
  function.walk([&](Operation *op) { views += isView(op) && !isa<KernelOp>(op->getParentOp()); });
  out << "in place      " << updatesInPlace << " of " << updates << " updates, "
      << valuesOverOperands(plan) << " values over an operand; " << views << " views\n";
}

int64_t loopsWithCheckpoints(func::FuncOp function) {
  int64_t count = 0;
  function.walk([&](ScanOp scan) { count += scan->hasAttr(kCheckpointsAttr); });
  return count;
}

// "assumes       y_dim0 = x_dim0"
void printAssumptions(llvm::raw_ostream &out, func::FuncOp function, const SizeNames &names) {
  auto checks = function->getAttrOfType<ArrayAttr>("keratin.checks");
  for (Attribute entry : checks ? checks.getValue() : ArrayRef<Attribute>())
    if (auto check = cast<DictionaryAttr>(entry); check.contains("assumed"))
      for (auto [size, other] : llvm::zip(check.getAs<DimsAttr>("lhs").getDims(),
                                          check.getAs<DimsAttr>("rhs").getDims()))
        out << "assumes       " << names.text(size) << " = " << names.text(other) << "\n";
}

void printBudget(llvm::raw_ostream &out, func::FuncOp function, std::optional<int64_t> arena) {
  auto budget = function->getAttrOfType<IntegerAttr>(kMemoryBudgetAttr);
  if (!budget)
    return;
  out << "budget        " << budget.getInt() << " bytes, ";
  if (!arena)
    out << "(cannot be computed)";
  else if (*arena <= budget.getInt())
    out << "kept";
  else
    out << "exceeded by " << *arena - budget.getInt() << " bytes";
  if (int64_t loops = loopsWithCheckpoints(function))
    out << "; " << loops << " loops keep checkpoints";
  out << "\n";
}

// What is asked for when the call knows how much.
void printMemories(llvm::raw_ostream &out, func::FuncOp function, const SizeNames &names) {
  SmallVector<MemoryAttr> memories = memoriesOf(function);
  for (MemoryAttr memory : llvm::drop_begin(memories))
    if (!memory.waits())
      out << "prepared      " << names.text(memory.getBytes()) << " bytes, of "
          << llvm::count_if(function.getBody().front(),
                            [](Operation &op) { return isPrepared(&op); })
          << " kernels\n";
    else
      out << "in the call   " << names.text(memory.getBytes()) << " bytes"
          << (memory.isTape() ? " a step of a tape" : "") << "\n";
}

std::string titleOf(const PlannedBuffer &buffer, const PlannedMemory &plan) {
  std::string maker;
  if (buffer.inside >= 0) {
    maker = "inside " + titleOf(plan.inside[buffer.inside].op);
  } else {
    maker = makerOf(buffer.firstValue);
    Operation *op = buffer.firstValue.getDefiningOp();
    std::string place = op ? nameOf(op).location : sourceLine(buffer.firstValue.getLoc());
    if (!place.empty())
      maker += " " + llvm::sys::path::filename(place).str();
  }
  if (buffer.values > 1)
    maker += ", then " + std::to_string(buffer.values - 1) + " in place";
  return maker;
}

void printBuffers(llvm::raw_ostream &out, const PlannedMemory &plan, const Numbers &numbers,
                  const SizeNames &names, const std::string &indent) {
  if (plan.buffers.empty())
    return;
  std::vector<size_t> largest(plan.buffers.size());
  for (size_t i = 0; i < largest.size(); ++i)
    largest[i] = i;
  std::sort(largest.begin(), largest.end(), [&](size_t a, size_t b) {
    return std::pair(-numbers.bytes[a], a) < std::pair(-numbers.bytes[b], b);
  });
  size_t shown = std::min(largest.size(), kMostRows);
  // In the order of time, so that the timeline reads as a staircase.
  std::sort(largest.begin(), largest.begin() + shown);
  std::vector<Row> rows{{indent + "bytes", "offset", "made by", "kernels", "lifetime"}};
  for (size_t i = 0; i < shown; ++i) {
    const PlannedBuffer &buffer = plan.buffers[largest[i]];
    KernelNumbers::Range kernels = plan.numbersOf(buffer.live);
    rows.push_back({indent + std::to_string(numbers.bytes[largest[i]]), names.text(buffer.offset),
                    titleOf(buffer, plan),
                    std::to_string(kernels.first) + "-" + std::to_string(kernels.last),
                    timeline(buffer.live, plan.kernels)});
  }
  printTable(out, rows);
  if (shown < largest.size())
    out << indent << "and " << largest.size() - shown << " smaller buffers\n";
}

// "32 bytes", "128 bytes (= 4*batch)"
std::string bytesText(const std::optional<DimExpr> &bytes, const SymbolValues &symbols,
                      const SizeNames &names) {
  std::optional<int64_t> number = bytes ? evaluate(*bytes, symbols, kDefaultSize) : std::nullopt;
  if (!number)
    return "(cannot be computed) bytes";
  return std::to_string(*number) + " bytes" +
         (bytes->isConstant() ? "" : " (= " + names.text(*bytes) + ")");
}

// What a loop carries and keeps.
void printLoop(llvm::raw_ostream &out, LoopOpInterface loop, bool isUnbounded,
               const SymbolValues &symbols, const SizeNames &names, const std::string &indent) {
  for (unsigned number = 0; number < loop.getNumStates(); ++number) {
    PlaceAttr place = placeOfState(loop, number);
    out << indent << "state " << number << ": "
        << bytesText(byteCount(loop->getResult(number)), symbols, names) << ", "
        << (place.isInResult()   ? "in place"
            : place.isInMemory() ? "in two buffers"
                                 : "in stack " + std::to_string(place.getNumber()))
        << "\n";
  }
  Operation *yield = loop.getBody().front().getTerminator();
  for (unsigned number = 0; number < loop.getStacks().size(); ++number) {
    out << indent << "stack " << number << ": "
        << bytesText(byteCount(yield->getOperand(loop.getNumStates() + number)), symbols, names)
        << " a step, ";
    if (isUnbounded)
      out << "in a tape that grows\n";
    else
      out << bytesText(byteCount(loop.getStacks()[number]), symbols, names) << " in all\n";
  }
}

void printInside(llvm::raw_ostream &out, const PlannedMemory &plan, const SymbolValues &symbols,
                 const SizeNames &names, const std::string &indent) {
  for (const PlannedNode &node : plan.inside) {
    auto loop = dyn_cast<LoopOpInterface>(node.op);
    auto unknown = dyn_cast<WhileOp>(node.op);
    out << "\n"
        << indent << (loop ? "loop" : "branches") << " of " << inWords(plan.numbers[node.position])
        << ", " << titleOf(node.op) << ": ";
    if (unknown && !unknown.getLength())
      out << "steps of " << node.programs.front().kernels << " kernels";
    else if (loop)
      out << names.text(loop.getSteps()) << " steps of " << node.programs.front().kernels
          << " kernels";
    else
      out << node.programs.front().kernels << " or " << node.programs.back().kernels << " kernels";
    out << ", " << bytesText(node.programs.front().arenaBytes, symbols, names) << " inside";
    if (auto why = node.op->getAttrOfType<StringAttr>(kLoopedAttr))
      out << ", not vectorised: " << why.getValue();
    out << (node.op->hasAttr(kCheckpointsAttr) ? ", from checkpoints\n" : "\n");
    if (unknown && unknown.getBound())
      out << indent << "  at most " << names.text(*unknown.getBound()) << " steps\n";
    if (loop)
      printLoop(out, loop, unknown && !unknown.getBound(), symbols, names, indent + "  ");
    for (const PlannedMemory &program : node.programs) {
      printBuffers(out, program, Numbers(program, symbols, kDefaultSize), names, indent + "  ");
      printInside(out, program, symbols, names, indent + "  ");
    }
  }
}

} // namespace

std::optional<MemoryUsage> keratin::passes::memoryUsage(func::FuncOp function,
                                                        const SymbolValues &sizes) {
  std::optional<PlannedMemory> plan = readMemoryPlan(function);
  if (!plan)
    return std::nullopt;
  Numbers numbers(*plan, symbolValues(function, sizes), kDefaultSize);
  if (!numbers.complete)
    return std::nullopt;
  return MemoryUsage{*numbers.arena, *numbers.live};
}

void keratin::passes::setMemoryBudget(func::FuncOp function, int64_t bytes) {
  function->setAttr(kMemoryBudgetAttr, Builder(function.getContext()).getI64IntegerAttr(bytes));
}

std::optional<int64_t> keratin::passes::mostArenaBytes(func::FuncOp function) {
  SmallVector<MemoryAttr> memories = memoriesOf(function);
  return memories.empty() ? std::nullopt : LimitedSizes(function).most(memories.front().getBytes());
}

std::string keratin::passes::alignTables(StringRef text) {
  std::string result;
  llvm::raw_string_ostream out(result);
  while (!text.empty()) {
    auto [before, rest] = text.split(kTable);
    out << before;
    text = rest;
    alignTable(out, text);
  }
  return result;
}

std::string keratin::passes::memoryReport(func::FuncOp function, const SymbolValues &sizes) {
  return alignTables(memoryReportCells(function, sizes));
}

std::string keratin::passes::memoryReportCells(func::FuncOp function, const SymbolValues &sizes) {
  std::optional<PlannedMemory> plan = readMemoryPlan(function);
  if (!plan)
    return "no memory plan\n";
  const SymbolValues symbols = symbolValues(function, sizes);
  Numbers numbers(*plan, symbols, kDefaultSize);
  auto number = [](std::optional<int64_t> value) {
    return value ? std::to_string(*value) : std::string("(cannot be computed)");
  };
  std::string text;
  llvm::raw_string_ostream out(text);
  const SizeNames names(function);
  std::string at = symbolsText(function, *plan, symbols, names);
  out << "arena         " << number(numbers.arena) << " bytes" << at;
  if (!plan->arenaBytes.isConstant())
    out << " = " << names.text(plan->arenaBytes);
  if (auto most = mostArenaBytes(function); most && !plan->arenaBytes.isConstant())
    out << "; at most " << *most << " bytes";
  out << "\nlive at most  " << number(numbers.live) << " bytes" << at;
  if (!plan->arenaBytes.isConstant())
    out << " = " << maxLiveExpression(*plan, symbols, names);
  if (!plan->buffers.empty())
    out << ", first at " << inWords(plan->numbersOf({numbers.busiest, numbers.busiest})) << " of "
        << plan->numbers.back().last + 1;
  if (numbers.complete && *numbers.live > 0)
    out << llvm::formatv("; arena / live = {0:f3}", double(*numbers.arena) / *numbers.live);
  out << "\n";
  printAssumptions(out, function, names);
  printBudget(out, function, numbers.arena);
  printInPlace(out, function, *plan);
  printMemories(out, function, names);
  if (!plan->buffers.empty())
    out << "\n";
  printBuffers(out, *plan, numbers, names, "");
  printInside(out, *plan, symbols, names, "");
  return text;
}
