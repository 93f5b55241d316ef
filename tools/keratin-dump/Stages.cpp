#include "tools/keratin-dump/Stages.h"

#include "compiler/artifact/Names.h"
#include "compiler/driver/FunctionCompiler.h"
#include "compiler/driver/ModelCompiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace keratin;
using namespace keratin::dump;

static absl::StatusOr<std::shared_ptr<const codegen::Target>>
targetOf(const compiler::CompileOptions &options) {
  std::string error;
  std::shared_ptr<const codegen::Target> target =
      codegen::makeTarget(compiler::portableChoice(options.target, options.cpu, options), &error);
  if (!target)
    return absl::InvalidArgumentError(error);
  return target;
}

absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
keratin::dump::moduleAt(mlir::ModuleOp module, Stage stage,
                        const compiler::CompileOptions &options) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  if (stage == Stage::Input)
    return copy;
  auto target = targetOf(options);
  if (!target.ok())
    return target.status();
  compiler::FunctionCompiler compiler(*copy, *target, options);
  if (absl::Status status = compiler.plan(compiler::phaseOf(stage)); !status.ok())
    return status;
  return copy;
}

absl::StatusOr<std::string>
keratin::dump::kernelSchedules(mlir::ModuleOp module, const compiler::CompileOptions &options) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  auto target = targetOf(options);
  if (!target.ok())
    return target.status();
  compiler::FunctionCompiler compiler(*copy, *target, options);
  if (absl::Status status = compiler.plan(); !status.ok())
    return status;
  return compiler.schedules(**target);
}

absl::StatusOr<MachineCode> keratin::dump::machineCode(mlir::ModuleOp module, bool isAssembly,
                                                       const compiler::CompileOptions &options) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  auto target = targetOf(options);
  if (!target.ok())
    return target.status();
  std::string name;
  for (auto function : copy->getOps<mlir::func::FuncOp>())
    name = function.getName().str();
  compiler::FunctionCompiler compiler(*copy, *target, options);
  if (absl::Status status = compiler.plan(); !status.ok())
    return status;
  MachineCode code;
  auto text = compiler.generateText(
      **target, "keratin." + compiler::FunctionIdentifiers("model", {name}).names().front(),
      isAssembly ? codegen::CodeKind::Assembly : codegen::CodeKind::LlvmIr, &code.listing);
  if (!text.ok())
    return text.status();
  code.text = *std::move(text);
  return code;
}

// Labels stand at the beginning of a line; names that are no identifiers are quoted. A function
// ends where its size is given.
std::string keratin::dump::functionOf(const std::string &assembly, const std::string &name) {
  for (const std::string &label : {name + ":", "\"" + name + "\":"}) {
    size_t begin = assembly.rfind(label, 0) == 0 ? 0 : assembly.find("\n" + label);
    if (begin == std::string::npos)
      continue;
    begin += begin != 0;
    size_t end = assembly.find("\n\t.size\t", begin);
    return assembly.substr(begin, end == std::string::npos ? end : end + 1 - begin);
  }
  return "";
}
