// The functions that a freestanding model exports, around the entry functions of its code, and its
// constants: what the runtime does in a call, as far as it is left.
#ifndef KERATIN_COMPILER_FREESTANDING_CALLCODE_H
#define KERATIN_COMPILER_FREESTANDING_CALLCODE_H

#include "codegen/llvm/LlvmTarget.h"
#include "compiler/freestanding/ModelLayout.h"

namespace llvm {
class Module;
}

namespace keratin::compiler {

// What a call returns beside 0, success, and the number of a message.
inline constexpr int32_t kMisaligned = -1;

// Adds them to a module with the code of all functions, where everything else is internal from then
// on, and what nobody calls is gone. Exported, behind the model's name and _:
//  - F([state,] inputs…, outputs…, workspace), which returns 0, kMisaligned, or 1 and more of a
//    site that failed;
//  - F_message(result);
//  - state_init(state), if there is a state.
void addCalls(llvm::Module &module, const std::string &model, const ir::SavedGraph &graph,
              const std::vector<FreestandingFunction> &functions, const ModelLayout &layout,
              const codegen::LlvmTarget &target);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_FREESTANDING_CALLCODE_H
