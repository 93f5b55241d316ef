// What decides how arithmetic on elements is written.
#ifndef KERATIN_CODEGEN_ELEMENTS_ELEMENTTARGET_H
#define KERATIN_CODEGEN_ELEMENTS_ELEMENTTARGET_H

namespace keratin::codegen {

// All but the last say that the machine has an instruction for a step of the formulas, which follow
// from these alone: machines for which they agree have the same arithmetic.
struct ElementTarget {
  bool hasFma = false;
  // Instructions that round floats to integers (SSE4.1) and that convert f16 (F16C).
  bool hasRoundInstruction = false;
  bool hasF16c = false;
  // Instructions of AVX-512 with all its vector lengths; of vectors that fill its registers only.
  bool hasAvx512 = false;
  // Math functions are called, as functions that all kernels share, and not written out in each.
  bool callsMath = false;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_ELEMENTTARGET_H
