// What decides how arithmetic on elements is written.
#ifndef KERATIN_CODEGEN_ELEMENTS_ELEMENTTARGET_H
#define KERATIN_CODEGEN_ELEMENTS_ELEMENTTARGET_H

namespace keratin::codegen {

class ExponentInstructions;

// All but the last say that the machine has an instruction for a step of the formulas, which follow
// from these alone: machines for which they agree have the same arithmetic.
struct ElementTarget {
  bool hasFma = false;
  // Instructions that round floats to integers (SSE4.1) and that convert f16 (F16C).
  bool hasRoundInstruction = false;
  bool hasF16c = false;
  // Instructions for the exponents of floats; null for none.
  const ExponentInstructions *exponents = nullptr;
  // Math functions are called, as functions that all kernels share, and not written out in each.
  bool callsMath = false;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_ELEMENTTARGET_H
