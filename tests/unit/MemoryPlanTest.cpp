// Memory plans of random functions before the independent checker, and the report.
#include "ir/dialect/MemoryPlan.h"
#include "ir/dialect/Signature.h"
#include "passes/Passes.h"
#include "passes/memory/MemoryReport.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <iostream>
#include <random>
#include <sstream>

using namespace keratin::passes;

namespace {

class Context {
public:
  Context() {
    context.loadDialect<keratin::ir::KeratinDialect, mlir::func::FuncDialect>();
    context.disableMultithreading();
  }
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    INFO(text);
    REQUIRE(module);
    return module;
  }
  bool run(mlir::ModuleOp module, bool schedule, bool check = true) {
    mlir::PassManager manager(&context);
    mlir::OpPassManager &nested = manager.nest<mlir::func::FuncOp>();
    if (schedule)
      nested.addPass(createScheduleKernels());
    nested.addPass(createPlanMemory());
    if (check)
      nested.addPass(createCheckMemoryPlan());
    return mlir::succeeded(manager.run(module));
  }

private:
  mlir::MLIRContext context;
};

mlir::func::FuncOp functionOf(mlir::ModuleOp module) {
  return *module.getOps<mlir::func::FuncOp>().begin();
}

// The types that random functions use, and how to get from one to the next.
const std::string kBatch = "tensor<?x8xf32, #keratin.dims<d0, 8>>";
const std::string kTransposed = "tensor<8x?xf32, #keratin.dims<8, d0>>"; // a view of a batch
const std::string kWide = "tensor<?x8xf64, #keratin.dims<d0, 8>>";
const std::string kOther = "tensor<?x?xf32, #keratin.dims<d0, d1>>";
const std::string kStatic = "tensor<16x8xf32>"; // of variables
const std::string kScalar = "tensor<f32>";

// Writes a random function as text: kernels of all kinds that planning tells apart, views, values
// returned more than once, updates, kernels that print or fail.
class RandomFunction {
public:
  explicit RandomFunction(uint64_t seed) : random(seed) {}

  std::string write(int64_t numKernels) {
    std::ostringstream arguments, results, returned, returnedTypes;
    const std::string inputs[] = {kBatch, kOther, kStatic, kScalar};
    for (size_t i = 0; i < std::size(inputs); ++i) {
      arguments << "%x" << i << ": " << inputs[i] << " {keratin.kind = \"input\"}, ";
      values.push_back({"%x" + std::to_string(i), inputs[i]});
    }
    constexpr int kVariables = 3;
    for (int i = 0; i < kVariables; ++i) {
      arguments << (i ? ", " : "") << "%w" << i << ": " << kStatic
                << " {keratin.kind = \"variable\"}";
      values.push_back({"%w" + std::to_string(i), kStatic});
    }
    body << "  %c = keratin.constant dense<1.0> : " << kStatic << "\n";
    values.push_back({"%c", kStatic});
    for (int64_t i = 0; i < numKernels; ++i)
      addKernel();
    auto giveBack = [&](const Value &value, const std::string &attributes) {
      results << (results.tellp() ? ", " : "") << value.type << " {" << attributes << "}";
      returned << (returned.tellp() ? ", " : "") << value.name;
      returnedTypes << (returnedTypes.tellp() ? ", " : "") << value.type;
    };
    for (int64_t outputs = 1 + upTo(3); outputs > 0; --outputs)
      giveBack(values[upTo(values.size() - 1)], "keratin.kind = \"output\"");
    for (int i = 0; i < kVariables; ++i)
      if (upTo(3))
        giveBack(pick(kStatic),
                 "keratin.kind = \"update\", keratin.variable = " + std::to_string(i));
    return "func.func @f(" + arguments.str() + ") -> (" + results.str() + ") {\n" + body.str() +
           "  return " + returned.str() + " : " + returnedTypes.str() + "\n}\n";
  }

private:
  struct Value {
    std::string name, type;
  };

  int64_t upTo(int64_t high) { return std::uniform_int_distribution<int64_t>(0, high)(random); }
  // A value of the type, recent ones rather.
  const Value &pick(const std::string &type) {
    for (int64_t tries = 0; tries < 6; ++tries) {
      int64_t recent = std::max<int64_t>(0, int64_t(values.size()) - 1 - upTo(12));
      if (values[recent].type == type)
        return values[recent];
    }
    std::vector<const Value *> all;
    for (const Value &value : values)
      if (value.type == type)
        all.push_back(&value);
    return *all[upTo(all.size() - 1)];
  }
  std::string fresh(const std::string &type) {
    values.push_back({"%v" + std::to_string(next++), type});
    return values.back().name;
  }

  void kernel(const std::vector<Value> &inputs, const std::vector<std::string> &results,
              const std::string &ops, const std::string &yields) {
    std::ostringstream operands, types, parameters, resultTypes, attributes;
    for (size_t i = 0; i < inputs.size(); ++i) {
      operands << (i ? ", " : "") << inputs[i].name;
      types << (i ? ", " : "") << inputs[i].type;
      parameters << (i ? ", " : "") << "%p" << i << ": " << inputs[i].type;
    }
    for (size_t i = 0; i < results.size(); ++i)
      resultTypes << (i ? ", " : "") << results[i];
    if (upTo(29) == 0)
      attributes << "{keratin.fallible = 0 : i64} ";
    else if (upTo(19) == 0)
      attributes << "{keratin.effect} ";
    std::string names;
    for (const std::string &type : results)
      names += (names.empty() ? "  " : ", ") + fresh(type);
    body << names << " = keratin.kernel (" << operands.str() << ") " << attributes.str() << ": ("
         << types.str() << ") -> (" << resultTypes.str() << ") {\n  ^bb0(" << parameters.str()
         << "):\n"
         << ops << "    keratin.yield " << yields << " : " << resultTypes.str() << "\n  }\n";
  }

  void addKernel() {
    const std::string types[] = {kBatch, kOther, kStatic, kStatic, kScalar};
    const std::string type = types[upTo(std::size(types) - 1)];
    const std::string same = " : (" + type + ") -> " + type + "\n";
    const std::string two = " : (" + type + ", " + type + ") -> " + type + "\n";
    Value a = pick(type), b = pick(type);
    switch (upTo(type == kScalar ? 3 : 9)) {
    case 0:
      return kernel({a}, {type}, "    %0 = keratin.tanh %p0" + same, "%0");
    case 1:
    case 2:
      return kernel({a, b}, {type}, "    %0 = keratin.mul %p0, %p1" + two, "%0");
    case 3:
      return kernel({a, b}, {type, type},
                    "    %0 = keratin.add %p0, %p1" + two + "    %1 = keratin.neg %0" + same,
                    "%0, %1");
    case 4:
      return kernel({a, b}, {type},
                    "    %0 = keratin.reverse %p0 axes = [0]" + same +
                        "    %1 = keratin.add %0, %p1" + two,
                    "%1");
    case 5:
      return kernel({a}, {type}, "    %0 = keratin.cumsum %p0 {axis = 0 : i64}" + same, "%0");
    case 6: {
      std::string reduce =
          "    %0 = keratin.reduce_sum %p0 axes = [0, 1] : (" + type + ") -> " + kScalar + "\n";
      return kernel({a}, {kScalar}, reduce, "%0");
    }
    case 7: {
      std::string spread =
          "    %0 = keratin.broadcast %p1 dims = [] : (" + kScalar + ") -> " + type + "\n";
      return kernel({a, pick(kScalar)}, {type}, spread + "    %1 = keratin.sub %p0, %0" + two,
                    "%1");
    }
    case 8: {
      Value batch = pick(kBatch);
      std::string widen = "    %0 = keratin.cast %p0 : (" + kBatch + ") -> " + kWide + "\n";
      kernel({batch}, {kWide}, widen, "%0");
      Value wide = values.back();
      return kernel({wide}, {kWide},
                    "    %0 = keratin.exp %p0 : (" + kWide + ") -> " + kWide + "\n", "%0");
    }
    default: {
      Value batch = pick(kBatch);
      std::string view = fresh(kTransposed);
      body << "  " << view << " = keratin.reshape " << batch.name << " : (" << kBatch << ") -> "
           << kTransposed << "\n";
      std::string back = fresh(kBatch);
      body << "  " << back << " = keratin.reshape " << view << " : (" << kTransposed << ") -> "
           << kBatch << "\n";
      return kernel({{view, kTransposed}}, {kTransposed},
                    "    %0 = keratin.tanh %p0 : (" + kTransposed + ") -> " + kTransposed + "\n",
                    "%0");
    }
    }
  }

  std::mt19937_64 random;
  std::vector<Value> values;
  std::ostringstream body;
  int64_t next = 0;
};

} // namespace

TEST_CASE("plans of random functions pass the checker") {
  Context context;
  double arena = 0, live = 0, unscheduled = 0;
  int64_t inPlace = 0, reused = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    std::string text = RandomFunction(seed).write(1 + seed % 60);
    INFO("seed " << seed << "\n" << text);
    auto module = context.parse(text);
    REQUIRE(context.run(*module, /*schedule=*/true));
    REQUIRE(mlir::succeeded(mlir::verify(*module)));
    auto plain = context.parse(text);
    REQUIRE(context.run(*plain, /*schedule=*/false));

    mlir::func::FuncOp function = functionOf(*module);
    for (const SymbolValues &symbols :
         {SymbolValues{{0, 32}, {1, 32}}, SymbolValues{{0, 1000}, {1, 3}}}) {
      std::optional<MemoryUsage> usage = memoryUsage(function, symbols);
      REQUIRE(usage);
      REQUIRE(usage->arenaBytes >= usage->maxLiveBytes);
      arena += double(usage->arenaBytes);
      live += double(usage->maxLiveBytes);
      unscheduled += double(memoryUsage(functionOf(*plain), symbols)->arenaBytes);
    }
    for (unsigned result = 0; result < function.getNumResults(); ++result)
      inPlace += keratin::ir::Signature(function).isInPlace(result);
    function.walk([&](keratin::ir::KernelOp kernel) {
      for (mlir::OpResult result : kernel->getResults())
        reused += keratin::ir::placeOf(result).getOver().has_value();
    });
  }
  std::cout << "random functions: arena / max live " << arena / live
            << ", arena / arena in the given order " << arena / unscheduled << "; " << inPlace
            << " updates and " << reused << " results in place\n";
  // Else the test does not reach what it is for.
  CHECK(inPlace > 50);
  CHECK(reused > 500);
  CHECK(arena < unscheduled);
}

TEST_CASE("a second planning changes nothing") {
  Context context;
  auto module = context.parse(RandomFunction(7).write(40));
  REQUIRE(context.run(*module, /*schedule=*/true));
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream out(text);
    module->print(out);
    return text;
  };
  std::string first = print();
  REQUIRE(context.run(*module, /*schedule=*/false));
  CHECK(print() == first);
}

TEST_CASE("a function of ten thousand kernels is planned in a moment") {
  Context context;
  auto module = context.parse(RandomFunction(8).write(10'000));
  auto begin = std::chrono::steady_clock::now();
  REQUIRE(context.run(*module, /*schedule=*/true, /*check=*/false));
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
  std::cout << "schedule and plan of 10,000 kernels: " << spent.count() << " ms\n";
}

TEST_CASE("the report says who needs the memory") {
  Context context;
  auto module = context.parse(R"(
#batch = #keratin.dims<d0, 256>
func.func @f(%x: tensor<?x256xf32, #batch> {keratin.kind = "input"}) -> (tensor<f32> {keratin.kind = "output"}) {
  %a = keratin.kernel (%x) : (tensor<?x256xf32, #batch>) -> tensor<?x256xf32, #batch> {
  ^bb0(%p: tensor<?x256xf32, #batch>):
    %0 = keratin.tanh %p : (tensor<?x256xf32, #batch>) -> tensor<?x256xf32, #batch> loc("head/"("some/net.cc":57:3))
    keratin.yield %0 : tensor<?x256xf32, #batch>
  }
  %b = keratin.kernel (%a) : (tensor<?x256xf32, #batch>) -> tensor<?x256xf32, #batch> {
  ^bb0(%p: tensor<?x256xf32, #batch>):
    %0 = keratin.exp %p : (tensor<?x256xf32, #batch>) -> tensor<?x256xf32, #batch>
    keratin.yield %0 : tensor<?x256xf32, #batch>
  }
  %c = keratin.kernel (%b) : (tensor<?x256xf32, #batch>) -> tensor<f32> {
  ^bb0(%p: tensor<?x256xf32, #batch>):
    %0 = keratin.reduce_sum %p axes = [0, 1] : (tensor<?x256xf32, #batch>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  return %c : tensor<f32>
}
)");
  CHECK(memoryReport(functionOf(*module)) == "no memory plan\n");
  REQUIRE(context.run(*module, /*schedule=*/true));
  std::string report = memoryReport(functionOf(*module), {{0, 10}});
  INFO(report);
  auto has = [&](const char *text) { return report.find(text) != std::string::npos; };
  CHECK(has("arena         10240 bytes (input_0_dim0 = 10) = 1024*input_0_dim0"));
  CHECK(has("live at most  10240 bytes (input_0_dim0 = 10) = 1024*input_0_dim0, first at kernel 0 of 3"));
  CHECK(has("arena / live = 1.000"));
  CHECK(has("0 of 0 updates, 1 values over an operand; 0 views"));
  CHECK(has("head: tanh net.cc:57, then 1 in place"));
  CHECK(has("0-2      ###"));
  std::optional<MemoryUsage> usage = memoryUsage(functionOf(*module), {{0, 10}});
  REQUIRE(usage);
  CHECK(usage->arenaBytes == 10240);
  CHECK(usage->maxLiveBytes == 10240);
}
