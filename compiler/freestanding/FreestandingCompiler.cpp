#include "compiler/freestanding/FreestandingCompiler.h"

#include "codegen/c/CModule.h"
#include "codegen/cpu/MachineTarget.h"
#include "codegen/llvm/StageClock.h"
#include "compiler/driver/Attempt.h"
#include "compiler/driver/Version.h"
#include "compiler/freestanding/CallCode.h"
#include "compiler/freestanding/FreestandingHeader.h"
#include "compiler/freestanding/RuntimeNeeds.h"
#include "compiler/freestanding/StackUse.h"
#include "ir/dialect/MemoryPlan.h"
#include "ir/dialect/SourceLine.h"
#include "ir/interfaces/OpCost.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace keratin;
using namespace keratin::compiler;
using namespace mlir;

// Of kernels, loops and branches of a block.
static ir::Count operationsOf(Block &block) {
  ir::Count total = ir::DimExpr(0);
  for (Operation &op : block) {
    if (auto kernel = dyn_cast<ir::KernelOp>(op)) {
      total = ir::sum(total, ir::operationCount(kernel));
      continue;
    }
    ir::Count inside = ir::costOfRegions<ir::Count>(&op, operationsOf).value_or(ir::DimExpr(0));
    auto loop = dyn_cast<ir::WhileOp>(op);
    total = ir::sum(total, loop ? ir::times(inside, *loop.getBound()) : inside);
  }
  return total;
}

static std::vector<KnownLoop> loopsOf(func::FuncOp function) {
  std::vector<KnownLoop> loops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<ir::DimExpr> steps;
    if (auto scan = dyn_cast<ir::ScanOp>(op))
      steps = scan.getSteps();
    else if (auto loop = dyn_cast<ir::WhileOp>(op))
      steps = loop.getBound();
    if (steps)
      loops.push_back({ir::withSourceLine(op->getName().stripDialect().str(), op->getLoc()),
                       steps->constantValue()});
  });
  return loops;
}

namespace {

class FreestandingCompiler {
public:
  FreestandingCompiler(Model model, const FreestandingOptions &options)
      : model(std::move(model)), options(options) {
    compile = options.compile;
    compile.prepareWeights = false; // there is nobody to remember it from call to call
    compile.assumeEqualSizes = false;
  }

  absl::StatusOr<FreestandingModel> run() {
    if (absl::Status status = checkModelName(model.name); !status.ok())
      return status;
    if (absl::Status status = findTarget(); !status.ok())
      return status;
    if (absl::Status status = fixSizes(model.graph, options.sizes); !status.ok())
      return status;
    const std::vector<std::string> names = freestandingNames(model.graph, model.name);
    for (auto [function, saved, name] :
         llvm::zip(model.graph.module->getOps<func::FuncOp>(), model.graph.functions, names))
      if (absl::Status status = compileFunction(function, saved, name); !status.ok())
        return status;
    if (absl::Status status = makeCode(); !status.ok())
      return status;
    return std::move(result);
  }

private:
  absl::Status findTarget() {
    codegen::TargetChoice choice = portableChoice(options.target, options.cpu, options.compile);
    if (codegen::targetFamily(choice.name) != "cpu")
      return absl::InvalidArgumentError("a freestanding model is for a CPU; found the target '" +
                                        options.target + "'");
    std::string error;
    target = codegen::makeTarget(choice, &error);
    if (!target)
      return StringRef(error).starts_with("not implemented") ? absl::UnimplementedError(error)
                                                             : absl::InvalidArgumentError(error);
    machine = target->host();
    return absl::OkStatus();
  }

  absl::Status compileFunction(func::FuncOp function, const ir::SavedFunction &saved,
                               const std::string &name) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
    func::FuncOp copy = function.clone();
    copy.setName(saved.name); // as messages call it
    module->push_back(copy);
    FunctionCompiler compiler(*module, target, compile);
    if (absl::Status status = compiler.plan(); !status.ok())
      return status;
    func::FuncOp planned = compiler.planned();
    if (absl::Status status = checkNeedsNoRuntime(planned); !status.ok())
      return status;
    FreestandingFunction made;
    made.name = name;
    made.entryName = "keratin." + name;
    auto code = compiler.generateFreestanding(*target, made.entryName);
    if (!code.ok())
      return code.status();
    made.description = std::move(code->description);
    made.kernelNames = std::move(code->entry.kernelNames);
    made.kernelFunctions = std::move(code->entry.kernelFunctions);
    for (Value constant : code->entry.constants) // whose function ends here
      made.constantTypes.push_back(ir::dtypeOf(ir::getTensorType(constant).getElementType()));
    modules.push_back(std::move(code->module));
    made.variables.assign(saved.variables.begin(), saved.variables.end());
    const keratin_function_desc_t &f = made.descriptor();
    if (size_t(f.num_variables) != made.variables.size())
      return absl::InvalidArgumentError("function '" + saved.name +
                                        "' is given another number of variables than it has");
    if (f.num_symbols || f.num_checks || f.prepared || f.num_collectives)
      return absl::InternalError("function '" + saved.name +
                                 "' needs a runtime though its sizes are known");
    auto memories = ir::memoriesOf(planned);
    if (!memories.empty())
      made.arenaBytes = memories.front().getBytes().constantValue();
    if (const ir::Count operations = operationsOf(planned.getBody().front()))
      made.operations = operations->constantValue();
    made.loops = loopsOf(planned);
    result.reports.emplace_back(saved.name, compiler.report());
    functions.push_back(std::move(made));
    return absl::OkStatus();
  }

  // All functions as one module; what several have in common is there once.
  OwningOpRef<ModuleOp> mergedModule() {
    OwningOpRef<ModuleOp> merged = ModuleOp::create(model.graph.module->getLoc());
    llvm::StringMap<Operation *> known;
    for (auto [function, module] : llvm::zip(functions, modules)) {
      ModuleOp own = *module;
      SymbolTable symbols(own);
      for (Operation &op : llvm::make_early_inc_range(*own.getBody())) {
        auto symbol = cast<SymbolOpInterface>(op);
        Operation *&first = known[symbol.getName()];
        if (first && OperationEquivalence::isEquivalentTo(first, &op,
                                                          OperationEquivalence::IgnoreLocations)) {
          op.erase();
          continue;
        }
        if (first)
          (void)symbols.rename(&op, (symbol.getName() + "." + function.name).str());
        Operation *&place = first ? known[symbol.getName()] : first;
        op.moveBefore(merged->getBody(), merged->getBody()->end());
        place = &op;
      }
    }
    return merged;
  }

  // Of the C library's functions that kernels call.
  absl::Status checkCalls(const llvm::Module &module) const {
    for (const llvm::Function &needed : module) {
      if (!needed.isDeclaration() || needed.isIntrinsic())
        continue;
      for (const llvm::User *user : needed.users())
        if (auto *call = dyn_cast<llvm::Instruction>(user))
          return refuse(needed.getName().str(), call->getFunction()->getName());
    }
    return absl::OkStatus();
  }

  absl::Status refuse(const std::string &needed, StringRef caller) const {
    for (const FreestandingFunction &function : functions)
      for (auto [kernel, name] : llvm::zip(function.kernelFunctions, function.kernelNames))
        if (kernel == caller)
          return absl::InvalidArgumentError("function '" + std::string(function.descriptor().name) +
                                            "': a freestanding model cannot have " + name.str() +
                                            ": it needs '" + needed + "' of the C library" +
                                            (name.location.empty() ? "" : "; at " + name.location));
    return absl::InvalidArgumentError("model '" + model.name + "' needs '" + needed +
                                      "' of the C library, and a freestanding model has none");
  }

  absl::Status makeCode() {
    OwningOpRef<ModuleOp> merged = mergedModule();
    DiagnosticCollector diagnostics(merged->getContext());
    FailureOr<codegen::LlvmCode> code = codegen::translate(*merged, machine);
    if (failed(code))
      return diagnostics.status();
    code->isForParts = true;
    const bool isScalar = options.cpu == codegen::kScalarCpu;
    const ModelLayout layout(model.graph, functions, isScalar ? 8 : KERATIN_ALIGNMENT);
    addCalls(*code->module, model.name, model.graph, functions, layout, machine);
    if (absl::Status status = checkCalls(*code->module); !status.ok())
      return status;
    const bool isSource = options.kind == FreestandingKind::Source;
    if (absl::Status status = isSource ? makeSource(*code, layout) : makeObject(*code, layout);
        !status.ok())
      return status;
    result.header = makeFreestandingHeader(model.graph, model.name, functions, layout,
                                           isSource ? "any processor, in C99"
                                                    : machine.triple + " (" + options.cpu + ")");
    return absl::OkStatus();
  }

  absl::Status makeSource(codegen::LlvmCode &code, const ModelLayout &layout) {
    std::string error;
    if (!codegen::cleanUpCode(code, machine, &error))
      return absl::InternalError(error);
    codegen::prepareForC(*code.module);
    std::optional<std::string> text = codegen::printC(
        *code.module, exportedHeads(model.graph, model.name, functions, layout), &error);
    if (!text)
      return absl::UnimplementedError("model '" + model.name + "': " + error);
    result.code = "// Model '" + model.name + "' in C99, by " + producer +
                  ".\n// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
                  "// (what the compiler adds to the model, which is its owner's)\n//\n"
                  "// Compile it with -std=c99 (GCC, clang): results are those of the model's "
                  "object, bit for bit.\n" +
                  *text;
    return absl::OkStatus();
  }

  absl::Status makeObject(codegen::LlvmCode &code, const ModelLayout &layout) {
    codegen::StageClock clock;
    std::string error;
    auto object = codegen::generate(code, machine, codegen::CodeKind::Object, clock, &error);
    if (!object)
      return absl::InternalError(error);
    auto undefined = undefinedSymbols(*object);
    if (!undefined.ok())
      return undefined.status();
    // Of what an instruction would do that the processor lacks.
    if (!undefined->empty())
      return absl::InvalidArgumentError("model '" + model.name + "' needs '" +
                                        llvm::join(*undefined, "', '") + "' on a processor like " +
                                        options.cpu + ", and a freestanding model has none");
    std::vector<std::string> names;
    for (const FreestandingFunction &function : functions)
      names.push_back(model.name + "_" + function.name);
    auto stack = stackUse(*code.module, *object, names, layout.alignment());
    if (!stack.ok())
      return stack.status();
    for (auto [function, bytes] : llvm::zip(functions, *stack))
      function.stackBytes = bytes;
    result.code = object->getBuffer().str();
    return absl::OkStatus();
  }

  Model model;
  const FreestandingOptions &options;
  CompileOptions compile;
  std::shared_ptr<const codegen::Target> target;
  codegen::LlvmTarget machine;
  std::vector<FreestandingFunction> functions;
  std::vector<OwningOpRef<ModuleOp>> modules; // of each of them, until they are merged
  FreestandingModel result;
};

} // namespace

absl::StatusOr<FreestandingModel>
compiler::compileFreestanding(Model model, const FreestandingOptions &options) {
  absl::StatusOr<FreestandingModel> result = absl::UnknownError("");
  const std::string what = "compiling model '" + model.name + "'";
  absl::Status status =
      attempt(what, [&] { result = FreestandingCompiler(std::move(model), options).run(); });
  if (status.ok())
    return result;
  passOn(status);
  return status;
}
