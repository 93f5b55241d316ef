// The same graph gives the same code, in this process and in another, whatever was compiled before;
// the same code gives the same bits, whatever the number of threads.
//
// KERATIN_DETERMINISM_GRAPHS=100 tries more graphs than a test run has time for.
#include "ir/dialect/Keratin.h"
#include "ir/reference/HostConversions.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/NoExit.h"
#include "tests/support/RandomGraph.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TestEnvironment.h"

#include <keratin/runtime.h>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace keratin;
using namespace keratin::tests;
namespace fs = std::filesystem;

namespace {

uint64_t graphCount() { return uint64_t(fromEnvironment("KERATIN_DETERMINISM_GRAPHS", 6)); }

std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  compiler::registerDialects(registry);
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

RandomFunction makeGraph(mlir::MLIRContext *context, uint64_t seed) {
  return makeRandomFunction(context, {3 * seed, 3 * seed + 1, 3 * seed + 2}, 30);
}

class Folder {
public:
  Folder() {
    std::string model = fs::temp_directory_path() / "keratin-test-XXXXXX";
    REQUIRE(mkdtemp(model.data()));
    path = model;
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

// What each phase left of the graph, by name, and the assembly.
using Dump = std::map<std::string, std::string>;

Dump read(const fs::path &folder) {
  Dump dump;
  for (const fs::directory_entry &file : fs::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    dump[file.path().filename()] = text.str();
  }
  return dump;
}

void compileInto(const fs::path &folder, uint64_t seed) {
  auto context = makeContext();
  compiler::CompileOptions options;
  options.dumpDirectory = folder;
  CompiledRunner runner(makeGraph(context.get(), seed).function, options);
  INFO(runner.error);
  REQUIRE(runner.error.empty());
}

void checkEqual(const Dump &a, const Dump &b, const char *what) {
  REQUIRE(a.size() == b.size());
  REQUIRE(a.size() >= 7);
  for (const auto &[name, text] : a) {
    INFO(what << ", " << name);
    auto other = b.find(name);
    REQUIRE(other != b.end());
    // Not by value: a failure would print both.
    bool equal = text == other->second;
    CHECK(equal);
  }
}

} // namespace

TEST_CASE("A graph compiled again gives the same bytes", "[determinism]") {
  for (uint64_t seed = 1; seed <= graphCount(); ++seed) {
    INFO("seed " << seed);
    Folder first, second;
    compileInto(first.path, seed);
    // Moves the addresses of everything that follows.
    auto context = makeContext();
    auto other = makeGraph(context.get(), 1000 + seed);
    std::vector<std::string> noise(1000, std::string(100 + seed, 'x'));
    compileInto(second.path, seed);
    checkEqual(read(first.path), read(second.path), "again");
  }
}

// Runs in the process that the next test starts.
TEST_CASE("One graph compiled for another process", "[.child]") {
  const char *folder = std::getenv("KERATIN_DETERMINISM_FOLDER");
  REQUIRE(folder);
  for (uint64_t seed = graphCount(); seed >= 1; --seed) {
    fs::path place = fs::path(folder) / std::to_string(seed);
    fs::create_directories(place);
    compileInto(place, seed);
  }
}

TEST_CASE("Another process gives the same bytes", "[determinism]") {
  Folder theirs;
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    setenv("KERATIN_DETERMINISM_FOLDER", theirs.path.c_str(), 1);
    // The addresses of a new program are its own. In the other order, too.
    execl("/proc/self/exe", "determinism_test", "[.child]", nullptr);
    endProcess(127);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  for (uint64_t seed = 1; seed <= graphCount(); ++seed) {
    INFO("seed " << seed);
    Folder ours;
    compileInto(ours.path, seed);
    checkEqual(read(ours.path), read(theirs.path / std::to_string(seed)), "another process");
  }
}

namespace {

std::vector<ir::HostTensor> argumentsFor(mlir::func::FuncOp function,
                                         const std::map<int64_t, int64_t> &symbols) {
  ir::EvaluationContext context;
  context.symbols = symbols;
  std::vector<ir::HostTensor> arguments;
  for (mlir::Type type : function.getArgumentTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    std::vector<int64_t> dims;
    for (const ir::DimExpr &dim : ir::getShape(tensor))
      dims.push_back(context.evaluate(dim).value_or(-1));
    auto argument =
        randomTensor(ir::dtypeOf(tensor.getElementType()), dims, uint64_t(arguments.size()) << 32);
    REQUIRE(argument);
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

} // namespace

TEST_CASE("Any number of threads gives the same bits", "[determinism]") {
  // Large enough for several chunks, and divisible by nothing.
  const std::map<int64_t, int64_t> symbols = {{0, 61}, {1, 127}, {2, 37}};
  int32_t before = keratin_num_threads();
  for (uint64_t seed = 1; seed <= graphCount(); ++seed) {
    auto context = makeContext();
    RandomFunction graph = makeGraph(context.get(), seed);
    std::vector<ir::HostTensor> arguments = argumentsFor(graph.function, symbols);
    CompiledRunner runner(graph.function);
    REQUIRE(runner.error.empty());
    std::vector<std::string> expected;
    for (int32_t threads : {1, 2, 8, 64}) {
      keratin_set_num_threads(threads);
      for (int repeat = 0; repeat < 3; ++repeat) {
        auto results = runner.run(arguments);
        // An index out of range, say, is an error with any number of threads.
        std::vector<std::string> bytes;
        if (results)
          for (const ir::HostTensor &result : *results) {
            auto raw = ir::toBytes(result);
            bytes.emplace_back(raw.begin(), raw.end());
          }
        else
          bytes.push_back(runner.error);
        if (expected.empty())
          expected = bytes;
        bool equal = bytes == expected;
        INFO("seed " << seed << ", " << threads << " threads");
        CHECK(equal);
      }
    }
  }
  keratin_set_num_threads(before);
}
