// Which order of dimensions values are computed in.
//
// Elementwise ops, pads, slices, reverses and concatenations do not care. What they connect makes a
// component, which is turned as a whole: transposes into it and out of it vanish, others become
// necessary, and it is turned if that moves fewer bytes. A rule that moves one transpose over
// one op cannot see this: where a value has two uses, both must move, or there is one transpose
// more.
#include "ir/builder/DifferentiablePaths.h"
#include "passes/Passes.h"
#include "passes/simplify/Matchers.h"

#include "ir/builder/GraphMath.h"
#include "ir/interfaces/OpProperties.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/Passes.h.inc"

namespace {

using Permutation = SmallVector<int64_t>;

Permutation inverse(ArrayRef<int64_t> permutation) {
  Permutation result(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    result[dim] = i;
  return result;
}

template <class List> List permuted(const List &list, ArrayRef<int64_t> permutation) {
  List result;
  for (int64_t dim : permutation)
    result.push_back(list[dim]);
  return result;
}

// How many bits move; unknown sizes are taken to be of the order of an image's.
double weight(Value value) {
  double count = getElementType(value).getIntOrFloatBitWidth();
  for (const DimExpr &dim : getShape(value))
    count *= double(dim.evaluate([](int64_t) { return std::optional<int64_t>(64); }).value_or(64));
  return count;
}

// An op whose dimensions can be in any order, the same for operands and result.
bool hasAnyOrder(Operation *op) {
  return (isa<ElementwiseOpInterface>(op) || takesAnyOrder(op)) &&
         getTensorType(op->getResult(0)).getRank() > 1;
}

// A value that is made in any order as cheaply.
bool isLeaf(Value value) {
  return isa_and_nonnull<BroadcastOp, IotaOp, ConstantOp>(value.getDefiningOp());
}

// The dimensions of a broadcast's operand in the order that the permuted result has them.
Permutation orderOfOperand(BroadcastOp op, ArrayRef<int64_t> permutation) {
  Permutation order;
  for (int64_t dim : permutation) {
    const int64_t *found = llvm::find(op.getDims(), dim);
    if (found != op.getDims().end())
      order.push_back(found - op.getDims().begin());
  }
  return order;
}

// How many bits move where a leaf is made in another order.
double weightOfLeaf(Value value, ArrayRef<int64_t> permutation) {
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return constant.getValue().isSplat() ? 0 : weight(value);
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  bool moves = broadcast && !llvm::is_sorted(orderOfOperand(broadcast, permutation));
  return moves ? weight(broadcast.getX()) : 0;
}

// The kept dimensions of a reduction likewise.
Permutation orderOfKept(ReductionOpInterface op, ArrayRef<int64_t> permutation) {
  Permutation kept, order;
  for (int64_t dim = 0; dim < int64_t(permutation.size()); ++dim)
    if (!llvm::is_contained(op.getReducedAxes(), dim))
      kept.push_back(dim);
  for (int64_t dim : permutation)
    if (const auto *found = llvm::find(kept, dim); found != kept.end())
      order.push_back(found - kept.begin());
  return order;
}

// Values of one block that free ops connect, in the order they are made.
class Component {
public:
  Component(Block &block) : block(block) {}

  void add(Value value) { values.push_back(value); }
  // Turns the component if a permutation saves something.
  void improve();

private:
  bool isInside(Operation *op) const { return op && op->getBlock() == &block && hasAnyOrder(op); }
  bool isTurned(Operation *user, Value value, ArrayRef<int64_t> permutation) const;
  bool isWorthwhile(ArrayRef<int64_t> permutation) const;
  void turn(ArrayRef<int64_t> permutation);
  Value turnOutside(Value value, ArrayRef<int64_t> permutation);
  Value turnLeaf(Value leaf, GraphMath &g, ArrayRef<int64_t> permutation);
  Value rebuild(Operation *op, ArrayRef<int64_t> permutation);

  Block &block;
  SmallVector<Value> values;
  DenseMap<Value, Value> turned;
};

} // namespace

//===-- Decisions -----------------------------------------------------------------------------===//

// Whether a contraction absorbs the transpose that gives it the turned value as it was.
static bool absorbs(DotGeneralOp op, Value value, ArrayRef<int64_t> permutation) {
  Permutation back = inverse(permutation);
  return (op.getA() != value || keepsFreeOrder(back, op.getABatch(), op.getAContract())) &&
         (op.getB() != value || keepsFreeOrder(back, op.getBBatch(), op.getBContract()));
}

// Whether a user takes the turned value for nothing.
bool Component::isTurned(Operation *user, Value value, ArrayRef<int64_t> permutation) const {
  if (isInside(user))
    return true;
  if (user->getBlock() != &block)
    return false;
  if (auto dot = dyn_cast<DotGeneralOp>(user))
    return absorbs(dot, value, permutation);
  auto transpose = dyn_cast<TransposeOp>(user);
  return (transpose && transpose.getPermutation() == permutation) ||
         isa<ReductionOpInterface>(user);
}

bool Component::isWorthwhile(ArrayRef<int64_t> permutation) const {
  double entrances = 0, exits = 0; // bits that move no more, less those that move now
  Permutation back = inverse(permutation);
  for (Value value : values) {
    Operation *maker = value.getDefiningOp();
    bool isKept = llvm::any_of(
        value.getUsers(), [&](Operation *user) { return !isTurned(user, value, permutation); });
    if (!isInside(maker)) {
      // Whoever needs it as it was still has it.
      auto transpose = dyn_cast_if_present<TransposeOp>(maker);
      if (!transpose || (isKept && transpose.getPermutation() != ArrayRef(back)))
        entrances -= weight(value);
      else if (!isKept && transpose.getPermutation() == ArrayRef(back))
        entrances += weight(value);
    } else if (isKept) {
      exits -= weight(value);
    }
    for (Operation *user : llvm::SetVector<Operation *>(value.user_begin(), value.user_end())) {
      if (isInside(user) || !isTurned(user, value, permutation))
        continue;
      if (isa<TransposeOp>(user))
        exits += weight(value);
      auto reduction = dyn_cast<ReductionOpInterface>(user);
      if (reduction && !llvm::is_sorted(orderOfKept(reduction, permutation)))
        exits -= weight(user->getResult(0));
    }
    if (isInside(maker))
      for (Value operand : maker->getOperands())
        entrances -= weightOfLeaf(operand, permutation);
  }
  // At equal cost towards the results: where a product or window leaves its result, elementwise ops
  // come with it.
  double gain = entrances + exits;
  return gain > 0 || (gain == 0 && entrances > 0);
}

void Component::improve() {
  llvm::SetVector<Permutation, std::vector<Permutation>, std::set<Permutation>> candidates;
  for (Value value : values) {
    if (auto transpose = value.getDefiningOp<TransposeOp>())
      candidates.insert(inverse(transpose.getPermutation()));
    for (Operation *user : value.getUsers())
      if (auto transpose = dyn_cast<TransposeOp>(user))
        candidates.insert(Permutation(transpose.getPermutation()));
  }
  for (const Permutation &permutation : candidates)
    if (isWorthwhile(permutation))
      return turn(permutation);
}

//===-- Rewriting -----------------------------------------------------------------------------===//

Value Component::turnOutside(Value value, ArrayRef<int64_t> permutation) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  GraphMath g(builder, value.getLoc());
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (!transpose)
    return g.transpose(value, permutation);
  Permutation both = permuted(Permutation(transpose.getPermutation()), permutation);
  return llvm::is_sorted(both) ? transpose.getX() : g.transpose(transpose.getX(), both);
}

Value Component::turnLeaf(Value leaf, GraphMath &g, ArrayRef<int64_t> permutation) {
  auto type = getTensorType(permuted(getShape(leaf), permutation), getElementType(leaf));
  Permutation places = inverse(permutation);
  if (auto iota = leaf.getDefiningOp<IotaOp>())
    return g.iota(type, places[iota.getAxis()]);
  auto broadcast = leaf.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return g.transpose(leaf, permutation);
  Permutation dims, order = orderOfOperand(broadcast, permutation);
  for (int64_t dim : broadcast.getDims())
    dims.push_back(places[dim]);
  llvm::sort(dims);
  Value x = llvm::is_sorted(order) ? broadcast.getX() : g.transpose(broadcast.getX(), order);
  return g.builder().create<BroadcastOp>(g.location(), type, x, dims);
}

Value Component::rebuild(Operation *op, ArrayRef<int64_t> permutation) {
  OpBuilder builder(op);
  GraphMath g(builder, op->getLoc());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isLeaf(operand) ? turnLeaf(operand, g, permutation) : turned.at(operand));
  Permutation places = inverse(permutation);
  Shape shape = permuted(getShape(op->getResult(0)), permutation);
  if (auto pad = dyn_cast<PadOp>(op))
    return g.pad(operands[0], permuted(Shape(pad.getLow().getDims()), permutation),
                 permuted(Permutation(pad.getInterior()), permutation), shape);
  if (auto slice = dyn_cast<SliceOp>(op))
    return g.slice(operands[0], permuted(Shape(slice.getStarts().getDims()), permutation), shape,
                   permuted(Permutation(slice.getStrides()), permutation));
  if (auto reverse = dyn_cast<ReverseOp>(op)) {
    Permutation axes;
    for (int64_t axis : reverse.getAxes())
      axes.push_back(places[axis]);
    llvm::sort(axes);
    return g.reverse(operands[0], axes);
  }
  if (auto concatenate = dyn_cast<ConcatenateOp>(op))
    return g.concatenate(operands, places[concatenate.getAxis()]);
  Type type = getTensorType(shape, getElementType(op->getResult(0)));
  return builder
      .create(op->getLoc(), op->getName().getIdentifier(), operands, type, op->getAttrs())
      ->getResult(0);
}

void Component::turn(ArrayRef<int64_t> permutation) {
  for (Value value : values) {
    Operation *maker = value.getDefiningOp();
    turned[value] = isInside(maker) ? rebuild(maker, permutation) : turnOutside(value, permutation);
  }
  Permutation back = inverse(permutation);
  for (Value value : llvm::reverse(values)) {
    Operation *maker = value.getDefiningOp();
    if (!isInside(maker))
      continue;
    // For all others as it was: transposes, reductions and contractions absorb that
    // (Canonicalize.cpp). They may belong to other components and stay what they are.
    if (!value.use_empty()) {
      OpBuilder builder(maker);
      Value kept = GraphMath(builder, maker->getLoc()).transpose(turned.at(value), back);
      value.replaceAllUsesWith(kept);
    }
    maker->erase();
  }
}

//===-- The pass ------------------------------------------------------------------------------===//

namespace {
struct AssignLayoutsPass : impl::AssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    // A derivative names the very values that it is taken with respect to.
    if (!hasDerivatives(getOperation()))
      getOperation().walk([](Block *block) { assignLayouts(*block); });
  }

  static void assignLayouts(Block &block) {
    llvm::MapVector<Value, unsigned> numbers;
    auto numberOf = [&](Value value) {
      return numbers.insert({value, unsigned(numbers.size())}).first->second;
    };
    SmallVector<std::pair<unsigned, unsigned>> connected;
    for (Operation &op : block) {
      if (!hasAnyOrder(&op))
        continue;
      // Operands first: a component is turned in the order of its numbers.
      SmallVector<unsigned> operands;
      for (Value operand : op.getOperands())
        if (!isLeaf(operand))
          operands.push_back(numberOf(operand));
      for (unsigned operand : operands)
        connected.push_back({operand, numberOf(op.getResult(0))});
      numberOf(op.getResult(0));
    }
    llvm::IntEqClasses classes(numbers.size());
    for (auto [a, b] : connected)
      classes.join(a, b);
    classes.compress();
    std::vector<Component> components(classes.getNumClasses(), Component(block));
    for (auto [value, number] : numbers)
      components[classes[number]].add(value);
    for (Component &component : components)
      component.improve();
  }
};
} // namespace

} // namespace keratin::passes
