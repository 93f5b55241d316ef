#include "codegen/gpu/DeviceForms.h"

using namespace keratin::codegen;
using namespace mlir;

void DeviceForms::add(StringRef name, const DevicePlan &plan, const KernelFunction &function) {
  forms[name.str()] = {plan.shape(), plan.kernel, function.arguments, function.units};
}

void DeviceForms::add(StringRef name, LaunchShape shape) { forms[name.str()] = {shape}; }

bool DeviceForms::Form::isCalledAs(const KernelFunction &other) const {
  auto isSame = [](const KernelArgument &a, const KernelArgument &b) {
    return a.kind == b.kind && a.index == b.index && a.size == b.size && a.message == b.message &&
           a.status == b.status && a.number == b.number;
  };
  return units == other.units && llvm::equal(arguments, other.arguments, isSame);
}

FailureOr<OwningOpRef<ModuleOp>>
DeviceForms::onDevice(const DeviceTraits &device, ModuleOp module,
                      llvm::MutableArrayRef<PtxKernel> kernels) const {
  OwningOpRef<ModuleOp> copy = module.clone();
  bool isOther = false;
  for (PtxKernel &launched : kernels) {
    const Form &form = forms.at(launched.name);
    // One that takes numbers besides stands for many that differ in them (KernelLibrary).
    if (!form.kernel || launched.shape.slots != int64_t(form.arguments.size()))
      continue;
    DevicePlanPtr plan = planDeviceKernel(form.kernel, device);
    if (!plan)
      return failure();
    if (!plan->isOfDevice)
      continue;
    Operation *usual = copy->lookupSymbol(launched.name);
    OpBuilder builder = OpBuilder::atBlockEnd(copy->getBody());
    KernelFunction made = plan->lower(builder, launched.name, device.machine);
    if (!form.isCalledAs(made)) {
      made.function.erase();
      continue;
    }
    usual->erase();
    int64_t slots = launched.shape.slots;
    launched.shape = plan->shape();
    launched.shape.slots = slots;
    launched.bounds = KernelBounds::of(made.function);
    isOther = true;
  }
  return isOther ? std::move(copy) : OwningOpRef<ModuleOp>();
}
