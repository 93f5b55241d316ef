// Modules compiled in parts: the same code whatever the threads, shared functions kept.
#include "codegen/llvm/CodeParts.h"
#include "codegen/cpu/MachineTarget.h"
#include "codegen/llvm/JitLibrary.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/Recovery.h"
#include "codegen/llvm/StageClock.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

using namespace keratin::codegen;
using namespace mlir;

namespace {

class Program {
public:
  Program() : b(&context) {
    registerCodegenDialects(registry);
    context.appendDialectRegistry(registry);
    loadCodegenDialects(&context);
    module = ModuleOp::create(b.getUnknownLoc());
  }

  // i64 name(i64): adds `step` to the result of `callee`, or to the argument, `count` times.
  LLVM::LLVMFuncOp add(StringRef name, int64_t step, int count,
                       ArrayRef<LLVM::LLVMFuncOp> callees = {}) {
    b.setInsertionPointToEnd(module->getBody());
    Location loc = b.getUnknownLoc();
    Type i64 = b.getI64Type();
    auto function = b.create<LLVM::LLVMFuncOp>(loc, name, LLVM::LLVMFunctionType::get(i64, {i64}));
    b.setInsertionPointToStart(function.addEntryBlock(b));
    Value value = function.getArgument(0);
    for (LLVM::LLVMFuncOp callee : callees)
      value = b.create<LLVM::CallOp>(loc, callee, ValueRange{value}).getResult();
    for (int i = 0; i < count; ++i) {
      Value next = b.create<LLVM::ConstantOp>(loc, i64, b.getI64IntegerAttr(step));
      value = b.create<LLVM::AddOp>(loc, value, next);
    }
    b.create<LLVM::ReturnOp>(loc, ValueRange{value});
    return function;
  }

  LLVM::LLVMFuncOp addShared(StringRef name, int64_t step) {
    auto function = add(name, step, 100);
    function->setAttr(kSharedFunctionAttr, b.getUnitAttr());
    function.setLinkage(LLVM::Linkage::WeakODR);
    return function;
  }

  LLVM::LLVMFuncOp addStraight(StringRef name, int64_t step, int count,
                               ArrayRef<LLVM::LLVMFuncOp> callees) {
    auto function = add(name, step, count, callees);
    function.setNoInline(true);
    function.setOptimizeNone(true);
    return function;
  }

  void addConstant(StringRef name, StringRef text) {
    b.setInsertionPointToStart(module->getBody());
    b.create<LLVM::GlobalOp>(
        b.getUnknownLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), text.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name, b.getStringAttr(text));
  }

  // The function adds the first byte of the constant to its result.
  void addByteOf(LLVM::LLVMFuncOp function, StringRef constant) {
    Operation *end = function.getBody().front().getTerminator();
    b.setInsertionPoint(end);
    Location loc = b.getUnknownLoc();
    Value address =
        b.create<LLVM::AddressOfOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), constant);
    Value byte = b.create<LLVM::LoadOp>(loc, b.getI8Type(), address);
    Value wide = b.create<LLVM::ZExtOp>(loc, b.getI64Type(), byte);
    end->setOperand(0, b.create<LLVM::AddOp>(loc, end->getOperand(0), wide));
  }

  // The function asks for an instruction of another processor.
  void addForeign(LLVM::LLVMFuncOp function) {
    b.setInsertionPointToStart(&function.getBody().front());
    b.create<LLVM::CallIntrinsicOp>(b.getUnknownLoc(), Type(),
                                    b.getStringAttr("llvm.aarch64.clrex"), ValueRange());
  }

  // The objects, and what `entry` makes of 1.
  std::pair<size_t, int64_t> run(unsigned threads, Effort effort = Effort::Full,
                                 SharedKernels *kernels = nullptr) {
    StageClock clock;
    auto objects = emitObjects(*module, hostMachine(), effort, threads, clock, kernels);
    REQUIRE(succeeded(objects));
    size_t count = objects->size();
    std::string error;
    auto library = JitLibrary::load(std::move(*objects), &error);
    REQUIRE(library);
    auto entry = reinterpret_cast<int64_t (*)(int64_t)>(library->lookup("entry"));
    REQUIRE(entry);
    return {count, entry(1)};
  }

  // The objects' bytes, compiled by one thread.
  std::string bytes() {
    StageClock clock;
    auto objects = emitObjects(*module, hostMachine(), Effort::Full, 1, clock);
    REQUIRE(succeeded(objects));
    std::string all;
    for (auto &object : *objects)
      all += object->getBuffer();
    return all;
  }

private:
  DialectRegistry registry;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OpBuilder b;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_CASE("functions of all parts find each other") {
  for (unsigned threads : {1u, 2u, 3u}) {
    Program program;
    auto common = program.addShared("common_of_" + std::to_string(threads), 3);
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (int i = 0; i < 4; ++i)
      kernels.push_back(program.add("kernel_" + std::to_string(i), i, 100, {common}));
    program.add("entry", 0, 1, kernels);
    auto [objects, value] = program.run(threads);
    CHECK(objects == threads + 1); // the shared one apart
    CHECK(value == 1 + 4 * 300 + 100 * (0 + 1 + 2 + 3));
  }
}

TEST_CASE("equal kernels of several modules are compiled once, as long as somebody has them") {
  // What `entry` makes of 1 with a kernel that adds 7 so often.
  auto run = [](StringRef kernelName, int count, SharedKernels &kernels,
                Effort effort = Effort::Full) {
    Program program;
    auto common = program.addShared("common", 3);
    auto kernel = program.add(kernelName, 7, count, {common});
    program.add("entry", 0, 1, {kernel});
    kernels.names = {kernelName.str()};
    return program.run(1, effort, &kernels).second;
  };
  SharedKernels first, second, longer, quick, tooShort;
  CHECK(run("one.kernel_0", 400, quick, Effort::Quick) == 1 + 300 + 7 * 400);
  CHECK(run("one.kernel_0", 400, first) == 1 + 300 + 7 * 400);
  CHECK(run("other.kernel_5", 400, second) == 1 + 300 + 7 * 400);
  CHECK(run("one.kernel_0", 401, longer) == 1 + 300 + 7 * 401);
  CHECK(run("one.kernel_0", 10, tooShort) == 1 + 300 + 7 * 10);
  REQUIRE(first.code.size() == 1);
  CHECK(second.code == first.code);
  CHECK(second.newNames.at("other.kernel_5") == first.newNames.at("one.kernel_0"));
  REQUIRE(longer.code.size() == 1);
  CHECK(longer.code != first.code);
  REQUIRE(quick.code.size() == 1);
  CHECK(quick.code != first.code);
  quick = SharedKernels();
  CHECK(run("one.kernel_0", 400, quick, Effort::Quick) == 1 + 300 + 7 * 400);
  CHECK(quick.code == first.code);
  CHECK(tooShort.code.empty());
  CHECK(tooShort.newNames.empty());

  std::weak_ptr<const llvm::MemoryBuffer> code = first.code[0];
  first = second = quick = SharedKernels();
  CHECK(code.expired());
  CHECK(run("one.kernel_0", 400, first) == 1 + 300 + 7 * 400);
}

TEST_CASE("a kernel whose constants stand elsewhere is the module's own") {
  Program program;
  program.addConstant("text", "A");
  auto kernel = program.add("kernel", 7, 400);
  program.addByteOf(kernel, "text");
  program.add("entry", 0, 1, {kernel});
  SharedKernels kernels{{"kernel"}, {}, {}};
  CHECK(program.run(1, Effort::Full, &kernels).second == 1 + 7 * 400 + 'A');
  CHECK(kernels.code.empty());
}

TEST_CASE("quick code does the same, and finds what others made with full effort") {
  for (Effort effort : {Effort::Full, Effort::Quick, Effort::Full}) {
    Program program;
    auto common = program.addShared("common_of_efforts", 3);
    auto kernel = program.add("kernel", 2, 100, {common});
    program.add("entry", 0, 1, {kernel});
    CHECK(program.run(1, effort) == std::pair<size_t, int64_t>(2, 1 + 300 + 200));
  }
}

TEST_CASE("constants are found from every part") {
  for (unsigned threads : {1u, 3u}) {
    Program program;
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (int i = 0; i < 4; ++i)
      kernels.push_back(program.add("kernel_" + std::to_string(i), 1, 200));
    program.addConstant("text", "abc");
    for (LLVM::LLVMFuncOp kernel : kernels)
      program.addByteOf(kernel, "text");
    program.add("entry", 0, 1, kernels);
    auto [objects, value] = program.run(threads);
    CHECK(objects == threads);
    CHECK(value == 1 + 4 * (200 + 'a'));
  }
}

TEST_CASE("little code stays together") {
  Program program;
  program.add("entry", 1, 10, {program.add("kernel", 2, 10)});
  auto [objects, value] = program.run(2);
  CHECK(objects == 1);
  CHECK(value == 31);
}

// Several rounds, since machines are kept and used in turn.
TEST_CASE("straight code leaves no trace in the machines that other code is made with") {
  auto optimised = [] {
    Program program;
    program.add("entry", 3, 500);
    return program.bytes();
  };
  const std::string expected = optimised();
  for (int round = 0; round < 8; ++round) {
    Program program;
    program.addStraight("entry", 2, 5000, {});
    program.bytes();
    CHECK(optimised() == expected);
  }
}

// Straight code has no loops to optimise: where it is long it is compiled apart, as it stands.
TEST_CASE("long straight code has objects of its own, one a thread") {
  for (auto [length, more] : {std::pair(100, 0u), std::pair(5000, 1u)})
    for (unsigned threads : {1u, 2u}) {
      Program program;
      auto kernel = program.add("kernel", 1, 600);
      SmallVector<LLVM::LLVMFuncOp> functions;
      for (StringRef name : {"part_0", "part_1"})
        functions.push_back(program.addStraight(name, 2, length, {kernel}));
      program.add("entry", 0, 300, functions);
      auto [objects, value] = program.run(threads);
      CHECK(objects == threads + more * threads);
      CHECK(value == 1 + 2 * (600 + 2 * length));
    }
}

TEST_CASE("shared functions of one name and several bodies are several") {
  for (int64_t step : {1, 2, 1}) {
    Program program;
    program.add("entry", 0, 1, {program.addShared("of_one_name", step)});
    CHECK(program.run(1) == std::pair<size_t, int64_t>(2, 1 + 100 * step));
  }
}

// Two of them in one object, then one of them with a third: objects may overlap, and what is known
// is not compiled again.
TEST_CASE("objects with shared functions come together") {
  {
    Program program;
    auto first = program.addShared("overlap_first", 1),
         second = program.addShared("overlap_second", 1);
    program.add("entry", 0, 1, {first, second});
    CHECK(program.run(1) == std::pair<size_t, int64_t>(2, 201));
  }
  Program program;
  auto second = program.addShared("overlap_second", 1),
       third = program.addShared("overlap_third", 1);
  program.add("entry", 0, 1, {second, third});
  CHECK(program.run(1) == std::pair<size_t, int64_t>(3, 201));
}

TEST_CASE("what LLVM ends the process for is left instead, in whichever thread it happens") {
  for (unsigned threads : {1u, 2u}) {
    for (int round = 0; round < 3; ++round) {
      // Lost, as recover() says.
      auto *program = new Program();
      auto entry = program->add("entry", 1, 300);
      auto other = program->add("other", 2, 290 + 20 * round);
      program->addForeign(round % 2 ? entry : other);
      std::string message;
      Ending ending = recover([&] { (void)program->run(threads); }, message);
      CHECK(ending == Ending::FatalError);
      CHECK(message.find("Cannot select") != std::string::npos);
      CHECK(message.find("clrex") != std::string::npos);
    }
    Program good;
    good.add("entry", 3, 500);
    CHECK(good.run(threads).second == 1501);
  }
}

TEST_CASE("recoveries nest, and let exceptions pass") {
  std::string outer, inner;
  CHECK(recover(
            [&] {
              CHECK(recover([] { leave(Ending::FatalError, "inner"); }, inner) ==
                    Ending::FatalError);
              leave(Ending::NoMemory, "");
            },
            outer) == Ending::NoMemory);
  CHECK(inner == "inner");
  CHECK_THROWS_AS(recover([] { throw 7; }, outer), int);
  CHECK(recover([] { throw std::bad_alloc(); }, outer) == Ending::NoMemory);
  CHECK(recover([] {}, outer) == Ending::Done);
}
