#include "codegen/llvm/CodeParts.h"

#include "codegen/llvm/ObjectEmitter.h"
#include "codegen/llvm/Recovery.h"
#include "codegen/llvm/SharedNames.h"
#include "codegen/llvm/SharedObjects.h"
#include "codegen/llvm/StageClock.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>

using namespace keratin::codegen;
using namespace mlir;

namespace {

// In ops of the LLVM dialect. Below this a second thread has nothing to gain.
constexpr int64_t opsWorthThread = 400;
// What a module costs beside its functions.
constexpr int64_t opsOfModule = 50;
// From here on straight code is worth a module of its own, in which nothing is optimised.
constexpr int64_t opsWorthModule = 1000;

using Object = SharedObjects::Object;

// A module on its way, and the names under which its object is kept: for good, or, of one kernel,
// as long as somebody has it.
struct Part {
  OwningOpRef<ModuleOp> module;
  std::vector<std::string> sharedNames;
  std::string kernelName;
  LlvmCode code;
  Object object;
  std::string error;
};

using Tell = std::function<LogicalResult(int64_t done, int64_t of)>;

// How many parts are compiled, and whether the others are still wanted.
struct Advance {
  int64_t of = 0;
  std::atomic<int64_t> done{0};
  std::atomic<bool> isCancelled{false};
};

// What one thread compiles.
struct Share {
  Part own, once, shared; // of this module alone, such that runs once, of several
  std::vector<std::unique_ptr<Part>> kernels; // that equal others, perhaps
  int64_t ops = 0;
  Ending ending = Ending::Done;
  std::string failure;

  Share(Location loc) {
    for (Part *part : parts())
      part->module = ModuleOp::create(loc);
    once.code.runsOnce = true;
  }
  SmallVector<Part *> parts() {
    SmallVector<Part *> all{&own, &once, &shared};
    for (auto &kernel : kernels)
      all.push_back(kernel.get());
    return all;
  }
  void addKernel(Location loc, std::string name, bool runsOnce) {
    kernels.push_back(std::make_unique<Part>());
    kernels.back()->module = ModuleOp::create(loc);
    kernels.back()->kernelName = std::move(name);
    kernels.back()->code.runsOnce = runsOnce;
  }
  // In any thread; `tell` is for the one that called.
  void compile(const LlvmTarget &target, StageClock &clock, Advance &advance,
               const Tell &tell = nullptr) {
    ending = recover(
        [&] {
          clock = StageClock(); // begins in the thread that it counts for
          for (Part *part : parts()) {
            if (!part->code.module)
              continue;
            if (tell && failed(tell(advance.done, advance.of)))
              advance.isCancelled = true;
            if (advance.isCancelled)
              return;
            part->object = generate(part->code, target, CodeKind::Object, clock, &part->error);
            ++advance.done;
          }
        },
        failure);
  }
};

class Splitter {
public:
  Splitter(ModuleOp module, const LlvmTarget &target, Effort effort, unsigned threads,
           StageClock &clock, SharedKernels *kernels, const Tell &tell)
      : module(module), target(target), effort(effort), threads(std::max(1u, threads)),
        clock(clock), kernels(kernels), tell(tell) {}

  FailureOr<std::vector<std::unique_ptr<llvm::MemoryBuffer>>> run() {
    nameShared(module);
    if (kernels)
      nameKernels(module, *kernels);
    distribute();
    globals.emplace(module);
    for (Share &share : shares)
      for (Part *part : share.parts())
        if (failed(prepare(*part)))
          return failure();
    clock.finish("translate");
    if (failed(compileShares()))
      return failure();
    return collect();
  }

private:
  LogicalResult compileShares() {
    Advance advance;
    for (Share &share : shares)
      for (Part *part : share.parts())
        advance.of += part->code.module != nullptr;
    std::vector<StageClock> clocks(shares.size());
    std::vector<std::thread> helpers(shares.size());
    size_t started = 1;
    // Where no thread is to be had this one does its work too. Whatever happens, nobody leaves
    // while helpers run.
    while (started < shares.size() &&
           start(helpers[started], shares[started], clocks[started], advance))
      ++started;
    shares[0].compile(target, clocks[0], advance, tell);
    for (size_t i = started; i < shares.size(); ++i)
      shares[i].compile(target, clocks[i], advance, tell);
    for (size_t i = 1; i < started; ++i)
      helpers[i].join();
    for (const Share &share : shares)
      if (share.ending != Ending::Done)
        leave(share.ending, share.failure);
    for (const StageClock &each : clocks)
      clock.add(each);
    clock.restart();
    return failure(advance.isCancelled);
  }

  bool start(std::thread &helper, Share &share, StageClock &shareClock, Advance &advance) {
    bool hasStarted = false;
    std::string ignored;
    (void)recover(
        [&] {
          try {
            helper = std::thread([&] { share.compile(target, shareClock, advance); });
            hasStarted = true;
          } catch (const std::system_error &) {
          }
        },
        ignored);
    return hasStarted;
  }

  std::string cacheName(StringRef function, Effort made = Effort::Full) {
    return (made == Effort::Quick ? "quick " : "") + target.triple + " " + target.cpu + " " +
           target.features + " " + target.tune + " " + function.str();
  }

  // Made with full effort, if there is such.
  Object kernelOf(LLVM::LLVMFuncOp function) {
    SharedObjects &objects = SharedObjects::ofProcess();
    Object object = objects.findKernel(cacheName(function.getSymName()));
    return object || effort == Effort::Full
               ? object
               : objects.findKernel(cacheName(function.getSymName(), effort));
  }

  // Takes the functions out of the module: known ones are dropped, the others go, largest first, to
  // the thread that has least to do. So a thread more or less changes no function's code.
  void distribute() {
    struct Item {
      LLVM::LLVMFuncOp function;
      size_t position; // in the module
      int64_t ops = 0;
      bool isShared = false;
    };
    std::vector<Item> items;
    int64_t total = 0;
    for (auto function : llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>())) {
      types[function.getSymNameAttr()] = function.getFunctionType();
      if (function.isExternal())
        continue;
      bool isShared = function->hasAttr(kSharedFunctionAttr);
      if (isShared)
        if (Object object = SharedObjects::ofProcess().find(cacheName(function.getSymName()))) {
          if (!llvm::is_contained(known, object))
            known.push_back(std::move(object));
          function.erase();
          continue;
        }
      if (function->hasAttr(kSharedKernelAttr))
        if (Object object = kernelOf(function)) {
          kernels->code.push_back(object);
          known.push_back(std::move(object));
          function.erase();
          continue;
        }
      Item item{function, items.size(), 0, isShared};
      function.walk([&](Operation *) { ++item.ops; });
      total += item.ops;
      items.push_back(item);
    }
    size_t count = total < opsWorthThread ? 1 : threads;
    for (size_t i = 0; i < count; ++i)
      shares.emplace_back(module.getLoc());
    llvm::sort(items, [](const Item &a, const Item &b) {
      return std::pair(-a.ops, a.position) < std::pair(-b.ops, b.position);
    });
    for (Item &item : items) {
      Share &share =
          *std::min_element(shares.begin(), shares.end(),
                            [](const Share &a, const Share &b) { return a.ops < b.ops; });
      bool runsOnce = effort == Effort::Quick || (item.function.getOptimizeNone().value_or(false) &&
                                                  item.ops >= opsWorthModule);
      bool isKernel = item.function->hasAttr(kSharedKernelAttr);
      if (isKernel)
        share.addKernel(module.getLoc(), cacheName(item.function.getSymName(), effort), runsOnce);
      Part &part = isKernel        ? *share.kernels.back()
                   : item.isShared ? share.shared
                   : runsOnce      ? share.once
                                   : share.own;
      if (part.module->getBody()->empty())
        share.ops += opsOfModule;
      share.ops += item.ops;
      // Functions of one part may be called from others.
      if (!item.isShared && !isKernel)
        item.function.setLinkage(LLVM::Linkage::External);
      else if (item.isShared)
        part.sharedNames.push_back(cacheName(item.function.getSymName()));
      item.function->moveBefore(part.module->getBody(), part.module->getBody()->end());
    }
  }

  LogicalResult prepare(Part &part) {
    if (part.module->getBody()->empty())
      return success();
    declareOthers(*part.module);
    FailureOr<LlvmCode> code = translate(*part.module, target);
    if (failed(code))
      return failure();
    part.code.context = std::move(code->context);
    part.code.module = std::move(code->module);
    return success();
  }

  // Declares what the part's functions refer to and other parts define, and copies the constants.
  void declareOthers(ModuleOp part) {
    llvm::SetVector<StringAttr> wanted;
    part.walk([&](Operation *op) {
      if (auto call = dyn_cast<LLVM::CallOp>(op)) {
        if (auto callee = call.getCalleeAttr())
          wanted.insert(callee.getAttr());
      } else if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
        wanted.insert(address.getGlobalNameAttr().getAttr());
      }
    });
    OpBuilder builder = OpBuilder::atBlockEnd(part.getBody());
    SymbolTable own(part);
    for (StringAttr name : wanted) {
      if (own.lookup(name))
        continue;
      // Constants are small: each part has its own copy.
      if (auto global = globals->lookup<LLVM::GlobalOp>(name))
        builder.clone(*global);
      else
        builder.create<LLVM::LLVMFuncOp>(part.getLoc(), name, types.lookup(name));
    }
  }

  FailureOr<std::vector<std::unique_ptr<llvm::MemoryBuffer>>> collect() {
    std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
    auto add = [&](const Object &object) {
      objects.push_back(llvm::MemoryBuffer::getMemBufferCopy(object->getBuffer(), "keratin"));
    };
    for (Share &share : shares)
      for (Part *part : share.parts()) {
        if (!part->code.module)
          continue;
        if (!part->object) {
          module.emitError("no machine code: ") << part->error;
          return failure();
        }
        for (const std::string &name : part->sharedNames)
          SharedObjects::ofProcess().add(name, part->object);
        if (!part->kernelName.empty()) {
          SharedObjects::ofProcess().addKernel(part->kernelName, part->object);
          kernels->code.push_back(part->object);
        }
        add(part->object);
      }
    for (const Object &object : known)
      add(object);
    return objects;
  }

  ModuleOp module;
  const LlvmTarget &target;
  const Effort effort;
  unsigned threads;
  StageClock &clock;
  SharedKernels *const kernels;
  const Tell &tell;
  llvm::DenseMap<StringAttr, LLVM::LLVMFunctionType> types;
  std::optional<SymbolTable> globals; // what is left in the module
  std::vector<Share> shares;
  std::vector<Object> known;
};

} // namespace

FailureOr<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
keratin::codegen::emitObjects(ModuleOp module, const LlvmTarget &target, Effort effort,
                              unsigned threads, StageClock &clock, SharedKernels *kernels,
                              const Tell &tell) {
  return Splitter(module, target, effort, threads, clock, kernels, tell).run();
}
