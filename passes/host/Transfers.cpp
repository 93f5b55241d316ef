// What the host reads, writes and does itself goes through staged memory where the function works
// in the memory of a device.
#include "ir/dialect/GraphError.h"
#include "passes/host/ProgramBuilder.h"
#include "passes/memory/KernelProgram.h"

using namespace keratin;
using namespace mlir;
using ir::DimExpr;

namespace {

// Staged memory of one op of the host: pieces one behind the other, each aligned for any element.
class Staged {
public:
  Staged(OpBuilder &b, Operation *op) : b(b), op(op), loc(op->getLoc()) {}

  // A piece of so many bytes; where it lies in the memory.
  LogicalResult add(const DimExpr &bytes) {
    constexpr int64_t pieceAlignment = 64;
    starts.push_back(end);
    sizes.push_back(bytes);
    std::optional<DimExpr> units = ceildiv(bytes, pieceAlignment);
    std::optional<DimExpr> room = units ? mul(*units, pieceAlignment) : std::nullopt;
    std::optional<DimExpr> next = room ? ::keratin::ir::add(end, *room) : std::nullopt;
    if (!next)
      return ir::emitGraphError(op, ir::GraphError::TooLarge)
             << "the bytes that go to the host and back do not fit 64 bits";
    end = *next;
    return success();
  }
  // After the last piece.
  void allocate(const DimExpr &bytes) { base = b.create<host::StagingOp>(loc, attributeOf(bytes)); }
  void allocate() { allocate(end); }
  Value piece(size_t number) {
    return starts[number] == DimExpr(0)
               ? base
               : Value(b.create<host::AtOp>(loc, base, attributeOf(starts[number])));
  }
  void fetch(Value from, Value piece, size_t number, uint64_t stream) {
    b.create<host::FetchOp>(loc, from, piece, attributeOf(sizes[number]), stream);
  }
  void send(Value piece, Value to, size_t number, uint64_t stream) {
    b.create<host::SendOp>(loc, piece, to, attributeOf(sizes[number]), stream);
  }

private:
  ir::DimsAttr attributeOf(const DimExpr &size) {
    return ir::DimsAttr::get(b.getContext(), {size});
  }

  OpBuilder &b;
  Operation *op;
  Location loc;
  SmallVector<DimExpr> starts, sizes;
  DimExpr end = 0;
  Value base;
};

class TransferBuilder {
public:
  explicit TransferBuilder(func::FuncOp function)
      : b(function.getContext()), kernels(host::numberedOpsOf(function).kernels) {}

  LogicalResult run(host::ProgramOp program) {
    SmallVector<Operation *> ops;
    program.walk([&](Operation *op) {
      if (isa<host::ReadOp, host::WriteOp, host::CallOp>(op) && !host::isResident(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(stage(op)))
        return failure();
    return success();
  }

private:
  LogicalResult stage(Operation *op) {
    b.setInsertionPoint(op);
    if (auto read = dyn_cast<host::ReadOp>(op))
      return stageRead(read);
    if (auto write = dyn_cast<host::WriteOp>(op))
      return stageWrite(write);
    return stageCall(cast<host::CallOp>(op));
  }

  LogicalResult stageRead(host::ReadOp read) {
    Staged staged(b, read);
    (void)staged.add(read.getType().isInteger(64) ? 8 : 1);
    staged.allocate(8);
    Value piece = staged.piece(0);
    staged.fetch(read.getPlace(), piece, 0, onlyStream);
    read.getPlaceMutable().set(piece);
    return success();
  }

  LogicalResult stageWrite(host::WriteOp write) {
    Staged staged(b, write);
    (void)staged.add(8);
    staged.allocate(8);
    Value piece = staged.piece(0), to = write.getPlace();
    write.getPlaceMutable().set(piece);
    b.setInsertionPointAfter(write);
    staged.send(piece, to, 0, onlyStream);
    return success();
  }

  // Of its inputs all are fetched; of its outputs those are sent that something reads. If there is
  // no memory for them, the call has failed, and nothing is done.
  LogicalResult stageCall(host::CallOp call) {
    Location loc = call.getLoc();
    ir::KernelOp kernel = kernels[call.getKernel()];
    Staged staged(b, call);
    for (ValueRange values : {ValueRange(kernel.getInputs()), ValueRange(kernel.getOutputs())})
      for (Value value : values) {
        if (failed(staged.add(ir::byteCount(value).value_or(DimExpr(INT64_MAX)))))
          return failure();
      }
    staged.allocate();
    Value sound = b.create<host::SoundOp>(loc, b.getI1Type());
    auto branch = b.create<scf::IfOp>(loc, sound, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    uint64_t stream = call.getStream();
    SmallVector<Value> inputs, outputs;
    for (auto [number, place] : llvm::enumerate(call.getInputs())) {
      inputs.push_back(staged.piece(number));
      staged.fetch(place, inputs.back(), number, stream);
    }
    for (size_t number = 0; number < call.getOutputs().size(); ++number)
      outputs.push_back(staged.piece(inputs.size() + number));
    auto moved = cast<host::CallOp>(b.clone(*call));
    moved.getInputsMutable().assign(inputs);
    moved.getOutputsMutable().assign(outputs);
    for (auto [number, place] : llvm::enumerate(call.getOutputs()))
      if (!kernel->getResult(number).use_empty())
        staged.send(outputs[number], place, inputs.size() + number, stream);
    call.erase();
    return success();
  }

  // Reads and writes belong to no stream: all is launched on this one.
  static constexpr uint64_t onlyStream = 0;

  OpBuilder b;
  SmallVector<ir::KernelOp> kernels;
};

} // namespace

LogicalResult keratin::passes::addTransfers(func::FuncOp function, host::ProgramOp program) {
  return TransferBuilder(function).run(program);
}
