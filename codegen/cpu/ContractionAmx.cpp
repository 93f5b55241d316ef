#include "codegen/cpu/ContractionAmx.h"

#include "codegen/cpu/ContractionPairs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

using Pairs = ContractionPanel::Pairs;
using Values = LoopEmitter::Values;

constexpr int64_t kTileBytes = 64;

void call(LoopEmitter &emit, StringRef name, ValueRange arguments) {
  emit.builder.create<LLVM::CallIntrinsicOp>(
      emit.loc, Type(), emit.builder.getStringAttr("llvm.x86." + name), arguments);
}

// Which of the eight tiles.
Value tileNumber(LoopEmitter &emit, int64_t number) {
  return emit.builder.create<LLVM::ConstantOp>(emit.loc, emit.builder.getI8Type(),
                                               emit.builder.getI8IntegerAttr(number));
}

StringRef productOf(const ContractionPlan &plan) {
  if (!plan.isOfIntegers)
    return "tdpbf16ps";
  return plan.isSignedA ? (plan.isSignedB ? "tdpbssd" : "tdpbsud")
                        : (plan.isSignedB ? "tdpbusd" : "tdpbuud");
}

// Two tiles of rows at most, times as many of columns.
class AmxTile {
public:
  AmxTile(LoopEmitter &emit, const ContractionPlan &plan, const ContractionPanel &panel,
          int64_t rowTiles)
      : emit(emit), panel(panel), rowTiles(rowTiles), columnTiles(plan.tileColumns() / kAmxLanes),
        product(productOf(plan)), i32(emit.builder.getI32Type()) {}

  void run(Value a, Value sums) {
    const int64_t width = columnTiles * kAmxLanes;
    Value rowBytes = emit.constant(width * 4);
    auto place = [&](int64_t row, int64_t column) {
      return emit.address(sums, i32, (row * kAmxRows * width) + column * kAmxLanes);
    };
    auto forSums = [&](llvm::function_ref<void(int64_t, int64_t)> body) {
      for (int64_t row = 0; row < rowTiles; ++row)
        for (int64_t column = 0; column < columnTiles; ++column)
          body(row, column);
    };
    emit.branch(
        panel.first,
        [&] {
          forSums([&](int64_t row, int64_t column) { call(emit, "tilezero", sum(row, column)); });
        },
        [&] {
          forSums([&](int64_t row, int64_t column) {
            call(emit, "tileloadd64", {sum(row, column), place(row, column), rowBytes});
          });
        });
    Value bBytes = emit.mul(panel.bDepthStride, 4), aBytes = emit.mul(panel.rowStride, 4);
    emit.loop(emit.constant(0), panel.depth, kAmxLanes, {a, panel.b}, [&](Value, ValueRange from) {
      for (int64_t row = 0; row < rowTiles; ++row) {
        Value rows = emit.address(from[0], i32, emit.mul(panel.rowStride, row * kAmxRows));
        // Read once, where B's panel has to stay in the first-level cache for the next rows.
        call(emit, "tileloaddt164", {ofA(row), rows, aBytes});
        for (int64_t column = 0; column < columnTiles; ++column) {
          if (row == 0)
            call(emit, "tileloadd64",
                 {ofB(column), emit.address(from[1], i32, column * kAmxLanes), bBytes});
          call(emit, product, {sum(row, column), ofA(row), ofB(column)});
        }
      }
      return Values{emit.address(from[0], i32, kAmxLanes),
                    emit.address(from[1], i32, emit.mul(panel.bDepthStride, kAmxRows))};
    });
    forSums([&](int64_t row, int64_t column) {
      call(emit, "tilestored64", {sum(row, column), place(row, column), rowBytes});
    });
  }

private:
  Value sum(int64_t row, int64_t column) { return tileNumber(emit, row * 2 + column); }
  Value ofA(int64_t row) { return tileNumber(emit, 4 + row); }
  Value ofB(int64_t column) { return tileNumber(emit, 6 + column); }

  LoopEmitter &emit;
  const ContractionPanel &panel;
  int64_t rowTiles, columnTiles;
  StringRef product;
  Type i32;
};

// Rows that are left fill one tile or two.
void emitAtOnce(LoopEmitter &emit, const ContractionPlan &plan, const ContractionPanel &panel) {
  Type i32 = emit.builder.getI32Type();
  const int64_t width = plan.tileColumns();
  Value two = emit.constant(2 * kAmxRows);
  Value wholes = emit.div(emit.add(panel.rows, kAmxRows - 1), two);
  Values end =
      emit.loop(emit.constant(0), wholes, 1, {panel.a, panel.sums}, [&](Value, ValueRange at) {
        AmxTile(emit, plan, panel, 2).run(at[0], at[1]);
        return Values{emit.address(at[0], i32, panel.tileStride),
                      emit.address(at[1], i32, 2 * kAmxRows * width)};
      });
  emit.branch(emit.less(emit.mul(wholes, two), panel.rows),
              [&] { AmxTile(emit, plan, panel, 1).run(end[0], end[1]); });
}

// The same order of sums, in registers of vectors: of some rows the sums of the first numbers, of
// the second numbers, and what they are added to.
void emitApart(LoopEmitter &emit, const ContractionPlan &plan, const ContractionPanel &panel) {
  constexpr int64_t rowsAtOnce = 4;
  Type i32 = emit.builder.getI32Type(), f32 = emit.builder.getF32Type();
  auto vector = VectorType::get(plan.lanes, f32);
  const int64_t width = plan.tileColumns(), count = rowsAtOnce * plan.tileVectors;
  emit.loop(emit.constant(0), panel.rows, rowsAtOnce, [&](Value firstRow) {
    Value a = emit.address(panel.a, i32, emit.mul(firstRow, panel.rowStride));
    Value sums = emit.address(panel.sums, f32, emit.mul(firstRow, width));
    auto place = [&](int64_t i) {
      return emit.address(sums, f32,
                          i / plan.tileVectors * width + i % plan.tileVectors * plan.lanes);
    };
    SmallVector<Type> types(count, vector);
    Values before = emit.choose(
        panel.first, types, [&] { return Values(count, emit.zero(vector)); },
        [&] {
          Values partial;
          for (int64_t i = 0; i < count; ++i)
            partial.push_back(emit.load(vector, place(i)));
          return partial;
        });
    auto products = [&](Value k, Value half, ValueRange before) {
      Values next(before);
      Values columns;
      Value b = emit.address(panel.b, i32, emit.mul(k, panel.bDepthStride));
      for (int64_t v = 0; v < plan.tileVectors; ++v)
        columns.push_back(
            emitLanesOfPairs(emit, plan.lanes, emit.address(b, i32, v * plan.lanes), half));
      for (int64_t row = 0; row < rowsAtOnce; ++row) {
        Value at = emit.address(a, i32, emit.add(emit.mul(panel.rowStride, row), k));
        Value factor = emitSplatOfPairs(emit, plan.lanes, at, half);
        for (int64_t v = 0; v < plan.tileVectors; ++v) {
          Value &sum = next[row * plan.tileVectors + v];
          sum = emit.multiplyAdd(factor, columns[v], sum);
        }
      }
      return next;
    };
    Values after =
        emit.loop(emit.constant(0), panel.depth, kAmxRows, before, [&](Value k0, ValueRange sums) {
          Values zeros(count, emit.zero(vector));
          auto ofHalf = [&](int64_t half) {
            return emit.loop(k0, emit.add(k0, kAmxRows), 1, zeros, [&](Value k, ValueRange sums) {
              return products(k, emit.constant(half), sums);
            });
          };
          Values first = ofHalf(1), second = ofHalf(0), next;
          for (int64_t i = 0; i < count; ++i) {
            Value both = emit.builder.create<arith::AddFOp>(emit.loc, first[i], second[i]);
            next.push_back(emit.builder.create<arith::AddFOp>(emit.loc, sums[i], both));
          }
          return next;
        });
    for (int64_t i = 0; i < count; ++i)
      emit.store(after[i], place(i));
  });
}

} // namespace

void keratin::codegen::emitBeginAmx(LoopEmitter &emit) {
  emit.callShared("keratin_begin_amx", {}, [&](LoopEmitter &inner, ValueRange) {
    OpBuilder &b = inner.builder;
    // Palette 1, and of each tile the bytes of a row (16 bits) and the rows (8 bits).
    SmallVector<int8_t> shapes(64, 0);
    shapes[0] = 1;
    for (int64_t tile = 0; tile < 8; ++tile) {
      shapes[16 + 2 * tile] = kTileBytes;
      shapes[48 + tile] = kAmxRows;
    }
    auto type = VectorType::get(64, b.getI8Type());
    Value one = b.create<LLVM::ConstantOp>(inner.loc, b.getI64Type(), b.getI64IntegerAttr(1));
    Value memory = b.create<LLVM::AllocaOp>(inner.loc, LLVM::LLVMPointerType::get(b.getContext()),
                                            type, one, /*alignment=*/64);
    inner.store(
        b.create<arith::ConstantOp>(inner.loc, DenseElementsAttr::get(type, ArrayRef(shapes))),
        memory);
    call(inner, "ldtilecfg", memory);
  });
}

void keratin::codegen::emitEndAmx(LoopEmitter &emit) { call(emit, "tilerelease", {}); }

void keratin::codegen::emitAmxPanel(LoopEmitter &emit, const ContractionPlan &plan,
                                    const ContractionPanel &panel) {
  const bool isAtOnce = panel.pairs == Pairs::AtOnce;
  std::string name = llvm::formatv("keratin_panel_amx{0}_{1}_{2}", isAtOnce ? "" : "_apart",
                                   productOf(plan), plan.tileVectors);
  SmallVector<Value> arguments{panel.a,    panel.tileStride,   panel.rowStride,
                               panel.b,    panel.bDepthStride, panel.depth,
                               panel.rows, panel.sums,         panel.first};
  emit.callShared(name, arguments, [&](LoopEmitter &inner, ValueRange p) {
    ContractionPanel job;
    job.a = p[0];
    job.tileStride = p[1];
    job.rowStride = p[2];
    job.b = p[3];
    job.bDepthStride = p[4];
    job.depth = p[5];
    job.rows = p[6];
    job.sums = p[7];
    job.first = p[8];
    if (isAtOnce)
      emitAtOnce(inner, plan, job);
    else
      emitApart(inner, plan, job);
  });
}
