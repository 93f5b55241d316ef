#include "codegen/gpu/StartNvptx.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/llvm/Beginning.h"
#include "codegen/llvm/StartLlvm.h"

#include "llvm-c/Target.h"

using namespace keratin::codegen;

void keratin::codegen::startNvptx() {
  static constinit Beginning beginning([] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    const MachineTarget machine = cudaMachine();
    runCodeGenerator(machine.triple, machine.cpu, machine.features, llvm::CodeGenOptLevel::Default,
                     llvm::CodeGenFileType::AssemblyFile);
  });
  startLlvm();
  beginning.await();
}
