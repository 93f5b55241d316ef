// Ops that move elements, and new tensors, as nodes of ONNX.
#include "frontend/onnx/GraphExporter.h"

#include <algorithm>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend::onnx_models;
using ir::DimExpr;

namespace {

void constant(GraphExporter &e, mlir::Operation *op) {
  auto elements = llvm::cast<mlir::DenseElementsAttr>(llvm::cast<ir::ConstantOp>(op).getValue());
  if (elements.isSplat() && elements.getNumElements() != 0) {
    auto scalar = elements.resizeSplat(mlir::RankedTensorType::get({}, elements.getElementType()));
    e.define(op->getResult(0), GraphExporter::Compact{e.constant(scalar), {}});
  } else {
    e.define(op->getResult(0), e.constant(elements));
  }
}

void iota(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::IotaOp>(op);
  const ir::Shape shape = ir::getShape(of.getY());
  const auto axis = size_t(of.getAxis());
  std::string numbers = e.range(shape[axis]);
  if (!ir::getElementType(of.getY()).isSignlessInteger(64))
    numbers = e.cast(numbers, ir::getElementType(of.getY()));
  Numbers behind(shape.size() - axis - 1);
  std::iota(behind.begin(), behind.end(), 1);
  ir::Shape small{shape[axis]};
  small.resize(behind.size() + 1, DimExpr(1));
  e.define(of.getY(), {e.unsqueeze(numbers, behind), small});
}

void dim(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::DimOp>(op);
  std::string size = e.sizeScalar(ir::getShape(of.getX())[size_t(of.getAxis())]);
  if (!ir::getElementType(of.getY()).isSignlessInteger(64))
    size = e.cast(size, ir::getElementType(of.getY()));
  e.define(of.getY(), size);
}

// Whether the op and the broadcast before it repeat what is either of its result's size or of size
// 1, as the frontend writes it where only a call knows which: (d) to (d, D / max(d, 1)) to (D).
ir::BroadcastOp repeatedBy(ir::ReshapeOp op) {
  auto broadcast = op.getX().getDefiningOp<ir::BroadcastOp>();
  if (!broadcast)
    return nullptr;
  const ir::Shape from = ir::getShape(broadcast.getX()), to = ir::getShape(op.getY());
  if (from.size() > to.size())
    return nullptr;
  const size_t offset = to.size() - from.size();
  ir::Shape wide(to.begin(), to.begin() + int64_t(offset));
  Numbers places;
  for (size_t i = 0; i < from.size(); ++i) {
    const DimExpr &d = from[i], &n = to[offset + i];
    places.push_back(int64_t(wide.size()));
    if (d == n || d == DimExpr(1)) {
      wide.push_back(n);
      continue;
    }
    wide.push_back(d);
    wide.push_back(checked(ir::floordiv(n, checked(ir::max(d, DimExpr(1))))));
    // So often in any case.
    if (wide.back().isConstant())
      return nullptr;
  }
  const bool isSame =
      wide == ir::getShape(broadcast.getY()) && llvm::ArrayRef(places) == broadcast.getDims();
  return isSame ? broadcast : nullptr;
}

void reshape(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::ReshapeOp>(op);
  if (ir::BroadcastOp repeats = repeatedBy(of)) {
    e.define(of.getY(), e.compact(repeats.getX()));
    return;
  }
  const GraphExporter::Compact x = e.compact(of.getX());
  // Copies of one number stay one.
  if (x.shape.empty() && !ir::getShape(of.getX()).empty()) {
    e.define(of.getY(), x);
    return;
  }
  const std::string from = e.value(of.getX());
  e.define(of.getY(), e.reshape(from, ir::getShape(of.getX()), ir::getShape(of.getY())));
}

// Dimensions are added in front by the nodes that read it, or with size 1 between others.
void broadcast(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::BroadcastOp>(op);
  const GraphExporter::Compact x = e.compact(of.getX());
  const llvm::ArrayRef<int64_t> places = of.getDims().take_back(x.shape.size());
  const auto rank = int64_t(ir::getShape(of.getY()).size());
  Numbers added;
  ir::Shape shape;
  size_t next = 0;
  for (int64_t i = places.empty() ? rank : places.front(); i < rank; ++i) {
    if (next < places.size() && places[next] == i) {
      shape.push_back(x.shape[next++]);
    } else {
      added.push_back(int64_t(shape.size()));
      shape.push_back(1);
    }
  }
  e.define(of.getY(), {e.unsqueeze(x.name, added), shape});
}

void transpose(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::TransposeOp>(op);
  const GraphExporter::Compact x = e.compact(of.getX());
  if (x.shape.empty())
    e.define(of.getY(), x);
  else
    e.define(of.getY(), e.transpose(e.value(of.getX()), of.getPermutation()));
}

void slice(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::SliceOp>(op);
  const ir::Shape from = ir::getShape(of.getX()), to = ir::getShape(of.getY());
  ir::Shape starts, ends;
  Numbers axes, steps;
  for (size_t i = 0; i < from.size(); ++i) {
    const DimExpr start = of.getStarts().getDims()[i];
    const int64_t step = of.getStrides()[i];
    if (start == DimExpr(0) && step == 1 && from[i] == to[i])
      continue;
    axes.push_back(int64_t(i));
    steps.push_back(step);
    starts.push_back(start);
    const DimExpr end = checked(ir::add(start, checked(ir::mul(to[i], DimExpr(step)))));
    ends.push_back(step == 1 && end == from[i] ? DimExpr(kFarAway) : end);
  }
  const std::string x = e.value(of.getX());
  e.define(of.getY(), axes.empty() ? x : e.slice(x, e.sizes(starts), e.sizes(ends), axes, steps));
}

void pad(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::PadOp>(op);
  ir::Shape shape = ir::getShape(of.getX());
  const ir::Shape to = ir::getShape(of.getY());
  std::string x = e.value(of.getX());
  ir::Shape before, after;
  for (size_t i = 0; i < shape.size(); ++i) {
    x = e.spread(x, shape, i, of.getInterior()[i] + 1);
    before.push_back(of.getLow().getDims()[i]);
    after.push_back(checked(ir::sub(checked(ir::sub(to[i], shape[i])), before.back())));
  }
  e.define(of.getY(), e.padded(x, shape, before, after, ir::getElementType(of.getX())));
}

void concatenate(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::ConcatenateOp>(op);
  e.define(of.getY(), e.node("Concat", e.values(of.getXs()), {{"axis", int64_t(of.getAxis())}}));
}

void reverse(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::ReverseOp>(op);
  const Numbers axes(of.getAxes().begin(), of.getAxes().end());
  const std::string x = e.value(of.getX());
  e.define(of.getY(), e.reversed(x, axes));
}

void gather(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::GatherOp>(op);
  e.define(of.getY(), e.node("Gather", {e.value(of.getX()), e.indices(of.getIndices())},
                             {{"axis", int64_t(0)}}));
}

void scatterAdd(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::ScatterAddOp>(op);
  const ir::Shape shape = ir::getShape(of.getY());
  const auto rank = int64_t(ir::getShape(of.getIndices()).size());
  e.need(16, "ScatterND with reduction add");
  e.define(of.getY(),
           e.node("ScatterND",
                  {e.zeros(shape, ir::getElementType(of.getY())),
                   e.unsqueeze(e.indices(of.getIndices()), {rank}), e.value(of.getUpdates())},
                  {{"reduction", std::string("add")}}));
}

template <typename Op> void scatterExtreme(GraphExporter &e, mlir::Operation *op) {
  constexpr bool isMax = std::is_same_v<Op, ir::ScatterMaxOp>;
  auto of = llvm::cast<Op>(op);
  const auto rank = int64_t(ir::getShape(of.getIndices()).size());
  const std::string reduction = isMax ? "max" : "min";
  e.need(18, isMax ? "ScatterND with reduction max" : "ScatterND with reduction min");
  const std::string first = e.extreme(ir::getElementType(of.getY()), /*largest=*/!isMax);
  e.define(of.getY(),
           e.node("ScatterND",
                  {e.node("Expand", {first, e.sizes(ir::getShape(of.getY()))}),
                   e.unsqueeze(e.indices(of.getIndices()), {rank}), e.value(of.getUpdates())},
                  {{"reduction", reduction}}));
}

// Which of several updates of a place stays, ONNX leaves open. So the updates are sorted by place
// and number, and all but the last of each place go to a row of their own, which is cut off.
void scatterLast(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::ScatterLastOp>(op);
  const ir::Shape shape = ir::getShape(of.getY()), from = ir::getShape(of.getIndices());
  const mlir::Type type = ir::getElementType(of.getY());
  const ir::Shape given = ir::getShape(of.getUpdates());
  ir::Shape rows(given.begin() + int64_t(from.size()), given.end());
  const DimExpr count = checked(ir::elementCount(from));
  rows.insert(rows.begin(), count);
  const std::string places = e.reshape(e.indices(of.getIndices()), from, {count});
  const std::string updates = e.reshape(e.value(of.getUpdates()), given, rows);
  const std::string number = e.size(count);
  const std::string keys = e.node("Add", {e.node("Mul", {places, number}), e.range(count)});
  const std::string sorted =
      e.nodes("TopK", {keys, number}, 2, {{"axis", int64_t(0)}, {"largest", int64_t(0)}})[0];
  const std::string sortedPlaces = e.node("Div", {sorted, number});
  const std::string behind = e.size(shape.front());
  const std::string next =
      e.node("Concat", {e.slice(sortedPlaces, e.vector({1}), e.vector({kFarAway}), {0}), behind},
             {{"axis", int64_t(0)}});
  const std::string isLast = e.node("Not", {e.node("Equal", {sortedPlaces, next})});
  const std::string to = e.node("Where", {isLast, sortedPlaces, behind});
  const std::string moved =
      e.node("Gather", {updates, e.node("Mod", {sorted, number})}, {{"axis", int64_t(0)}});
  ir::Shape larger = shape;
  larger.front() = checked(ir::add(shape.front(), 1));
  const std::string all = e.node("ScatterND", {e.zeros(larger, type), e.unsqueeze(to, {1}), moved});
  e.define(of.getY(), e.slice(all, e.vector({0}), behind, {0}));
}

// A start as a vector of one number.
std::string startOf(GraphExporter &e, mlir::Value start) {
  return e.unsqueeze(e.indices(start), {0});
}

void dynamicSlice(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::DynamicSliceOp>(op);
  const ir::Shape from = ir::getShape(of.getX()), to = ir::getShape(of.getY());
  std::string x = e.value(of.getX());
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != to[i])
      x = e.node("Gather", {x, e.node("Add", {e.range(to[i]), startOf(e, of.getStarts()[i])})},
                 {{"axis", int64_t(i)}});
  e.define(of.getY(), x);
}

// Along each axis from where the box begins, or zeros.
void dynamicUnslice(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::DynamicUnsliceOp>(op);
  const ir::Shape from = ir::getShape(of.getX()), to = ir::getShape(of.getY());
  std::string x = e.value(of.getX());
  const std::string zero = e.integer(0);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[i])
      continue;
    const std::string size = e.size(from[i]);
    const std::string at = e.node("Sub", {e.range(to[i]), startOf(e, of.getStarts()[i])});
    const std::string isInside =
        e.node("And", {e.node("GreaterOrEqual", {at, zero}), e.node("Less", {at, size})});
    const std::string place = e.node("Where", {isInside, at, zero});
    const std::string rows = e.node("Gather", {x, place}, {{"axis", int64_t(i)}});
    Numbers behind(from.size() - i - 1);
    std::iota(behind.begin(), behind.end(), 1);
    x = e.node("Where",
               {e.unsqueeze(isInside, behind), rows, e.scalar(0, ir::getElementType(of.getX()))});
  }
  e.define(of.getY(), x);
}

void checkRange(GraphExporter &e, mlir::Operation *op) {
  e.define(op->getResult(0), op->getOperand(0));
}

void truncate(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::TruncateOp>(op);
  const auto axis = size_t(of.getAxis());
  const std::string size = startOf(e, of.getSize());
  const ir::Shape shape = ir::getShape(of.getY());
  e.define(of.getY(), e.slice(e.value(of.getX()), e.vector({0}), size, {int64_t(axis)}));
  if (shape[axis].isSymbol())
    e.defineSymbol(shape[axis].symbolId(), size, ir::getShape(of.getX())[axis]);
}

const ExportRecord shapeExportRecords[] = {
    {"broadcast", broadcast, "Expand, or nothing where a node repeats its operands"},
    {"check_range", checkRange, "nothing: what it checks is not checked"},
    {"concatenate", concatenate, "Concat"},
    {"constant", constant, "an initializer"},
    {"dim", dim, "Shape, Gather"},
    {"dynamic_slice", dynamicSlice, "Gather"},
    {"dynamic_unslice", dynamicUnslice, "Gather, Where"},
    {"gather", gather, "Gather"},
    {"iota", iota, "Range"},
    {"pad", pad, "Pad"},
    {"reshape", reshape, "Reshape"},
    {"reverse", reverse, "Slice"},
    {"scatter_add", scatterAdd, "ScatterND (opset 16)"},
    {"scatter_last", scatterLast, "TopK, ScatterND"},
    {"scatter_max", scatterExtreme<ir::ScatterMaxOp>, "ScatterND (opset 18)"},
    {"scatter_min", scatterExtreme<ir::ScatterMinOp>, "ScatterND (opset 18)"},
    {"slice", slice, "Slice"},
    {"transpose", transpose, "Transpose"},
    {"truncate", truncate, "Slice"},
};

} // namespace

llvm::ArrayRef<ExportRecord> keratin::frontend::onnx_models::shapeExports() {
  return shapeExportRecords;
}
