// What LLVM makes machine code for, CPU or not.
#ifndef KERATIN_CODEGEN_LLVM_LLVMTARGET_H
#define KERATIN_CODEGEN_LLVM_LLVMTARGET_H

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class TargetMachine;
}

namespace keratin::codegen {

struct LlvmTarget {
  std::string triple;
  std::string cpu;      // as -mcpu names it
  std::string features; // as -mattr names them
  std::string tune;     // cpu whose timing instructions are chosen for; "": `cpu`
  // What each function says of itself besides, as LLVM's attributes.
  std::vector<std::pair<std::string, std::string>> functionAttributes;
  // Passes of LLVM's code generator, by their arguments, that cost more than they do for the code
  // that this target gets.
  std::vector<std::string> unwantedPasses;
};

// Null, with a message, if LLVM does not know the target.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const LlvmTarget &target,
                                                         std::string *error);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_LLVMTARGET_H
