#include "codegen/llvm/SharedNames.h"

#include "codegen/llvm/BodyHash.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace keratin::codegen;
using namespace mlir;

// In ops of the LLVM dialect: from here on a kernel is worth a module, which equal kernels of other
// functions may have.
static constexpr int64_t opsWorthSharing = 300;

using NewNames = llvm::DenseMap<StringAttr, FlatSymbolRefAttr>;

static void rename(ModuleOp module, const NewNames &names) {
  if (names.empty())
    return;
  auto replace = [&](auto op, FlatSymbolRefAttr symbol, auto set) {
    if (symbol)
      if (FlatSymbolRefAttr name = names.lookup(symbol.getAttr()))
        set(op, name);
  };
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<LLVM::CallOp>(op))
      replace(call, call.getCalleeAttr(), [](auto op, auto name) { op.setCalleeAttr(name); });
    else if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
      replace(address, address.getGlobalNameAttr(),
              [](auto op, auto name) { op.setGlobalNameAttr(name); });
  });
}

void keratin::codegen::nameShared(ModuleOp module) {
  NewNames names;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(kSharedFunctionAttr) || function.isExternal())
      continue;
    StringAttr name = function.getSymNameAttr();
    function.setSymName((name.getValue() + "." + bodyHash(function)).str());
    names[name] = FlatSymbolRefAttr::get(function.getSymNameAttr());
  }
  rename(module, names);
}

// Whether it is long, and says all that it does: constants of the module are known by their names
// alone.
static bool isWorthSharing(LLVM::LLVMFuncOp function, const SymbolTable &symbols) {
  int64_t ops = 0;
  WalkResult walk = function.walk([&](Operation *op) {
    ++ops;
    if (isa<LLVM::AddressOfOp>(op))
      return WalkResult::interrupt();
    if (auto call = dyn_cast<LLVM::CallOp>(op))
      if (auto callee = call.getCalleeAttr()) {
        auto called = symbols.lookup<LLVM::LLVMFuncOp>(callee.getAttr());
        if (!called || !called->hasAttr(kSharedFunctionAttr))
          return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return !walk.wasInterrupted() && ops >= opsWorthSharing;
}

void keratin::codegen::nameKernels(ModuleOp module, SharedKernels &kernels) {
  SymbolTable symbols(module);
  NewNames names;
  for (const std::string &name : kernels.names) {
    auto function = symbols.lookup<LLVM::LLVMFuncOp>(name);
    if (!function || function.isExternal() || function->hasAttr(kSharedKernelAttr) ||
        !isWorthSharing(function, symbols))
      continue;
    std::string newName = "keratin_kernel_" + bodyHash(function);
    if (symbols.lookup(newName))
      continue; // one that was built like this
    StringAttr old = function.getSymNameAttr();
    symbols.remove(function);
    function.setSymName(newName);
    function.setLinkage(LLVM::Linkage::WeakODR);
    function->setAttr(kSharedKernelAttr, UnitAttr::get(function.getContext()));
    symbols.insert(function);
    names[old] = FlatSymbolRefAttr::get(function.getSymNameAttr());
    kernels.newNames[name] = newName;
  }
  rename(module, names);
}
