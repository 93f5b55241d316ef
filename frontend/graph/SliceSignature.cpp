#include "frontend/graph/SliceSignature.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"

using namespace keratin;
using namespace keratin::frontend;

namespace {

// Stands for a number that is open.
constexpr uint64_t openMark = 2;

class SignatureWriter {
public:
  // Null: sizes count.
  SignatureWriter(const GraphSlice &slice, OpenNumbers *open)
      : graph(Graph::get()), slice(slice), open(open) {}

  std::vector<uint64_t> words;

  // False: there is no general form.
  bool run() {
    words.reserve(64 + 16 * slice.ops.size());
    words.push_back(open != nullptr);
    isGeneral = open && slice.defaulted.empty();
    words.push_back(slice.inputs.size());
    for (mlir::Value input : slice.inputs)
      addArgument(input);
    words.push_back(slice.variables.size());
    for (ir::VariableOp variable : slice.variables) {
      addArgument(variable.getResult());
      words.push_back(graph.variables[variable.getId()].countsDraws);
    }
    for (mlir::Operation *op : slice.ops) {
      if (open && !isGeneral)
        return false;
      addOp(op);
    }
    for (mlir::Value output : slice.outputs)
      words.push_back(values.lookup(output));
    words.push_back(slice.updates.size());
    for (ir::UpdateOp update : slice.updates)
      words.push_back(values.lookup(update.getResult()));
    return !open || isGeneral;
  }

private:
  void add(const void *pointer) { words.push_back(reinterpret_cast<uintptr_t>(pointer)); }
  void number(mlir::Value value) { values.try_emplace(value, values.size()); }

  // Ids of symbols are in the types; here is the order in which they came up. So equal words mean
  // equal structure; that a graph whose symbols got other ids is compiled again is no harm.
  void addSymbol(int64_t id) {
    words.push_back(symbols.try_emplace(id, symbols.size()).first->second);
  }

  void addType(mlir::Type type) {
    if (!open)
      return add(type.getAsOpaquePointer());
    auto tensor = llvm::cast<mlir::RankedTensorType>(type);
    isGeneral &= !tensor.getEncoding();
    add(tensor.getElementType().getAsOpaquePointer());
    words.push_back(uint64_t(tensor.getRank()));
    for (int64_t size : tensor.getShape())
      addSize(size);
  }

  // Below the mark of what is open, or far above it.
  void addSize(int64_t size) {
    if (OpenNumbers::isOpen(size))
      open->sizes.push_back(size);
    words.push_back(OpenNumbers::isOpen(size) ? openMark : uint64_t(size));
  }

  void addOther(int64_t number) {
    open->others.push_back(number);
    words.push_back(openMark);
  }

  void addDims(ir::DimsAttr dims) {
    words.push_back(dims.getDims().size());
    for (const ir::DimExpr &dim : dims.getDims()) {
      isGeneral &= dim.isConstant();
      if (OpenNumbers::isOpen(dim))
        addOther(dim.constantValue());
      else if (isGeneral)
        words.push_back(uint64_t(dim.constantValue()));
    }
  }

  // The ids of literals and placeholders are names, not structure.
  void addAttributes(mlir::Operation *op) {
    if (llvm::isa<ir::LiteralOp, ir::PlaceholderOp>(op))
      return;
    if (open)
      if (std::optional<int64_t> number = OpenNumbers::ofConstant(op))
        return addOther(*number);
    // One by one: a dictionary of them would be uniqued, and kept.
    for (mlir::StringAttr name : op->getName().getAttributeNames()) {
      mlir::Attribute value = op->getInherentAttr(name).value_or(mlir::Attribute());
      auto dims = llvm::dyn_cast_or_null<ir::DimsAttr>(value);
      if (open && dims)
        addDims(dims);
      else
        add(value.getAsOpaquePointer());
    }
    add(op->getDiscardableAttrDictionary().getAsOpaquePointer());
  }

  void addArgument(mlir::Value value) {
    addType(value.getType());
    for (ir::ValuePart part : ir::kValueParts)
      if (std::optional<int64_t> symbol = graph.existingValueSymbol(value.getDefiningOp(), part)) {
        isGeneral = false;
        words.push_back(1);
        addSymbol(*symbol);
        words.push_back(uint64_t(*symbol));
      } else {
        words.push_back(0);
      }
    number(value);
  }

  void addOp(mlir::Operation *op) {
    isGeneral &= op->getNumRegions() == 0 && !llvm::isa<ir::PrintOp>(op);
    add(op->getName().getAsOpaquePointer());
    addAttributes(op);
    words.push_back(op->getNumOperands());
    for (mlir::Value operand : op->getOperands())
      words.push_back(values.lookup(operand));
    for (mlir::Value result : op->getResults()) {
      addType(result.getType());
      number(result);
    }
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region) {
        words.push_back(block.getNumArguments());
        for (mlir::BlockArgument argument : block.getArguments()) {
          addType(argument.getType());
          number(argument);
        }
        for (mlir::Operation &nested : block)
          addOp(&nested);
      }
  }

  Graph &graph;
  const GraphSlice &slice;
  OpenNumbers *const open;
  bool isGeneral = false;
  llvm::SmallDenseMap<mlir::Value, uint64_t, 32> values;
  llvm::SmallDenseMap<int64_t, uint64_t, 8> symbols;
};

} // namespace

SliceSignature::SliceSignature(const GraphSlice &slice) {
  SignatureWriter writer(slice, nullptr);
  writer.run();
  words = std::move(writer.words);
  digest = llvm::hash_combine_range(words.begin(), words.end());
}

std::optional<SliceSignature> SliceSignature::general(const GraphSlice &slice,
                                                      OpenNumbers &numbers) {
  SignatureWriter writer(slice, &numbers);
  if (!writer.run() || numbers.empty())
    return std::nullopt;
  SliceSignature result;
  result.words = std::move(writer.words);
  result.digest = llvm::hash_combine_range(result.words.begin(), result.words.end());
  return result;
}
