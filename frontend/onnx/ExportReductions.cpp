// Ops along axes as nodes of ONNX.
#include "frontend/onnx/GraphExporter.h"

using namespace keratin;
using namespace keratin::frontend::onnx_models;
using ir::DimExpr;

namespace {

Numbers axesOf(mlir::Operation *op) {
  const auto axes = op->getAttrOfType<mlir::DenseI64ArrayAttr>("axes").asArrayRef();
  return {axes.begin(), axes.end()};
}

// Of the integers, ONNX reduces those of 32 and 64 bits; sums wrap around in any width.
template <const char *const *name> void reduce(GraphExporter &e, mlir::Operation *op) {
  const mlir::Type type = ir::getElementType(op->getResult(0));
  std::string x = e.value(op->getOperand(0));
  const bool isNarrow = llvm::isa<mlir::IntegerType>(type) && type.getIntOrFloatBitWidth() < 32;
  if (isNarrow)
    x = e.cast(x, mlir::IntegerType::get(op->getContext(), 64));
  x = e.reduce(*name, x, axesOf(op));
  e.define(op->getResult(0), isNarrow ? e.cast(x, type) : x);
}

constexpr const char *kSum = "ReduceSum", *kProduct = "ReduceProd", *kMax = "ReduceMax",
                     *kMin = "ReduceMin", *kArgMax = "ArgMax", *kArgMin = "ArgMin";

// Whether there are any, of what is true or of what is not.
template <bool all> void exists(GraphExporter &e, mlir::Operation *op) {
  const Numbers axes = axesOf(op);
  std::string x = e.value(op->getOperand(0));
  if (!axes.empty()) {
    if (all)
      x = e.node("Not", {x});
    const mlir::Type i64 = mlir::IntegerType::get(op->getContext(), 64);
    const std::string count = e.reduce("ReduceSum", e.cast(x, i64), axes);
    x = e.node(all ? "Equal" : "Greater", {count, e.integer(0)});
  }
  e.define(op->getResult(0), x);
}

template <const char *const *name> void place(GraphExporter &e, mlir::Operation *op) {
  const mlir::Type type = ir::getElementType(op->getOperand(0));
  std::string x = e.value(op->getOperand(0));
  if (type.isInteger(1))
    x = e.cast(x, mlir::IntegerType::get(op->getContext(), 32));
  const int64_t axis = op->getAttrOfType<mlir::IntegerAttr>("axis").getInt();
  e.define(op->getResult(0), e.node(*name, {x}, {{"axis", axis}, {"keepdims", int64_t(0)}}));
}

void topK(GraphExporter &e, mlir::Operation *op) {
  const ir::Shape shape = ir::getShape(op->getResult(0));
  std::string x = e.value(op->getOperand(0));
  // Bools have no order in ONNX.
  if (ir::getElementType(op->getOperand(0)).isInteger(1))
    x = e.cast(x, mlir::IntegerType::get(op->getContext(), 32));
  const Names both = e.nodes("TopK", {x, e.size(shape.back())}, 2, {{"axis", int64_t(-1)}});
  e.define(op->getResult(0), both[1]);
}

void cumsum(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::CumsumOp>(op);
  NodeAttributes attributes;
  if (of.getExclusive())
    attributes.push_back({"exclusive", int64_t(1)});
  if (of.getReverse())
    attributes.push_back({"reverse", int64_t(1)});
  const mlir::Type type = ir::getElementType(of.getY());
  const bool isNarrow = llvm::isa<mlir::IntegerType>(type) && type.getIntOrFloatBitWidth() < 32;
  std::string x = e.value(of.getX());
  if (isNarrow)
    x = e.cast(x, mlir::IntegerType::get(op->getContext(), 64));
  x = e.node("CumSum", {x, e.integer(int64_t(of.getAxis()))}, attributes);
  e.define(of.getY(), isNarrow ? e.cast(x, type) : x);
}

// y[i] = next(y[i - 1], a[i], b[i]) along an axis: (state, elements) to the next state, and what is
// stacked, which is that or the state before it.
template <typename Next>
std::string recurrence(GraphExporter &e, mlir::Value y, const Names &sequences,
                       const std::string &first, int64_t axis, bool reverse, bool exclusive,
                       Next next) {
  const mlir::Type type = ir::getElementType(y);
  ir::Shape element = ir::getShape(y);
  element.erase(element.begin() + axis);
  // Made outside of the body, which sees it.
  Names inputs{e.node("Expand", {first, e.sizes(element)})};
  inputs.insert(inputs.end(), sequences.begin(), sequences.end());
  const mlir::Type elementType = ir::getTensorType(element, type);
  onnx::GraphProto body = e.body([&] {
    Names names;
    for (size_t i = 0; i <= sequences.size(); ++i) {
      names.push_back(e.unique(i ? "element" : "state"));
      e.declareInput(names.back(), elementType);
    }
    const std::string made = next(names);
    e.declareOutput(made, elementType);
    // An output is not another one, nor an input.
    e.declareOutput(e.node("Identity", {exclusive ? names.front() : made}), elementType);
  });
  const Numbers directions(sequences.size(), int64_t(reverse)), axes(sequences.size(), axis);
  return e.nodes("Scan", inputs, 2,
                 {{"body", std::move(body)},
                  {"num_scan_inputs", int64_t(sequences.size())},
                  {"scan_input_axes", axes},
                  {"scan_input_directions", directions},
                  {"scan_output_axes", Numbers{axis}},
                  {"scan_output_directions", Numbers{int64_t(reverse)}}})[1];
}

void cumprod(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::CumprodOp>(op);
  e.define(of.getY(), recurrence(e, of.getY(), {e.value(of.getX())},
                                 e.scalar(1, ir::getElementType(of.getY())), int64_t(of.getAxis()),
                                 of.getReverse(), of.getExclusive(),
                                 [&](const Names &x) { return e.node("Mul", x); }));
}

void linearRecurrence(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::LinearRecurrenceOp>(op);
  e.define(of.getY(), recurrence(e, of.getY(), {e.value(of.getA()), e.value(of.getB())},
                                 e.scalar(0, ir::getElementType(of.getY())), int64_t(of.getAxis()),
                                 of.getReverse(), false, [&](const Names &x) {
                                   return e.node("Add", {e.node("Mul", {x[1], x[0]}), x[2]});
                                 }));
}

template <typename Op> void runningExtreme(GraphExporter &e, mlir::Operation *op) {
  constexpr bool isMax = std::is_same_v<Op, ir::CummaxOp>;
  auto of = llvm::cast<Op>(op);
  const std::string first = e.extreme(ir::getElementType(of.getY()), /*largest=*/!isMax);
  e.define(of.getY(), recurrence(e, of.getY(), {e.value(of.getX())}, first, int64_t(of.getAxis()),
                                 of.getReverse(), false,
                                 [&](const Names &x) { return e.node(isMax ? "Max" : "Min", x); }));
}

// The larger one and Softplus of minus the distance, which is none of equal infinities.
void cumlogsumexp(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::CumlogsumexpOp>(op);
  const mlir::Type type = ir::getElementType(of.getY());
  auto next = [&](const Names &x) {
    const std::string distance =
        e.node("Where", {e.node("Equal", x), e.scalar(0, type), e.node("Abs", {e.node("Sub", x)})});
    return e.node("Add", {e.node("Max", x), e.node("Softplus", {e.node("Neg", {distance})})});
  };
  e.define(of.getY(),
           recurrence(e, of.getY(), {e.value(of.getX())}, e.extreme(type, /*largest=*/false),
                      int64_t(of.getAxis()), of.getReverse(), false, next));
}

const ExportRecord reductionExportRecords[] = {
    {"arg_max", place<&kArgMax>, "ArgMax"},
    {"arg_min", place<&kArgMin>, "ArgMin"},
    {"cumlogsumexp", cumlogsumexp, "Scan"},
    {"cummax", runningExtreme<ir::CummaxOp>, "Scan"},
    {"cummin", runningExtreme<ir::CumminOp>, "Scan"},
    {"cumprod", cumprod, "Scan"},
    {"cumsum", cumsum, "CumSum"},
    {"linear_recurrence", linearRecurrence, "Scan"},
    {"reduce_all", exists<true>, "ReduceSum, Equal"},
    {"reduce_any", exists<false>, "ReduceSum, Greater"},
    {"reduce_max", reduce<&kMax>, "ReduceMax"},
    {"reduce_min", reduce<&kMin>, "ReduceMin"},
    {"reduce_prod", reduce<&kProduct>, "ReduceProd"},
    {"reduce_sum", reduce<&kSum>, "ReduceSum"},
    {"top_k", topK, "TopK"},
};

} // namespace

llvm::ArrayRef<ExportRecord> keratin::frontend::onnx_models::reductionExports() {
  return reductionExportRecords;
}
