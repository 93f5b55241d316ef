#include "codegen/cpu/ConvolutionPacking.h"
#include "codegen/cpu/ContractionPacking.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

class LineCopier {
public:
  LineCopier(LoopEmitter &emit, const ContractionPlan &tile, Type from, Type to,
             const ConvolutionLine &line)
      : emit(emit), tile(tile), lanes(tile.lanes), from(from), to(to),
        number(numberType(emit, tile, to)), line(line), zero(emit.constant(0)) {}

  void copy() {
    // Where nothing lies between the positions, all of them are one run.
    Value dense = emit.equal(line.pixel, line.run);
    fill(line.to, line.lead, dense);
    Value tail = emit.add(line.lead, line.body);
    fill(at(line.to, tail), emit.sub(line.span, tail), dense);

    Value one = emit.constant(1);
    Value isRun = emit.equal(line.fromRun, one);
    Value target = at(line.to, line.lead);
    emit.branch(
        isRun,
        [&] {
          Value joined = emit.logicalAnd(dense, emit.equal(line.fromPixel, room()));
          Value runs = emit.select(joined, one, line.body);
          Value length = emit.select(joined, emit.mul(line.numbers, line.body), line.numbers);
          emit.loop(zero, runs, 1, [&](Value i) {
            Value source = emit.address(line.from, from, emit.mul(i, line.fromPixel));
            Value destination = at(target, i);
            vectors(length, tile.depthStep, [&](Value place, Value left) {
              const int64_t count = lanes * tile.depthStep;
              Value loaded =
                  loadElements(emit, tile, to, from, lanes, emit.address(source, from, place),
                               left ? emit.firstLanes(count, left) : Value());
              emit.store(loaded, emit.address(destination, number, place), maskOf(left));
            });
          });
        },
        [&] { collect(target); });
  }

private:
  Value at(Value base, Value position) {
    return emit.address(base, to, emit.mul(position, line.pixel));
  }

  // Numbers that the elements of a position have room for.
  Value room() { return emit.mul(line.run, tile.depthStep); }

  // Of the elements that so many numbers make.
  Value maskOf(Value left) {
    if (!left)
      return nullptr;
    return emit.firstLanes(lanes, emit.ceilDiv(left, emit.constant(tile.depthStep)));
  }

  // body(place, how many are left where they fill no vector), for vectors of elements of `each`.
  void vectors(Value length, int64_t each, llvm::function_ref<void(Value, Value)> body) {
    constexpr int64_t unroll = 4;
    const int64_t vector = lanes * each;
    Value most = emit.mul(emit.div(length, emit.constant(vector * unroll)), vector * unroll);
    Value whole = emit.mul(emit.div(length, emit.constant(vector)), vector);
    emit.loop(zero, most, vector * unroll, [&](Value i) {
      for (int64_t u = 0; u < unroll; ++u)
        body(emit.add(i, u * vector), nullptr);
    });
    emit.loop(most, whole, vector, [&](Value i) { body(i, nullptr); });
    emit.loop(whole, length, vector, [&](Value i) { body(i, emit.sub(length, i)); });
  }

  void fill(Value base, Value positions, Value dense) {
    Value nothing = emit.zero(VectorType::get(lanes, to));
    Value runs = emit.select(dense, emit.min(positions, emit.constant(1)), positions);
    Value length = emit.select(dense, emit.mul(positions, line.run), line.run);
    emit.loop(zero, runs, 1, [&](Value i) {
      Value destination = at(base, i);
      vectors(length, 1, [&](Value element, Value left) {
        emit.store(nothing, emit.address(destination, to, element),
                   left ? emit.firstLanes(lanes, left) : Value());
      });
    });
  }

  // Numbers far apart in x: blocks of positions by blocks of the run, so that the lines of the
  // cache that were read for one still hold its neighbours.
  void collect(Value target) {
    constexpr int64_t block = 16;
    Value most = emit.constant(block);
    emit.loop(zero, line.body, block, [&](Value firstPosition) {
      Value positions = emit.min(most, emit.sub(line.body, firstPosition));
      auto overPositions = [&](Value place, llvm::function_ref<Value(Value)> load) {
        Value destination = emit.address(target, number, place);
        emit.loop(zero, positions, 1, [&](Value i) {
          Value position = emit.add(firstPosition, i);
          emit.store(load(position), at(destination, position));
        });
      };
      emit.loop(zero, line.numbers, 1, [&](Value place) {
        Value source = emit.address(line.from, from, emit.mul(place, line.fromRun));
        overPositions(place, [&](Value position) {
          return loadNumber(emit, tile, to, from,
                            emit.address(source, from, emit.mul(position, line.fromPixel)));
        });
      });
      if (tile.isOfPairs())
        emit.loop(line.numbers, room(), 1, [&](Value place) {
          overPositions(place, [&](Value) { return emit.zero(number); });
        });
    });
  }

  LoopEmitter &emit;
  const ContractionPlan &tile;
  int64_t lanes;
  Type from, to, number;
  const ConvolutionLine &line;
  Value zero;
};

} // namespace

void keratin::codegen::emitConvolutionLine(LoopEmitter &emit, const ContractionPlan &tile,
                                           Type from, Type to, const ConvolutionLine &line) {
  std::string name = llvm::formatv("keratin_convolution_line_{0}_{1}_{2}{3}", from, to, tile.lanes,
                                   howPacked(tile));
  emit.callShared(name,
                  {line.to, line.pixel, line.lead, line.body, line.span, line.run, line.numbers,
                   line.from, line.fromPixel, line.fromRun},
                  [&](LoopEmitter &inner, ValueRange p) {
                    ConvolutionLine inside{p[0], p[1], p[2], p[3], p[4],
                                           p[5], p[6], p[7], p[8], p[9]};
                    LineCopier(inner, tile, from, to, inside).copy();
                  });
}

void keratin::codegen::emitConvolutionFilterRows(LoopEmitter &emit, const ContractionPlan &tile,
                                                 Type from, Type to,
                                                 const ConvolutionFilterRows &block) {
  Value width = emit.constant(tile.tileColumns());
  emit.loop(emit.constant(0), emit.ceilDiv(block.columns, width), 1, [&](Value panel) {
    Value n = emit.mul(panel, width);
    PackedColumns packed;
    packed.sourceType = from;
    packed.type = to;
    packed.source = emit.address(block.from, from, emit.mul(n, block.colStride));
    packed.rowStride = block.rowStride;
    packed.colStride = block.colStride;
    packed.packed = emit.address(block.to, to, emit.mul(panel, block.panelStride));
    packed.depth = block.rows;
    packed.panelDepth = emit.constant(0);
    packed.columnsHere = emit.min(width, emit.sub(block.columns, n));
    packed.firstPanel = emit.constant(0);
    emitPackColumns(emit, tile, packed);
  });
}
