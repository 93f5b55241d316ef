// What functions are compiled for. A target knows the limits that passes must keep and turns a
// planned function with its host program into code: its kernels for what runs them, its entry
// function for the processor of the host. Targets are known by name; a new one is registered and
// named nowhere else.
#ifndef KERATIN_CODEGEN_TARGET_H
#define KERATIN_CODEGEN_TARGET_H

#include "codegen/Float32Products.h"
#include "codegen/TargetLimits.h"
#include "codegen/llvm/LlvmTarget.h"
#include "codegen/lowering/EntryFunction.h"

#include <array>

namespace keratin::codegen {

// What a user may say of a target.
struct TargetChoice {
  std::string name = "cpu"; // or "cuda:sm_80,sm_90": with architectures of its devices
  // Of the host; "": ours. Another one than ours only for code that is taken elsewhere.
  std::string triple;
  std::string cpu = "native"; // as --mcpu
  // For code that is taken elsewhere: see portableMachine().
  bool isPortable = false;
  // What stands in the name behind its colon; makers find it here.
  std::string architectures;
  Float32Products float32Products = Float32Products::Float32;
  // Of the device that will run the code, where it is known: what helps it is added if it can be.
  std::string deviceArchitecture;
};

class Target {
public:
  virtual ~Target() = default;

  virtual llvm::StringRef name() const = 0;
  virtual TargetLimits limits() const = 0;
  // The processor that runs the host program.
  virtual const LlvmTarget &host() const = 0;
  // Of the host's processor, for code that is taken elsewhere: bit i is number i of
  // runtime/abi/keratin_cpu_features.h.
  virtual std::array<uint64_t, 2> requiredFeatures() const = 0;

  // What was asked for and cannot be had here, though the code will run; "" if there is nothing.
  virtual std::string warning() const { return ""; }

  // Columns of the panels into which calls would pack the weights of a kernel, a contraction or a
  // convolution (ir/interfaces/WeightPanels.h); 0: they would not.
  virtual int64_t panelColumns(ir::KernelOp) const { return 0; }

  // As lowerFunction(): what the host runs goes into the module, all else into the description.
  virtual mlir::LogicalResult lower(mlir::func::FuncOp function, host::ProgramOp program,
                                    mlir::ModuleOp into, llvm::StringRef name,
                                    EntryDescription &description) const = 0;
};

// Null with a message if the machine is not known. The choice names architectures only of targets
// that have some.
using TargetMaker = std::unique_ptr<Target> (*)(const TargetChoice &choice, std::string *error);

// Makes a target known under its name. To be called before any other thread compiles.
void registerTarget(llvm::StringRef name, TargetMaker maker, bool hasArchitectures = false);
// Null with a message, which lists the known targets if there is none of this name. A message about
// something that is not there yet begins with "not implemented".
std::unique_ptr<Target> makeTarget(const TargetChoice &choice, std::string *error);
// What --target says: the name of a target, or the triple of a CPU.
TargetChoice targetChoice(const std::string &text);
// The target's own name in that of a device it makes code for, or of itself with architectures:
// "cuda" for "cuda:1" and for "cuda:sm_80".
llvm::StringRef targetFamily(llvm::StringRef name);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_TARGET_H
