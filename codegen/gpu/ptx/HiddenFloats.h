// Float arithmetic as calls that LLVM's passes know nothing of.
#ifndef KERATIN_CODEGEN_GPU_PTX_HIDDENFLOATS_H
#define KERATIN_CODEGEN_GPU_PTX_HIDDENFLOATS_H

#include <memory>
#include <vector>

namespace llvm {
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace keratin::codegen {

// Passes that simplify addresses, loops and branches simplify floats too, by rules of which some
// are wrong: InstCombine of LLVM 19 makes the maximum of |x| and 0 a comparison of x. Between
// construction and show(), each instruction that computes with floats, compares them, or makes
// floats of other things or other things of floats, is a call of a function without a body. Of that
// passes know that it depends on its operands alone: equal ones may be merged, unused ones erased,
// and all moved, but none becomes another. Choices, loads and stores stay as they are.
class HiddenFloats {
public:
  explicit HiddenFloats(llvm::Module &module);
  ~HiddenFloats();
  // Puts instructions in the place of the calls. Once.
  void show();

private:
  struct Hidden;
  Hidden &functionFor(llvm::Instruction &instruction);

  llvm::Module &module;
  std::vector<Hidden> all;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_HIDDENFLOATS_H
