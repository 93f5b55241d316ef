#include "codegen/llvm/CodeParts.h"

#include "codegen/llvm/Beginning.h"
#include "codegen/llvm/BodyHash.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "codegen/llvm/Recovery.h"
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
#include <map>
#include <mutex>
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

using Object = std::shared_ptr<llvm::MemoryBuffer>;

// Object code of shared functions, for the life of the process.
class SharedObjects {
public:
  static SharedObjects &instance() {
    static constinit Lasting<SharedObjects> objects;
    return objects.get([] { return new SharedObjects(); });
  }
  Object find(const std::string &name) {
    std::lock_guard lock(mutex);
    auto found = objects.find(name);
    return found == objects.end() ? nullptr : found->second;
  }
  void add(const std::string &name, Object object) {
    // Nothing is asked for under the lock, which a recovery would leave locked.
    std::map<std::string, Object> made;
    made.emplace(name, std::move(object));
    std::lock_guard lock(mutex);
    objects.merge(made);
  }

private:
  std::mutex mutex;
  std::map<std::string, Object> objects;
};

// A module on its way, and the names under which its object is kept.
struct Part {
  OwningOpRef<ModuleOp> module;
  std::vector<std::string> sharedNames;
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
  int64_t ops = 0;
  Ending ending = Ending::Done;
  std::string failure;

  Share(Location loc) {
    for (Part *part : parts())
      part->module = ModuleOp::create(loc);
    once.code.runsOnce = true;
  }
  std::array<Part *, 3> parts() { return {&own, &once, &shared}; }
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
           StageClock &clock, const Tell &tell)
      : module(module), target(target), effort(effort), threads(std::max(1u, threads)),
        clock(clock), tell(tell) {}

  FailureOr<std::vector<std::unique_ptr<llvm::MemoryBuffer>>> run() {
    nameShared();
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

  // Names of shared functions are what modules call them. What is kept, and what the linker unites,
  // goes by what they compute.
  void nameShared() {
    llvm::DenseMap<StringAttr, FlatSymbolRefAttr> names;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (!function->hasAttr(kSharedFunctionAttr) || function.isExternal())
        continue;
      StringAttr name = function.getSymNameAttr();
      function.setSymName((name.getValue() + "." + bodyHash(function)).str());
      names[name] = FlatSymbolRefAttr::get(function.getSymNameAttr());
    }
    if (names.empty())
      return;
    module.walk([&](LLVM::CallOp call) {
      if (FlatSymbolRefAttr callee = call.getCalleeAttr())
        if (FlatSymbolRefAttr name = names.lookup(callee.getAttr()))
          call.setCalleeAttr(name);
    });
  }

  std::string cacheName(StringRef function) {
    return target.triple + " " + target.cpu + " " + target.features + " " + target.tune + " " +
           function.str();
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
        if (Object object = SharedObjects::instance().find(cacheName(function.getSymName()))) {
          if (!llvm::is_contained(known, object))
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
      Part &part = item.isShared ? share.shared : runsOnce ? share.once : share.own;
      if (part.module->getBody()->empty())
        share.ops += opsOfModule;
      share.ops += item.ops;
      // Functions of one part may be called from others.
      if (!item.isShared)
        item.function.setLinkage(LLVM::Linkage::External);
      else
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
          SharedObjects::instance().add(name, part->object);
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
  const Tell &tell;
  llvm::DenseMap<StringAttr, LLVM::LLVMFunctionType> types;
  std::optional<SymbolTable> globals; // what is left in the module
  std::vector<Share> shares;
  std::vector<Object> known;
};

} // namespace

FailureOr<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
keratin::codegen::emitObjects(ModuleOp module, const LlvmTarget &target, Effort effort,
                              unsigned threads, StageClock &clock, const Tell &tell) {
  return Splitter(module, target, effort, threads, clock, tell).run();
}
