#include "passes/sparsity/Diagonals.h"

#include "ir/builder/DifferentiablePaths.h"
#include "ir/builder/ForwardMode.h"
#include "ir/builder/GraphMath.h"
#include "ir/reference/HostConversions.h"
#include "passes/sparsity/DependencyRules.h"

#include <numeric>
#include <unordered_map>

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

// A value of floats whose elements are, each, one of the matrix: in its row, if it is in any.
struct Part {
  Value value;
  std::vector<int64_t> rows; // -1: in none
};

struct Diagonal {
  Value value;
  SetTensor columns; // sets of one member, or of none
};

// Elements of a diagonal, or of what is only moved into it, that are entries of the matrix.
struct Piece {
  Value value;
  std::vector<int64_t> rows, columns; // columns from 1 on; 0: no entry
};

// Diagonals of operands that are by the same elements: at most one of each operand.
struct Joined {
  SmallVector<const Diagonal *> ofOperands;
  HostTensor columns;
};

bool hasHoles(const HostTensor &columns) { return llvm::is_contained(columns.ints, 0); }

class DiagonalWalk {
public:
  DiagonalWalk(func::FuncOp function, unsigned argument, int64_t mostRules)
      : block(function.front()), x(block.getArgument(argument)), builder(block.getTerminator()),
        g(builder, function.getLoc()), rulesLeft(mostRules),
        columns(getTensorType(x).getNumElements()), sets(columns, 2 * columns + 2),
        rules(sets, known) {}

  std::optional<Diagonals> run(Value y, const SparsityPattern &pattern) {
    addParts(y);
    OpsBetween between(Value{x});
    SmallVector<Value> values = llvm::map_to_vector(parts, [](const Part &p) { return p.value; });
    if (failed(between.find(&block, values)))
      return std::nullopt;
    diagonals[x].push_back({g.oneLike(x), shared(numbered(x))});
    for (Operation *op : between.ops())
      if (failed(visit(op)))
        return std::nullopt;
    return gathered(pattern);
  }

private:
  static SetTensor shared(HostTensor tensor) {
    return std::make_shared<HostTensor>(std::move(tensor));
  }

  // 1, 2, 3, …: as sets, each element's own.
  static HostTensor numbered(Value value) {
    HostTensor result = *makeHostTensor(KERATIN_DTYPE_INT64, getTensorType(value).getShape().vec());
    std::iota(result.ints.begin(), result.ints.end(), 1);
    return result;
  }

  static bool moves(Operation *op) { return op && isa<IndexingOpInterface, ReshapeOp>(op); }

  //===-- Parts -------------------------------------------------------------------------------===//

  // y, or what is only moved into it: no diagonal is moved that need not be.
  void addParts(Value y) {
    std::vector<int64_t> rows(getTensorType(y).getNumElements());
    std::iota(rows.begin(), rows.end(), 0);
    SmallVector<Part> pending{{y, std::move(rows)}};
    while (!pending.empty()) {
      Part part = pending.pop_back_val();
      Operation *op = part.value.getDefiningOp();
      if (!(moves(op) && splitMove(op, part, pending)) && !splitSum(op, part, pending))
        parts.push_back(std::move(part));
    }
  }

  // Where each element of an operand comes to lie; fails if one comes to lie twice.
  bool splitMove(Operation *op, const Part &part, SmallVectorImpl<Part> &operands) {
    SmallVector<Part> found;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isDifferentiableOperand(operand))
        continue;
      Part source{operand.get(), {}};
      source.rows.assign(getTensorType(operand.get()).getNumElements(), -1);
      SmallVector<SetTensor> ids(op->getNumOperands());
      ids[operand.getOperandNumber()] = shared(numbered(operand.get()));
      const SetTensor moved = rules.apply(op, ids);
      for (auto [i, id] : llvm::enumerate(moved->ints)) {
        if (id == 0)
          continue;
        if (id > int64_t(source.rows.size()) || source.rows[id - 1] >= 0)
          return false;
        source.rows[id - 1] = part.rows[i];
      }
      found.push_back(std::move(source));
    }
    llvm::append_range(operands, found);
    return true;
  }

  // What sums of padded values add is nothing, where no two overlap.
  bool splitSum(Operation *op, const Part &part, SmallVectorImpl<Part> &operands) {
    if (!isa_and_present<AddOp>(op))
      return false;
    std::vector<bool> a = filled(op->getOperand(0)), b = filled(op->getOperand(1));
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i] && b[i])
        return false;
    for (Value operand : op->getOperands())
      operands.push_back({operand, part.rows});
    return true;
  }

  // Where sums of padded values are not zeros of pads.
  std::vector<bool> filled(Value value) {
    std::vector<bool> result(getTensorType(value).getNumElements(), false);
    SmallVector<Value> pending{value};
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val().getDefiningOp();
      if (isa_and_present<AddOp>(op)) {
        llvm::append_range(pending, op->getOperands());
      } else if (isa_and_present<PadOp>(op)) {
        const SetTensor moved = rules.apply(op, {shared(numbered(op->getOperand(0)))});
        for (auto [i, id] : llvm::enumerate(moved->ints))
          result[i] = result[i] || id;
      } else {
        return std::vector<bool>(result.size(), true);
      }
    }
    return result;
  }

  ArrayRef<Diagonal> diagonalsOf(Value value) const {
    auto found = diagonals.find(value);
    return found == diagonals.end() ? ArrayRef<Diagonal>() : ArrayRef<Diagonal>(found->second);
  }

  //===-- The walk ----------------------------------------------------------------------------===//

  LogicalResult visit(Operation *op) {
    if (op->getNumResults() != 1 || !(isa<ElementwiseOpInterface>(op) || moves(op)) ||
        !isa<DifferentiableOpInterface>(op))
      return failure();
    SmallVector<Joined> joined;
    for (OpOperand &operand : op->getOpOperands())
      if (isDifferentiableOperand(operand))
        for (auto [i, diagonal] : llvm::enumerate(diagonalsOf(operand.get()))) {
          Joined &place =
              moves(op) ? nth(op, i, joined) : joinedWith(op, operand, diagonal, joined);
          place.ofOperands[operand.getOperandNumber()] = &diagonal;
        }
    SmallVector<Diagonal> made;
    for (const Joined &each : joined) {
      SmallVector<SetTensor> ids;
      for (const Diagonal *diagonal : each.ofOperands)
        ids.push_back(diagonal ? diagonal->columns : nullptr);
      const SetTensor found = rules.apply(op, ids);
      if (!found || llvm::all_of(found->ints, [](int64_t id) { return id == 0; }))
        continue;
      if (llvm::any_of(found->ints, [&](int64_t id) { return id > columns; }) || rulesLeft-- == 0)
        return failure();
      FailureOr<Value> value = build(op, each);
      if (failed(value))
        return failure();
      if (*value)
        made.push_back({*value, found});
    }
    diagonals[op->getResult(0)] = std::move(made);
    return success();
  }

  static Joined &added(Operation *op, SmallVectorImpl<Joined> &joined) {
    joined.emplace_back();
    joined.back().ofOperands.resize(op->getNumOperands());
    return joined.back();
  }

  // Elements of several operands do not meet.
  static Joined &nth(Operation *op, size_t i, SmallVectorImpl<Joined> &joined) {
    return i < joined.size() ? joined[i] : added(op, joined);
  }

  // Of those that it agrees with, one by the same elements before one that has its elements where
  // this has none.
  static Joined &joinedWith(Operation *op, OpOperand &operand, const Diagonal &diagonal,
                            SmallVectorImpl<Joined> &joined) {
    Joined *best = nullptr;
    int64_t mostShared = -1;
    for (Joined &place : joined) {
      if (place.ofOperands[operand.getOperandNumber()])
        continue;
      int64_t same = 0;
      bool agrees = true;
      for (auto [a, b] : llvm::zip(place.columns.ints, diagonal.columns->ints)) {
        agrees = a == b || !a || !b;
        same += a && a == b;
        if (!agrees)
          break;
      }
      if (agrees && same > mostShared) {
        best = &place;
        mostShared = same;
      }
    }
    if (!best) {
      best = &added(op, joined);
      best->columns = *diagonal.columns;
    }
    for (auto [a, b] : llvm::zip(best->columns.ints, diagonal.columns->ints))
      a = std::max(a, b);
    return *best;
  }

  FailureOr<Value> build(Operation *op, const Joined &joined) {
    SmallVector<Tangent> ofOperands(op->getNumOperands()), ofResults(1);
    for (auto [tangent, diagonal] : llvm::zip(ofOperands, joined.ofOperands))
      if (diagonal) {
        tangent.value = diagonal->value;
        tangent.zeros.byChoice = hasHoles(*diagonal->columns);
      }
    if (failed(buildTangents(builder, op, ofOperands, ofResults)))
      return failure();
    return ofResults[0].value;
  }

  //===-- The entries -------------------------------------------------------------------------===//

  // As the first row has their entries: where all rows have as many, those of a row are equally far
  // from each other.
  SmallVector<Diagonal> inOrder(const Part &part) const {
    SmallVector<Diagonal> result(diagonalsOf(part.value));
    llvm::sort(result, [](const Diagonal &a, const Diagonal &b) {
      return a.columns->ints.front() < b.columns->ints.front();
    });
    return result;
  }

  // Zeros around what a gradient of a slice pads are no entries: what is padded has them all.
  void addPieces(const Part &part, const Diagonal &diagonal, std::vector<Piece> &pieces) {
    SmallVector<Piece> pending{{diagonal.value, part.rows, diagonal.columns->ints}};
    for (auto [row, id] : llvm::zip(pending[0].rows, pending[0].columns))
      id = row < 0 ? 0 : id;
    while (!pending.empty()) {
      Piece piece = pending.pop_back_val();
      Operation *op = piece.value.getDefiningOp();
      if (!takePadded(op, piece, pending) && !takeAddends(op, piece, pending))
        pieces.push_back(std::move(piece));
    }
  }

  bool takePadded(Operation *op, const Piece &piece, SmallVectorImpl<Piece> &operands) {
    if (!isa_and_present<PadOp, ReshapeOp>(op))
      return false;
    const size_t count = getTensorType(op->getOperand(0)).getNumElements();
    Piece padded{op->getOperand(0), std::vector<int64_t>(count, -1), std::vector<int64_t>(count)};
    const SetTensor moved = rules.apply(op, {shared(numbered(padded.value))});
    for (auto [id, row, column] : llvm::zip(moved->ints, piece.rows, piece.columns)) {
      if (id) {
        padded.rows[id - 1] = row;
        padded.columns[id - 1] = column;
      } else if (column) {
        return false;
      }
    }
    operands.push_back(std::move(padded));
    return true;
  }

  bool takeAddends(Operation *op, const Piece &piece, SmallVectorImpl<Piece> &operands) {
    if (!isa_and_present<AddOp>(op))
      return false;
    SmallVector<Piece> addends;
    std::vector<int64_t> seen(piece.columns.size(), 0);
    for (Value operand : op->getOperands()) {
      Piece &addend = addends.emplace_back(piece);
      addend.value = operand;
      for (auto [is, column, times] : llvm::zip(filled(operand), addend.columns, seen)) {
        column = is ? column : 0;
        times += is;
      }
    }
    for (auto [column, times] : llvm::zip(piece.columns, seen))
      if (times > 1 || (column && !times))
        return false;
    llvm::append_range(operands, llvm::reverse(addends));
    return true;
  }

  // As many diagonals of the same length in each part: in the order of entries their elements lie
  // at equal distances.
  static bool areEven(ArrayRef<Piece> pieces, ArrayRef<size_t> ofParts) {
    return llvm::all_equal(ofParts) &&
           llvm::all_equal(llvm::map_range(pieces, [](const Piece &p) { return p.rows.size(); }));
  }

  std::optional<Diagonals> gathered(const SparsityPattern &pattern) {
    std::vector<Piece> pieces;
    SmallVector<size_t> ofParts;
    for (const Part &part : parts) {
      const size_t before = pieces.size();
      for (const Diagonal &diagonal : inOrder(part))
        addPieces(part, diagonal, pieces);
      ofParts.push_back(pieces.size() - before);
    }
    const bool repeats = areEven(pieces, ofParts);
    SmallVector<Value> all;
    llvm::DenseMap<Value, int64_t> offsetOf;
    // By row and column.
    std::unordered_map<uint64_t, int64_t> placeOf;
    auto key = [&](int64_t row, int64_t column) { return uint64_t(row) * columns + column; };
    int64_t next = 0;
    for (const Piece &piece : pieces) {
      auto [offset, isNew] = offsetOf.try_emplace(piece.value, next);
      if (isNew || repeats) {
        const int64_t count = int64_t(piece.rows.size());
        all.push_back(g.reshape(piece.value, {DimExpr(count)}));
        offset->second = next;
        next += count;
      }
      for (auto [i, row, id] : llvm::enumerate(piece.rows, piece.columns))
        // An entry that is a sum of two.
        if (id && !placeOf.try_emplace(key(row, id - 1), offset->second + int64_t(i)).second)
          return std::nullopt;
    }
    Diagonals result;
    for (int64_t row = 0; row < pattern.rows; ++row)
      for (uint32_t column : pattern.row(row)) {
        auto found = placeOf.find(key(row, column));
        if (found == placeOf.end())
          found = placeOf.find(key(column, row));
        if (found == placeOf.end())
          return std::nullopt;
        result.places.push_back(found->second);
      }
    if (all.empty())
      return std::nullopt;
    result.elements = all.size() == 1 ? all.front() : g.concatenate(all, 0);
    return result;
  }

  Block &block;
  BlockArgument x;
  OpBuilder builder;
  GraphMath g;
  int64_t rulesLeft;
  const int64_t columns;
  IndexSets sets;
  KnownValues known;
  DependencyRules rules;
  std::vector<Part> parts;
  llvm::DenseMap<Value, SmallVector<Diagonal>> diagonals;
};

} // namespace

std::optional<Diagonals> keratin::passes::buildDiagonals(func::FuncOp function, unsigned argument,
                                                         unsigned result,
                                                         const SparsityPattern &pattern,
                                                         int64_t mostRules) {
  return DiagonalWalk(function, argument, mostRules)
      .run(function.front().getTerminator()->getOperand(result), pattern);
}
