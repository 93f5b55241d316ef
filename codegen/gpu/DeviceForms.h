// What the kernels of a function became, so that some can become something else where a device has
// more.
#ifndef KERATIN_CODEGEN_GPU_DEVICEFORMS_H
#define KERATIN_CODEGEN_GPU_DEVICEFORMS_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/ptx/PtxModule.h"

#include <map>

namespace keratin::codegen {

class DeviceForms {
public:
  // The function of this name in the module of kernels. Of several of a name the last stays.
  void add(llvm::StringRef name, const DevicePlan &plan, const KernelFunction &function);
  // A loop, which has one form.
  void add(llvm::StringRef name, LaunchShape shape);

  LaunchShape shapeOf(const std::string &name) const { return forms.at(name).shape; }

  // A copy of the module, whose functions are not yet lowered, in which kernels are what they are
  // on this device; `kernels`, which it launches, are told of it. They are called as before: what
  // would have other units or slots stays. Null where all do. Fails with a diagnostic.
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
  onDevice(const DeviceTraits &device, mlir::ModuleOp module,
           llvm::MutableArrayRef<PtxKernel> kernels) const;

private:
  struct Form {
    LaunchShape shape;
    ir::KernelOp kernel = {}; // null: none
    std::vector<KernelArgument> arguments = {};
    ir::DimExpr units = 1;

    bool isCalledAs(const KernelFunction &other) const;
  };
  std::map<std::string, Form> forms;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_DEVICEFORMS_H
