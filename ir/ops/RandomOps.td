// Random numbers as a pure function of seed, counter and element index.
#ifndef KERATIN_RANDOM_OPS
#define KERATIN_RANDOM_OPS

include "ir/dialect/KeratinBase.td"

def Keratin_RandomBitsOp : Keratin_Op<"random_bits", [Pure]> {
  let summary = "32 random bits an element";
  let savedSince = 0;
  let isMadeByElement = 1;
  let kernel = "Random";
  let operations = "perElement(kPhiloxOperationsPerWord, op.getY())";
  let description = [{
    Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC
    2011) with the key (low, high half of `seed`). Element i (row-major) is word (i / 16) % 4 of
    the block with the counter (low, high half of (i / 64) * 16 + i % 16, low, high half of
    `draw`): so 16 lanes that compute a block each have 64 consecutive elements. With `line`, a
    scalar, element i is element 64 * line + i of that: a part of what other ranks compute as well
    (--keratin-shard). No gradient.
  }];
  let arguments = (ins TensorOf<[I64]>:$draw, Optional<TensorOf<[I64]>>:$line, I64Attr:$seed);
  let results = (outs TensorOf<[UI32]>:$y);
  let builders = [OpBuilder<(ins "::mlir::Type":$y, "::mlir::Value":$draw, "uint64_t":$seed), [{
    build($_builder, $_state, y, draw, ::mlir::Value(), seed);
  }]>];
  let hasVerifier = 1;
  let isDifferentiable = 0;
}

#endif // KERATIN_RANDOM_OPS
