// Loops and branches as nodes of ONNX that have graphs in them; and what is left.
#include "frontend/onnx/GraphExporter.h"

#include <algorithm>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend::onnx_models;
using ir::DimExpr;

namespace {

mlir::Type scalarType(mlir::Operation *op, unsigned width) {
  return mlir::RankedTensorType::get({}, mlir::IntegerType::get(op->getContext(), width));
}

// An output of the graph under way: made in it, and no other output of it.
void give(GraphExporter &e, const std::string &name, mlir::Type type) {
  bool isMade = false, isGiven = false;
  for (const onnx::NodeProto &node : e.graph().node())
    isMade = isMade ||
             std::find(node.output().begin(), node.output().end(), name) != node.output().end();
  for (const onnx::ValueInfoProto &output : e.graph().output())
    isGiven = isGiven || output.name() == name;
  e.declareOutput(isMade && !isGiven ? name : e.node("Identity", {name}), type);
}

// An input of the graph under way.
std::string take(GraphExporter &e, const char *name, mlir::Type type) {
  const std::string made = e.unique(name);
  e.declareInput(made, type);
  return made;
}

void defineCaptures(GraphExporter &e, mlir::Block &block, size_t first,
                    mlir::OperandRange captures) {
  for (size_t i = 0; i < captures.size(); ++i)
    e.define(block.getArgument(unsigned(first + i)), captures[unsigned(i)]);
}

// Arguments of a body, from `first` up to `end`, are inputs of the graph under way.
void takeArguments(GraphExporter &e, mlir::Block &block, size_t first, size_t end,
                   const char *name) {
  for (mlir::BlockArgument argument : block.getArguments().slice(first, end - first))
    e.define(argument, take(e, name, argument.getType()));
}

void conditional(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::IfOp>(op);
  auto branch = [&](mlir::Region &region) {
    return e.body([&] {
      mlir::Block &block = region.front();
      defineCaptures(e, block, 0, of.getCaptures());
      e.block(block);
      for (mlir::Value value : block.getTerminator()->getOperands())
        give(e, e.value(value), value.getType());
    });
  };
  const std::string condition = e.value(of.getCondition());
  onnx::GraphProto yes = branch(of.getThenBody()), no = branch(of.getElseBody());
  const Names names = e.nodes("If", {condition}, op->getNumResults(),
                              {{"then_branch", std::move(yes)}, {"else_branch", std::move(no)}});
  for (size_t i = 0; i < names.size(); ++i)
    e.define(op->getResult(unsigned(i)), names[i]);
}

// Steps over sequences.
void scanOver(GraphExporter &e, ir::ScanOp op) {
  mlir::Block &block = op.getBody().front();
  const size_t states = op.getInits().size(), sequences = op.getSequences().size();
  const bool counts = !block.getArgument(0).use_empty();
  const mlir::Type i64 = scalarType(op, 64);
  const DimExpr length = op.getLength().getDims().front();
  Names inputs;
  if (counts)
    inputs.push_back(op.getReverse() ? e.node("Sub", {e.sizeScalar(length), e.integer(1)})
                                     : e.integer(0));
  for (mlir::ValueRange values :
       {mlir::ValueRange(op.getInits()), mlir::ValueRange(op.getSequences())})
    for (const std::string &name : e.values(values))
      inputs.push_back(name);
  onnx::GraphProto body = e.body([&] {
    std::string number;
    if (counts) {
      number = take(e, "step", i64);
      e.define(block.getArgument(0), number);
    }
    takeArguments(e, block, 1, 1 + states, "state");
    takeArguments(e, block, 1 + states, 1 + states + sequences, "element");
    defineCaptures(e, block, 1 + states + sequences, op.getCaptures());
    e.block(block);
    if (counts)
      give(e, e.node("Add", {number, e.integer(op.getReverse() ? -1 : 1)}), i64);
    for (mlir::Value value : block.getTerminator()->getOperands())
      give(e, e.value(value), value.getType());
  });
  NodeAttributes attributes{{"body", std::move(body)}, {"num_scan_inputs", int64_t(sequences)}};
  const size_t stacks = op->getNumResults() - states;
  if (op.getReverse()) {
    attributes.push_back({"scan_input_directions", Numbers(sequences, 1)});
    if (stacks)
      attributes.push_back({"scan_output_directions", Numbers(stacks, 1)});
  }
  const size_t before = counts ? 1 : 0;
  const Names names = e.nodes("Scan", inputs, before + op->getNumResults(), std::move(attributes));
  for (size_t i = before; i < names.size(); ++i)
    e.define(op->getResult(unsigned(i - before)), names[i]);
}

// Steps that have nothing but their number.
void scanCounted(GraphExporter &e, ir::ScanOp op) {
  mlir::Block &block = op.getBody().front();
  const size_t states = op.getInits().size();
  const DimExpr length = op.getLength().getDims().front();
  const std::string count = e.sizeScalar(length);
  Names inputs{count, ""};
  for (const std::string &name : e.values(op.getInits()))
    inputs.push_back(name);
  onnx::GraphProto body = e.body([&] {
    std::string number = take(e, "step", scalarType(op, 64));
    const std::string goesOn = take(e, "goes_on", scalarType(op, 1));
    if (op.getReverse() && !block.getArgument(0).use_empty())
      number = e.node("Sub", {e.node("Sub", {count, e.integer(1)}), number});
    e.define(block.getArgument(0), number);
    takeArguments(e, block, 1, 1 + states, "state");
    defineCaptures(e, block, 1 + states, op.getCaptures());
    e.block(block);
    give(e, goesOn, scalarType(op, 1));
    for (mlir::Value value : block.getTerminator()->getOperands())
      give(e, e.value(value), value.getType());
  });
  const Names names = e.nodes("Loop", inputs, op->getNumResults(), {{"body", std::move(body)}});
  for (size_t i = 0; i < names.size(); ++i)
    e.define(op->getResult(unsigned(i)),
             i >= states && op.getReverse() ? e.reversed(names[i], {0}) : names[i]);
}

void scan(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::ScanOp>(op);
  of.getSequences().empty() ? scanCounted(e, of) : scanOver(e, of);
}

// The condition is the first state, the number of steps one more where somebody reads it.
void whileLoop(GraphExporter &e, mlir::Operation *at) {
  auto op = llvm::cast<ir::WhileOp>(at);
  mlir::Block &block = op.getBody().front();
  const size_t states = op.getInits().size();
  const mlir::Type i64 = scalarType(op, 64), i1 = scalarType(op, 1);
  const bool counts = op.getLength() || !op.getStepCount().use_empty(),
             givesCondition = !op->getResult(0).use_empty();
  const std::string first = e.value(op.getInits().front());
  Names inputs{"", first};
  if (const auto most = op.getAtMost())
    inputs.front() = e.sizeScalar(most->getDims().front());
  // Those that ONNX's loop has and ours has not come first.
  if (givesCondition)
    inputs.push_back(first);
  if (counts)
    inputs.push_back(e.integer(0));
  for (const std::string &name : e.values(op.getInits().drop_front()))
    inputs.push_back(name);
  onnx::GraphProto body = e.body([&] {
    const std::string number = take(e, "step", i64);
    const std::string goesOn = take(e, "goes_on", i1);
    if (givesCondition)
      take(e, "condition", i1);
    if (counts)
      take(e, "count", i64);
    e.define(block.getArgument(0), number);
    e.define(block.getArgument(1), goesOn);
    takeArguments(e, block, 2, 1 + states, "state");
    defineCaptures(e, block, 1 + states, op.getCaptures());
    e.block(block);
    const mlir::OperandRange made = block.getTerminator()->getOperands();
    give(e, e.value(made.front()), i1);
    if (givesCondition)
      give(e, e.value(made.front()), i1);
    if (counts)
      give(e, e.node("Add", {number, e.integer(1)}), i64);
    for (mlir::Value value : made.drop_front())
      give(e, e.value(value), value.getType());
  });
  const size_t more = size_t(givesCondition) + size_t(counts);
  const size_t stacks = op->getNumResults() - states - 1;
  const Names names =
      e.nodes("Loop", inputs, more + states - 1 + stacks, {{"body", std::move(body)}});
  if (givesCondition)
    e.define(op->getResult(0), names.front());
  for (size_t i = 1; i < states; ++i)
    e.define(op->getResult(unsigned(i)), names[more + i - 1]);
  if (!counts)
    return;
  const std::string &count = names[size_t(givesCondition)];
  e.define(op.getStepCount(), count);
  if (op.getLength())
    if (const DimExpr length = op.getLength()->getDims().front(); length.isSymbol())
      e.defineSymbol(length.symbolId(), e.unsqueeze(count, {0}), op.getBound());
  for (size_t i = 0; i < stacks; ++i)
    e.define(op->getResult(unsigned(states + 1 + i)), names[more + states - 1 + i]);
}

void sparseDot(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::SparseDotOp>(op);
  e.need(16, "ScatterND with reduction add");
  const mlir::Type type = ir::getElementType(of.getY());
  const ir::Shape shape = ir::getShape(of.getY());
  Numbers behind(shape.size() - 1);
  std::iota(behind.begin(), behind.end(), 1);
  const std::string rows =
      e.node("Gather", {e.value(of.getX()), e.indices(of.getColumns())}, {{"axis", int64_t(0)}});
  const std::string products = e.node("Mul", {e.unsqueeze(e.value(of.getValues()), behind), rows});
  e.define(of.getY(),
           e.node("ScatterND",
                  {e.zeros(shape, type), e.unsqueeze(e.indices(of.getRows()), {1}), products},
                  {{"reduction", std::string("add")}}));
}

// Of signals with a batch before them, which one has of its own, and the parts behind; what is
// inverse divides.
void fourier(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::FftOp>(op);
  e.need(17, "DFT");
  const ir::Shape shape = ir::getShape(of.getRe());
  const int64_t behind = int64_t(shape.size()) + 1;
  const std::string x = e.node("Concat",
                               {e.unsqueeze(e.value(of.getRe()), {0, behind}),
                                e.unsqueeze(e.value(of.getIm()), {0, behind})},
                               {{"axis", behind}});
  const NodeAttributes inverse{{"inverse", int64_t(of.getInverse())}};
  NodeAttributes along = inverse;
  along.push_back({"axis", behind - 1});
  const std::string y = e.opset < 20 ? e.node("DFT", {x}, along)
                                     : e.node("DFT", {x, "", e.integer(behind - 1)}, inverse);
  auto part = [&](int64_t place) {
    std::string made =
        e.squeeze(e.slice(y, e.vector({place}), e.vector({place + 1}), {behind}), {0, behind});
    if (of.getInverse()) {
      const std::string count = e.cast(e.sizeScalar(shape.back()), ir::getElementType(of.getRe()));
      made = e.node("Mul", {made, count});
    }
    return made;
  };
  e.define(of.getYRe(), part(0));
  e.define(of.getYIm(), part(1));
}

const ExportRecord controlExportRecords[] = {
    {"all_gather", nullptr, "ONNX has no ranks"},
    {"all_reduce", nullptr, "ONNX has no ranks"},
    {"all_to_all", nullptr, "ONNX has no ranks"},
    {"broadcast_from", nullptr, "ONNX has no ranks"},
    {"cholesky", nullptr, "ONNX has no factorizations of matrices"},
    {"ctc_beam_search", nullptr, "ONNX has no search for label sequences"},
    {"eigh", nullptr, "ONNX has no factorizations of matrices"},
    {"enter_rank", alias, "nothing: of one process"},
    {"fft", fourier, "Concat, DFT (opset 17), Slice"},
    {"if", conditional, "If"},
    {"leave_rank", alias, "nothing: of one process"},
    {"lu", nullptr, "ONNX has no factorizations of matrices"},
    {"permute", nullptr, "ONNX has no ranks"},
    {"print", alias, "nothing: it is not printed"},
    {"qr", nullptr, "ONNX has no factorizations of matrices"},
    {"random_bits", nullptr, "ONNX has no random numbers with given bits"},
    {"rank", nullptr, "ONNX has no ranks"},
    {"rank_count", nullptr, "ONNX has no ranks"},
    {"reduce_scatter", nullptr, "ONNX has no ranks"},
    {"require", alias, "nothing: what it requires is not checked"},
    {"scan", scan, "Scan; Loop without sequences"},
    {"sparse_dot", sparseDot, "Gather, Mul, ScatterND (opset 16)"},
    {"svd", nullptr, "ONNX has no factorizations of matrices"},
    {"triangular_solve", nullptr, "ONNX does not solve systems of equations"},
    {"while", whileLoop, "Loop"},
};

} // namespace

void keratin::frontend::onnx_models::alias(GraphExporter &e, mlir::Operation *op) {
  e.define(op->getResult(0), op->getOperand(0));
}

llvm::ArrayRef<ExportRecord> keratin::frontend::onnx_models::controlExports() {
  return controlExportRecords;
}
