// One call of a K function: where its ops go, how its arguments become values, how it fails.
#ifndef KERATIN_FRONTEND_GRAPH_CALL_H
#define KERATIN_FRONTEND_GRAPH_CALL_H

#include "frontend/graph/Graph.h"
#include "ir/builder/GraphMath.h"
#include "keratin/arguments.h"
#include "keratin/error.h"

#include "mlir/IR/Builders.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keratin::frontend {

using ir::DimExpr;
using mlir::Value;

// Lives on the stack of a K function, which starts with it. Holds the graph's mutex, but not while
// a callable of the user's runs. Ops that turn out to be unused are erased at its end, also when
// the function throws.
class Call : mlir::OpBuilder::Listener {
  // The first of the members: what the others make in the graph's context, they make under it.
  Graph::Lock lock;

public:
  Call(const char *function, SourceLocation location);
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  Graph &graph;
  mlir::OpBuilder builder;
  ir::GraphMath g;
  const char *const function;
  const SourceLocation location;

  // What the callable returns; it may be anything, and take as long as it likes. Everything that it
  // is given is a handle, made before.
  template <typename F> auto runUserCode(F &&callable) {
    Graph::UserCode running(graph);
    return callable();
  }

  //===-- Failing: "function: what; at file:line" ---------------------------------------------===//
  [[noreturn]] void valueError(const std::string &what) const;
  [[noreturn]] void typeError(const std::string &what) const;
  [[noreturn]] void assertionError(const std::string &what) const;
  [[noreturn]] void notImplemented(const std::string &what) const;
  std::string message(const std::string &what) const;
  // "function: what", for an op that knows its location.
  std::string requirement(const std::string &what) const;

  //===-- Arguments ---------------------------------------------------------------------------===//
  // A tensor keeps its dtype; numbers and floating arrays become as spec 0.1 has it. A variable
  // assigned by the active control dependencies is read anew.
  Value value(const Operand &operand);
  Value value(const Operand &operand, DType dtype);
  // The value, which is not computed without all that the active control dependencies hold.
  Value evaluatedTogether(Value value);
  // As value, cast to floatx unless it is floating.
  Value floating(const Operand &operand);
  // The tensor's value; ValueError for a sparse one.
  Value dense(const Tensor &tensor);
  // Neither converted nor replaced: for what needs the variable or placeholder itself.
  Value raw(const Tensor &tensor);
  // Both operands of a binary function with one dtype (spec 0.3), not yet broadcast.
  std::pair<Value, Value> promoted(const Operand &x, const Operand &y);
  // Of any number, with one dtype; numbers among tensors take theirs. ValueError for none.
  std::vector<Value> promoted(const std::vector<Operand> &operands);
  // Of two, and of one shape.
  std::pair<Value, Value> binary(const Operand &x, const Operand &y);
  // A constant whose bytes the graph holds.
  Value literal(Array array);
  Value literal(const Array &numbers, DType dtype) { return literal(converted(numbers, dtype)); }
  // Numbers of the user's in another dtype; ValueError for one that an integer dtype does not hold.
  // Fractions are cut off; floats are rounded, to infinity beyond the largest.
  Array converted(const Array &numbers, DType dtype) const;
  void checkFit(const Array &numbers, DType dtype) const;
  // TypeError for complex numbers where the dtype is real.
  void checkKeepsParts(const Array &numbers, DType dtype) const;

  Value cast(Value x, DType dtype);
  DType dtypeOf(Value x) const { return DType(ir::dtypeOf(ir::getElementType(x))); }
  mlir::Type elementType(DType dtype);
  int64_t rank(Value x) const { return ir::getTensorType(x).getRank(); }
  // A scalar constant of x's element type, repeated to its shape; ValueError as literal.
  Value like(Value x, double number);

  //===-- Axes --------------------------------------------------------------------------------===//
  // In [0, rank); ValueError otherwise.
  int64_t axis(int64_t axis, int64_t rank) const;
  // Ascending, without duplicates; all for None.
  std::vector<int64_t> axes(const Axes &axes, int64_t rank) const;

  //===-- Sizes -------------------------------------------------------------------------------===//
  // The size that a scalar integer tensor computes. One that depends on data is a symbol that the
  // call defines, at most `most`, or for nullopt what can be seen of the scalar;
  // NotImplementedError if that is nothing. `argument` is for messages.
  DimExpr size(Value scalar, const std::string &argument,
               const std::optional<DimExpr> &most = std::nullopt);
  DimExpr size(const Size &size, const std::string &argument,
               const std::optional<DimExpr> &most = std::nullopt);
  // The symbol of the size of this name.
  DimExpr namedSize(const Dim &dim, const std::string &argument);
  // Adds what is known of a size by name; it must agree with what is known already.
  void limit(int64_t symbol, const ir::SizeLimits &limits, const std::string &argument);
  // The size that the call computes with the scalar, at most `most`.
  DimExpr computedSize(Value scalar, const DimExpr &most, const std::string &argument) {
    return defineSize(scalar, 0, most, argument);
  }
  // The size that the scalar computes from sizes of tensors, or from scalar placeholders and
  // variables too, which then must not be negative; nullopt if from anything else.
  std::optional<DimExpr> sizeFromShapes(Value scalar);
  std::optional<DimExpr> knownSize(Value scalar);
  // The same for a number that may be negative, as may be the placeholders and variables that it is
  // computed from.
  std::optional<DimExpr> knownNumber(Value scalar);
  // Of all elements of a tensor. Nothing is required of them.
  std::optional<ir::Shape> formulas(Value numbers);
  // max(number, 0), as a symbol where it can be one.
  DimExpr atLeastZero(DimExpr number);
  // Of a list, nullopt where it has None, or of an integer vector; as size().
  std::vector<std::optional<DimExpr>> entries(const Shape &shape, const std::string &argument,
                                              const std::optional<DimExpr> &most = std::nullopt);
  // A size, or where that depends on data the int64 scalar that computes it.
  struct SizeOrData {
    std::optional<DimExpr> size;
    Value data;
  };
  // The entries of a list without None, or of an integer vector.
  std::vector<SizeOrData> sizesOrData(const Shape &shape, const std::string &argument);
  // ValueError where a result of the type has too high a rank, or more bytes than 64 bits count.
  void checkBytes(mlir::RankedTensorType type) const;
  // A shape without None entries; each is checked not to be negative, now or at the call.
  ir::Shape shape(const Shape &shape, const std::string &argument = "shape");
  // The first elements along the axis, as many as the integer scalar `size` says at the call: the
  // result's size is a symbol of its own. More than there are is an error of the call.
  Value truncate(Value x, Value size, int64_t axis);
  // The size as a scalar.
  Value scalar(const DimExpr &size, DType dtype);
  // x, whose elements must be in [lower, upper); otherwise the call fails with "function: what".
  Value inRange(Value x, const DimExpr &lower, const DimExpr &upper, const std::string &what);
  // The integer x; if it is 0 the call fails with "function: what".
  Value nonzero(Value x, const std::string &what);
  // Checked arithmetic: ValueError where it cannot be represented.
  DimExpr check(std::optional<DimExpr> dim) const;
  // Records that the function's results need lhs >= rhs, lhs == rhs.
  void requireAtLeast(const DimExpr &lhs, const DimExpr &rhs, const std::string &what);
  void requireEqual(const DimExpr &lhs, const DimExpr &rhs, const std::string &what);
  // That an integer dtype holds the number: "what does not fit int8".
  void requireFit(const DimExpr &number, DType dtype, const std::string &what);
  // What was recorded since is needed by this value already: it is checked before what follows.
  Value required(Value value);

  //===-- Broadcasting ------------------------------------------------------------------------===//
  ir::Shape broadcastShape(const ir::Shape &a, const ir::Shape &b);
  // NumPy's rule, with a repetition computed at the call where a size is unknown.
  Value broadcastTo(Value x, const ir::Shape &shape);
  // x under a shape that it must have: sizes that cannot be proved equal are checked at the call.
  Value requireShape(Value x, const ir::Shape &shape, const std::string &what);
  // The same for the size of one axis.
  Value withSize(Value x, int64_t axis, const DimExpr &size, const std::string &what);
  // The one size of two that must be equal.
  DimExpr unify(const DimExpr &a, const DimExpr &b, const std::string &what);

  //===-- Results -----------------------------------------------------------------------------===//
  // A handle, after the requirements and control dependencies have been tied to the value.
  Tensor tensor(Value value, const std::string &name = std::string());
  Tensor tensor(Value value, const char *name) { return tensor(value, std::string(name)); }

private:
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint) override;
  Value stack(const std::vector<Operand> &list);
  Value read(Value x);
  std::vector<DimExpr> computedSizes(Value value, const std::string &argument,
                                     const std::optional<DimExpr> &most);
  // Of a small tensor, row-major.
  Value element(Value x, int64_t place);
  DimExpr defineSize(Value value, int64_t element, const DimExpr &most,
                     const std::string &argument);
  Value withRequirements(Value value);

  struct Requirement {
    ir::Requirement kind;
    DimExpr lhs, rhs;
    std::string what;
  };
  std::vector<Requirement> requirements;
};

// "(None, 3)", "(batch, 3)" for messages.
std::string describe(const ir::Shape &shape);
std::string describe(Value value);
// " (file:line)" of what made it, or "" where that is not known.
std::string madeAt(Value value);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_CALL_H
