#include "codegen/gpu/moves/SharedRandomBits.h"

#include "codegen/elements/LoopEmitter.h"
#include "codegen/elements/RandomBits.h"
#include "codegen/gpu/threads/Shuffle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::IterationSpace;

bool keratin::codegen::isInPlace(ir::RandomBitsOp op, const IterationSpace &space) {
  if (op.getLine() || space.domains.lookup(op.getY()) != ir::Domain::Full)
    return false;
  SmallVector<Value> open{op.getY()};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (isa<ir::ElementwiseOpInterface>(user))
        open.push_back(user->getResult(0));
      else if (!isa<ir::ReductionOpInterface>(user) && !user->hasTrait<OpTrait::IsTerminator>())
        return false;
    }
  return true;
}

// Lines of other lengths would begin anywhere in a group of blocks.
static bool hasWholeLines(ir::RandomBitsOp op) {
  ir::Shape shape = ir::squeezed(ir::getShape(op.getY()));
  return !shape.empty() && shape.back().isConstant() &&
         shape.back().constantValue() % RandomNest::groupElements == 0;
}

SharedRandomBits::SharedRandomBits(ir::KernelOp kernel, unsigned lanes, int64_t neighbours)
    : lanes(lanes) {
  // Words of a block that are in one line.
  while (partners < RandomNest::words &&
         neighbours * lanes % (2 * partners * RandomNest::groupBlocks) == 0)
    partners *= 2;
  auto found = kernel.getBody().front().getOps<ir::RandomBitsOp>();
  if (found.empty() || partners == 1 || lanes % partners != 0)
    return;
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(kernel);
  for (ir::RandomBitsOp op : found)
    if (space && hasWholeLines(op) && isInPlace(op, *space))
      ops.push_back(op);
}

void SharedRandomBits::print(llvm::raw_ostream &out) const {
  if (!ops.empty())
    out << "; random bits by " << partners << " threads together";
}

namespace {

// By the code that the builder stands in.
class Exchange {
public:
  Exchange(DeviceKernelBuilder &k, unsigned lanes, unsigned partners)
      : b(k.b), loc(k.loc), target(k.target), e(b, loc, target), lanes(lanes), partners(partners),
        warp(b, loc, unsigned(partners * RandomNest::groupBlocks / lanes)), self(warp.lane()) {}

  Value emit(ir::RandomBitsOp op, Value draw, Value first);

private:
  using Values = SmallVector<Value>;

  Values ofLine(const PhiloxWords &words, Value ownWord);
  void swap(MutableArrayRef<Value> words, unsigned bit, Value ownWord);

  Value bits(Value value, unsigned shift, int64_t mask) {
    Value shifted = b.create<arith::ShRUIOp>(loc, value, e.constant(shift));
    return b.create<arith::AndIOp>(loc, shifted, e.constant(mask));
  }

  OpBuilder &b;
  Location loc;
  const ElementTarget &target;
  LoopEmitter e;
  unsigned lanes, partners;
  Warp warp;
  Value self;
};

} // namespace

// Those of a block that the partners have: all, or the first or second two.
Exchange::Values Exchange::ofLine(const PhiloxWords &words, Value ownWord) {
  Values own(words.begin(), words.begin() + partners);
  if (partners == words.size())
    return own;
  Value isSecond = e.equal(bits(ownWord, llvm::Log2_32(partners), 1), e.constant(1));
  for (auto [i, word] : llvm::enumerate(own))
    word = e.select(isSecond, words[partners + i], word);
  return own;
}

// With the thread whose own word has another number in this bit. Words whose number is the other's
// in it go there, and words of its blocks take their place: from here on the bit of a word's place
// is that of its block.
void Exchange::swap(MutableArrayRef<Value> words, unsigned bit, Value ownWord) {
  const unsigned step = 1u << bit;
  Value distance = e.constant(int64_t(step) * (RandomNest::groupBlocks / lanes));
  Value other = b.create<arith::XOrIOp>(loc, self, distance);
  Value isUpper = e.equal(bits(ownWord, bit, 1), e.constant(1));
  for (unsigned low = 0; low < words.size(); ++low) {
    if (low & step)
      continue;
    Value &x = words[low], &y = words[low | step];
    Value got = warp.from(e.select(isUpper, x, y), other);
    x = e.select(isUpper, got, x);
    y = e.select(isUpper, y, got);
  }
}

// Of a vector whose elements are word `ownWord` of neighbouring blocks, from number `block` on.
Value Exchange::emit(ir::RandomBitsOp op, Value draw, Value first) {
  constexpr unsigned blockBits = llvm::CTLog2<RandomNest::groupBlocks>(),
                     wordBits = llvm::CTLog2<RandomNest::words>();
  Value ownWord = bits(first, blockBits, RandomNest::words - 1);
  Value block = e.add(e.mul(bits(first, blockBits + wordBits, -1), RandomNest::groupBlocks),
                      bits(first, 0, RandomNest::groupBlocks - 1));
  Value ownBlock = e.add(block, bits(ownWord, 0, partners - 1));
  Value vector = e.zero(VectorType::get(lanes, b.getI32Type()));
  for (unsigned lane = 0; lane < lanes; lane += partners) {
    Value made = e.add(ownBlock, lane);
    Values words = ofLine(philoxWords(b, loc, target, op.getSeed(), draw,
                                      halfOf(b, loc, made, false), halfOf(b, loc, made, true)),
                          ownWord);
    for (unsigned bit = 0; 1u << bit < partners; ++bit)
      swap(words, bit, ownWord);
    for (auto [i, word] : llvm::enumerate(words))
      vector = b.create<vector::InsertOp>(loc, word, vector, ArrayRef<int64_t>{int64_t(lane + i)});
  }
  return vector;
}

void SharedRandomBits::use(DeviceKernelBuilder &k) const {
  if (ops.empty())
    return;
  k.randomBits = [&k, *this](ir::RandomBitsOp op, Value draw, Value first, unsigned count) {
    bool suits = count == lanes && llvm::is_contained(ops, op);
    return suits ? Exchange(k, lanes, partners).emit(op, draw, first) : Value();
  };
}
