// compile(), which makes code for equal functions once.
#include "compiler/store/CodeSettings.h"
#include "compiler/store/FunctionStore.h"
#include "tests/store/GraphText.h"

#include "runtime/include/keratin/runtime.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <thread>

using namespace keratin;
using namespace keratin::tests;
using namespace std::chrono_literals;
using compiler::CompiledFunction;
using compiler::CompileOptions;
using compiler::CompileReport;
using compiler::FunctionStore;

using Compiled = std::shared_ptr<const CompiledFunction>;

static Compiled compiled(const Scaled &graph, const CompileOptions &options = {}) {
  return GraphText(graph.text()).compile(options);
}

static bool isReused(const Compiled &function) {
  return function->report().source == CompileReport::Source::Process;
}

TEST_CASE("An equal function has the code of the first, its own name and its own report") {
  Compiled first = compiled({.function = "first", .elements = 11}),
           second = compiled({.function = "second", .elements = 11});
  REQUIRE(first);
  REQUIRE(second);
  CHECK_FALSE(isReused(first));
  CHECK(isReused(second));
  CHECK(first->descriptor().entry == second->descriptor().entry);
  CHECK(first->descriptor().name == std::string("first"));
  CHECK(second->descriptor().name == std::string("second"));
  CHECK(second->report().kernels == first->report().kernels);
  CHECK(second->report().stages.empty());
}

TEST_CASE("A function lives on without the one whose code it has") {
  Compiled second;
  {
    Compiled first = compiled({.elements = 12});
    second = compiled({.elements = 12});
  }
  FunctionStore::ofProcess().clear();
  CHECK(isReused(second));
  CHECK(second->descriptor().inputs[0].name == std::string("x"));
  CHECK(isReused(compiled({.elements = 12})));
}

TEST_CASE("Functions that differ in a constant or in what is said to people are different") {
  const Scaled graph{.elements = 13};
  Compiled first = compiled(graph);
  for (Scaled other : {Scaled{.factor = "1.5"}, Scaled{.input = "z"}, Scaled{.line = 8}}) {
    other.elements = 13;
    Compiled function = compiled(other);
    CHECK(function->descriptor().inputs[0].name == other.input);
    CHECK(function->descriptor().inputs[0].location ==
          other.file + ":" + std::to_string(other.line));
    if (other.factor != graph.factor)
      CHECK_FALSE(isReused(function));
  }
}

// Two products, the first of which lies in the arena.
static std::string productsOf(const std::string &size, const std::string &scope, int line) {
  const std::string rows = "tensor<?x64xf32, #keratin.dims<d0, 64>>",
                    place =
                        " loc(\"" + scope + "/\"(\"/src/net.py\":" + std::to_string(line) + ":1))",
                    product = " batch = [] x [] contract = [1] x [0] : (" + rows +
                              ", tensor<64x64xf32>) -> " + rows + place;
  return "func.func @f(%x: " + rows +
         " {keratin.kind = \"input\", keratin.name = \"x\"}, %w: tensor<64x64xf32> {keratin.kind "
         "= \"variable\", keratin.name = \"w\"}) -> (" +
         rows + " {keratin.kind = \"output\"}) attributes {keratin.sizes = [\"" + size +
         "\"]} {\n%0 = keratin.dot_general %x, %w" + product + "\n%1 = keratin.dot_general %0, %w" +
         product + "\nreturn %1 : " + rows + "\n}\n";
}

TEST_CASE("A memory plan speaks of the function's own sizes, scopes and lines") {
  Compiled first = GraphText(productsOf("n", "a", 3)).compile();
  CompileOptions anew;
  anew.reuse = false;
  Compiled reused = GraphText(productsOf("batch", "encoder/layer1", 1234)).compile(),
           made = GraphText(productsOf("batch", "encoder/layer1", 1234)).compile(anew);
  REQUIRE(isReused(reused));
  CHECK_FALSE(isReused(made));
  CHECK(reused->report().memoryPlan == made->report().memoryPlan);
  CHECK_THAT(made->report().memoryPlan, Catch::Contains("256*batch") &&
                                            Catch::Contains("encoder/layer1: ") &&
                                            Catch::Contains(" net.py:1234 "));
  CHECK(reused->descriptor().symbols[0].name == std::string("batch"));
}

// What has two unknown sizes as rows of 4, which each call checks.
static std::string rowsOf(const std::string &input) {
  const std::string any = "tensor<?x?xf32, #keratin.dims<d0, d1>>",
                    rows = "tensor<?x4xf32, #keratin.dims<floordiv(d0*d1, 4), 4>>";
  return "func.func @f(%x: " + any + " {keratin.kind = \"input\", keratin.name = \"" + input +
         "\"}) -> (" + rows + " {keratin.kind = \"output\"}) {\n%0 = keratin.exp %x : (" + any +
         ") -> " + any + "\n%1 = keratin.reshape %0 : (" + any + ") -> " + rows +
         "\nreturn %1 : " + rows + "\n}\n";
}

TEST_CASE("Messages of checks speak of the function's own sizes") {
  std::vector<Compiled> functions;
  // Whatever the names are: several words, or those of the messages.
  for (std::string input : {"left part", "right part", "x", "reshape: (", "take"}) {
    functions.push_back(GraphText(rowsOf(input)).compile());
    REQUIRE(functions.back());
    CHECK(isReused(functions.back()) == (functions.size() > 1));
    const keratin_function_desc_t &made = functions.back()->descriptor();
    REQUIRE(made.num_checks == 1);
    const std::string rows = input + "_dim0", columns = input + "_dim1";
    CHECK_THAT(made.checks[0].message, Catch::StartsWith("reshape: (" + rows + ", " + columns +
                                                         ") cannot take the shape (floordiv(" +
                                                         rows + "*" + columns + ", 4), 4)"));
  }
}

// The same with names for the sizes, and a constant.
static std::string namedRowsOf(const std::string &rows, const std::string &columns,
                               const std::string &factor) {
  std::string text = rowsOf("x");
  const std::string any = "tensor<?x?xf32, #keratin.dims<d0, d1>>";
  auto replace = [&](const std::string &from, const std::string &to) {
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
  };
  replace(") {\n%0 = keratin.exp %x : (" + any + ") -> " + any,
          ") attributes {keratin.sizes = [\"" + rows + "\", \"" + columns +
              "\"]} {\n%c = keratin.constant dense<" + factor + "> : tensor<f32>\n" +
              "%b = keratin.broadcast %c dims = [] : (tensor<f32>) -> " + any +
              "\n%0 = keratin.mul %x, %b : (" + any + ", " + any + ") -> " + any);
  return text;
}

TEST_CASE("Messages of checks speak of sizes as the user calls them") {
  std::vector<Compiled> functions;
  // The names are words of the messages, and one is another's dimension.
  for (auto [rows, columns] : {std::pair("batch", "width"), std::pair("width", "batch"),
                               std::pair("shape", "take"), std::pair("x_dim1", "x_dim0")}) {
    functions.push_back(GraphText(namedRowsOf(rows, columns, "1.5")).compile());
    REQUIRE(functions.back());
    CHECK(isReused(functions.back()) == (functions.size() > 1));
    const keratin_function_desc_t &made = functions.back()->descriptor();
    REQUIRE(made.num_checks == 1);
    const std::string r = rows, c = columns;
    CHECK_THAT(made.checks[0].message,
               Catch::StartsWith("reshape: (" + r + ", " + c +
                                 ") cannot take the shape (floordiv(" + r + "*" + c + ", 4), 4)"));
  }
  // So does code that takes its constants from memory: one more function makes it, for all.
  for (auto [factor, source] : {std::pair("2.5", CompileReport::Source::Compiler),
                                std::pair("3.5", CompileReport::Source::Process)}) {
    const std::string r = std::string("of_") + factor[0];
    functions.push_back(GraphText(namedRowsOf(r, "c", factor)).compile());
    REQUIRE(functions.back());
    CHECK(functions.back()->report().source == source);
    CHECK_THAT(functions.back()->descriptor().checks[0].message,
               Catch::StartsWith("reshape: (" + r + ", c) cannot"));
  }
}

TEST_CASE("Options that change the code tell functions apart") {
  const Scaled graph{.elements = 14};
  Compiled first = compiled(graph);
  auto isReusedWith = [&](auto set) {
    CompileOptions options;
    set(options);
    return isReused(compiled(graph, options));
  };
  CHECK(isReusedWith([](CompileOptions &) {}));
  CHECK(isReusedWith([](CompileOptions &o) { o.timeLimit = 1h; }));
  CHECK(isReusedWith([](CompileOptions &o) { o.threads = 1; }));
  CHECK_FALSE(isReusedWith([](CompileOptions &o) { o.cpu = "x86-64"; }));
  CHECK_FALSE(isReusedWith([](CompileOptions &o) { o.profile = true; }));
  CHECK_FALSE(isReusedWith([](CompileOptions &o) { o.maxOps = 1000; }));
  CHECK_FALSE(isReusedWith([](CompileOptions &o) { o.maxConstantBytes = 1000; }));
  CHECK_FALSE(isReusedWith([](CompileOptions &o) { o.memoryBudget = 1000; }));
  CHECK_FALSE(isReusedWith([](CompileOptions &o) { o.checkNumbers = true; }));
  CHECK_FALSE(isReusedWith([](CompileOptions &o) { o.sourcePaths.strip = true; }));
  CHECK_FALSE(isReusedWith([](CompileOptions &o) { o.sourcePaths.prefixMap = {{"a", "b"}}; }));
  CHECK_FALSE(
      isReusedWith([](CompileOptions &o) { o.float32Products = codegen::Float32Products::Tf32; }));
}

TEST_CASE("Who wants to see a compilation gets one, unless nothing is left to be seen") {
  const Scaled graph{.elements = 15};
  Compiled first = compiled(graph);
  int steps = 0;
  CompileOptions watched, verified, anew;
  watched.progress = [&](const compiler::CompileStep &) { return ++steps, true; };
  CHECK(isReused(compiled(graph, watched)));
  CHECK(steps == 0);
  verified.verify = true;
  anew.reuse = false;
  for (const CompileOptions &options : {verified, anew})
    CHECK_FALSE(isReused(compiled(graph, options)));
}

TEST_CASE("A kernel that functions have in common is compiled once") {
  const char *const first = R"mlir(
    func.func @first(%x: tensor<37xf32>) -> tensor<37xf32> {
      %0 = keratin.erf %x : (tensor<37xf32>) -> tensor<37xf32>
      %1 = keratin.sin %0 : (tensor<37xf32>) -> tensor<37xf32>
      return %1 : tensor<37xf32>
    }
  )mlir";
  const char *const second = R"mlir(
    func.func @second(%z: tensor<5xf32>, %x: tensor<37xf32>) -> (tensor<5xf32>, tensor<37xf32>) {
      %0 = keratin.tanh %z : (tensor<5xf32>) -> tensor<5xf32>
      %1 = keratin.erf %x : (tensor<37xf32>) -> tensor<37xf32>
      %2 = keratin.sin %1 : (tensor<37xf32>) -> tensor<37xf32>
      return %0, %2 : tensor<5xf32>, tensor<37xf32>
    }
  )mlir";
  auto paysFor = [](const Compiled &function, const std::string &kernel) {
    for (const CompileReport::Cost &cost : function->report().code)
      if (cost.name.find(kernel) != std::string::npos)
        return true;
    return false;
  };
  Compiled one = GraphText(first).compile(), two = GraphText(second).compile();
  REQUIRE(one);
  REQUIRE(two);
  CHECK(paysFor(one, "erf"));
  CHECK_FALSE(paysFor(two, "erf"));
  CHECK(paysFor(two, "tanh"));
  // It lives with those that have it.
  one = two = nullptr;
  FunctionStore::ofProcess().clear();
  CHECK(paysFor(GraphText(second).compile(), "erf"));
}

TEST_CASE("Functions of one digest are compiled, each to its own code") {
  FunctionStore &store = FunctionStore::ofProcess();
  store.setDigestBits(0);
  std::vector<Compiled> functions;
  for (int i = 0; i < 20; ++i) {
    functions.push_back(compiled({.elements = 16 + i}));
    CHECK_FALSE(isReused(functions.back()));
  }
  for (int i = 0; i < 20; ++i) {
    Compiled again = compiled({.elements = 16 + i});
    CHECK(again->descriptor().entry == functions[size_t(i)]->descriptor().entry);
  }
  store.setDigestBits(64);
}

TEST_CASE("Of threads that compile equal functions one does the work") {
  Compiled functions[6];
  std::vector<std::thread> threads;
  for (Compiled &function : functions)
    threads.emplace_back([&] { function = compiled({.elements = 17}); });
  for (std::thread &thread : threads)
    thread.join();
  int made = 0;
  for (const Compiled &function : functions)
    made += !isReused(function);
  CHECK(made == 1);
}

TEST_CASE("A time limit also holds while others compile") {
  GraphText graph(Scaled{.elements = 18}.text());
  CompileOptions options;
  options.timeLimit = 10ms;
  auto key = std::make_shared<compiler::GraphKey>(graph.key(compiler::codeSettings(options)));
  FunctionStore::Answer other = FunctionStore::ofProcess().find(key, std::nullopt);
  REQUIRE(other.claim);
  CHECK_FALSE(graph.compile(options));
  CHECK(graph.error.code() == absl::StatusCode::kResourceExhausted);
  CHECK(graph.error.message() ==
        "compiling function 'f' takes longer than 10 ms; stopped while it waited for the code of "
        "an equal function");
}

TEST_CASE("A function that cannot be compiled says so each time, in its own words") {
  for (const char *name : {"one", "two"}) {
    GraphText graph(Scaled{.function = name, .elements = 19}.text());
    CompileOptions options;
    options.maxOps = 1;
    CHECK_FALSE(graph.compile(options));
    CHECK(graph.error.code() == absl::StatusCode::kResourceExhausted);
  }
}
