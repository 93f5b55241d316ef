// How much work is put into machine code.
#ifndef KERATIN_CODEGEN_EFFORT_H
#define KERATIN_CODEGEN_EFFORT_H

namespace keratin::codegen {

enum class Effort {
  Full,
  // For what runs few times on little: LLVM's level without optimisation makes the code of a
  // function in a third of the time, and it takes up to seven times as long, though it does the
  // same. What functions have in common (kSharedFunctionAttr) is made with full effort.
  Quick,
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_EFFORT_H
