#include "codegen/cpu/SumsOfVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace keratin::codegen;

Value keratin::codegen::plus(LoopEmitter &emit, Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x)))
    return emit.builder.create<arith::AddFOp>(emit.loc, x, y);
  return emit.builder.create<arith::AddIOp>(emit.loc, x, y);
}

namespace {

// Two vectors become one of half as many terms for each sum, as often as there are vectors. A
// lane's number has the bits of its term above those of its sum. Each step adds the lanes of both
// halves of the terms, and what tells the two vectors apart takes the bit that is free: shuffles
// that machines have, within pieces of 128 bits first, then of whole pieces.
class Folding {
public:
  Folding(LoopEmitter &emit, VectorType type) : emit(emit), lanes(type.getNumElements()) {
    const int64_t inPiece = 128 / type.getElementType().getIntOrFloatBitWidth();
    piece = std::clamp<int64_t>(inPiece, 1, lanes);
    bitsInPiece = llvm::Log2_64(piece);
  }

  Value fold(unsigned step, Value first, Value second) const {
    return plus(emit, shuffled(step, first, second, 0), shuffled(step, first, second, 1));
  }

  // Adds what is left of the terms, behind so many steps.
  Value finish(unsigned step, Value vector) const {
    // Where steps have put pieces apart, the rest of the steps bring the sums together.
    if (step > bitsInPiece) {
      for (; step < llvm::Log2_64(lanes); ++step)
        vector = fold(step, vector, vector);
      return vector;
    }
    for (int64_t half = lanes / 2; half >= int64_t(1) << step; half /= 2) {
      SmallVector<int64_t> upper;
      for (int64_t lane = 0; lane < lanes; ++lane)
        upper.push_back((lane + half) % lanes);
      Value moved = emit.builder.create<vector::ShuffleOp>(emit.loc, vector, vector, upper);
      vector = plus(emit, vector, moved);
    }
    return vector;
  }

private:
  // The lanes whose highest bit of the term is `bit`.
  Value shuffled(unsigned step, Value first, Value second, int64_t bit) const {
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < lanes; ++lane)
      from.push_back(step < bitsInPiece ? inPiece(step, lane, bit) : ofPieces(step, lane, bit));
    return emit.builder.create<vector::ShuffleOp>(emit.loc, first, second, from);
  }

  // In a piece: the other bits of the term, the vector, the bits of the sum.
  int64_t inPiece(unsigned step, int64_t lane, int64_t bit) const {
    const int64_t at = lane % piece, sum = at % (int64_t(1) << step);
    const int64_t vector = at >> step & 1, term = at >> (step + 1);
    return vector * lanes + (lane - at) + (bit * piece / 2) + (term << step) + sum;
  }

  // Of pieces: the vector, the bits of the sum but for those within pieces, the other bits of the
  // term; at last the vector and the sum.
  int64_t ofPieces(unsigned step, int64_t lane, int64_t bit) const {
    const int64_t pieces = lanes / piece, at = lane / piece;
    const unsigned before = step - bitsInPiece;
    const int64_t vector = at / (pieces / 2), rest = at % (pieces / 2);
    // Bits of the sum stand at the top of a source's piece, those of the term below.
    const unsigned terms = llvm::Log2_64(pieces) - before;
    const int64_t term = rest % (int64_t(1) << (terms - 1)), sum = rest >> (terms - 1);
    const int64_t source = (sum << terms) + (bit << (terms - 1)) + term;
    return vector * lanes + source * piece + lane % piece;
  }

  LoopEmitter &emit;
  const int64_t lanes;
  int64_t piece;
  unsigned bitsInPiece;
};

} // namespace

Value keratin::codegen::emitSumsOfVectors(LoopEmitter &emit, int64_t count,
                                          llvm::function_ref<Value(int64_t)> vectorAt) {
  // Depth first: of each step no more than one vector waits for another.
  SmallVector<std::pair<unsigned, Value>> waiting;
  std::optional<Folding> folding;
  for (int64_t i = 0; i < count; ++i) {
    unsigned step = 0;
    Value vector = vectorAt(i);
    if (!folding)
      folding.emplace(emit, cast<VectorType>(vector.getType()));
    for (; !waiting.empty() && waiting.back().first == step; ++step)
      vector = folding->fold(step, waiting.pop_back_val().second, vector);
    waiting.push_back({step, vector});
  }
  auto [step, vector] = waiting.back();
  return folding->finish(step, vector);
}
