// A pass that fails, at every place of the compiler: the message names a file, which keratin-opt
// replays. KERATIN_OPT is its path.
#include "compiler/driver/Attempt.h"
#include "compiler/driver/Compiler.h"
#include "compiler/pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace keratin::compiler;
namespace fs = std::filesystem;

namespace {

const char *const kGraph = R"mlir(
func.func @secret_function(%x: tensor<3xf32> {keratin.kind = "input", keratin.name = "secret_input"})
    -> (tensor<3xf32> {keratin.kind = "output"}) {
  %c = keratin.constant dense<[1.25, 2.5, 98765.5]> : tensor<3xf32>
  %0 = keratin.require equal #keratin.dims<3> #keratin.dims<3> "secret_message" %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = keratin.tanh %x : (tensor<3xf32>) -> tensor<3xf32>
  %2 = keratin.mul %1, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = keratin.gradients %2 wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %3 : tensor<3xf32>
}
)mlir";

class Folder {
public:
  Folder() : path(fs::temp_directory_path() / ("keratin-test-" + std::to_string(std::rand()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::vector<fs::path> files() const {
    return {fs::directory_iterator(path), fs::directory_iterator()};
  }
  fs::path path;
};

absl::Status compileText(const std::string &text, const CompileOptions &options) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  REQUIRE(module);
  absl::Status status = compile(*module, options).status();
  if (isAbandoned(status)) {
    (void)module.release();
    (void)context.release();
  }
  return status;
}

struct Replay {
  int status;
  std::string output;
};

Replay replay(const fs::path &file) {
  const char *opt = std::getenv("KERATIN_OPT");
  REQUIRE(opt);
  std::string command =
      std::string(opt) + " --run-reproducer " + file.string() + " -o /dev/null 2>&1";
  FILE *pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string output;
  char buffer[4096];
  while (size_t read = fread(buffer, 1, sizeof buffer, pipe))
    output.append(buffer, read);
  return {pclose(pipe), output};
}

std::string contents(const fs::path &file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("A failing pass at every position leaves a reproducer", "[reproducer]") {
  REQUIRE(passCount() >= 16);
  // Behind the passes code generation fails, and behind that LLVM would end the process.
  for (int position = 0; position <= passCount() + 1; ++position) {
    INFO("position " << position);
    const char *why = position > passCount() ? "LLVM: died on purpose" : "failed on purpose";
    Folder folder;
    CompileOptions options;
    options.reproducerDirectory = folder.path;
    options.failBefore = position;
    absl::Status status = compileText(kGraph, options);
    CHECK(status.code() == absl::StatusCode::kInternal);
    std::string message(status.message());
    CHECK(message.find(why) != std::string::npos);
    std::vector<fs::path> files = folder.files();
    REQUIRE(files.size() == 1);
    CHECK(message.find("to reproduce: keratin-opt --run-reproducer " + files[0].string()) !=
          std::string::npos);
    CHECK((fs::status(files[0]).permissions() & fs::perms::others_all) == fs::perms::none);
    Replay again = replay(files[0]);
    CHECK(again.status != 0);
    // Where LLVM died keratin-opt may die of it too: that shows the error as well.
    if (position <= passCount())
      CHECK(again.output.find(why) != std::string::npos);
  }
}

TEST_CASE("A reproducer holds no data unless asked", "[reproducer]") {
  for (bool withData : {false, true}) {
    Folder folder;
    CompileOptions options;
    options.reproducerDirectory = folder.path;
    options.reproducerWithData = withData;
    options.failBefore = 0;
    REQUIRE_FALSE(compileText(kGraph, options).ok());
    std::string text = contents(folder.files().at(0));
    CHECK((text.find("secret") != std::string::npos) == withData);
    CHECK((text.find("98765.5") != std::string::npos ||
           text.find("9.87655") != std::string::npos) == withData);
    CHECK(text.find("keratin.tanh") != std::string::npos);
  }
}

TEST_CASE("A graph that is wrong writes no file", "[reproducer]") {
  const std::string begin = "func.func @f(%x: tensor<3xf32> {keratin.kind = \"input\"}) -> (";
  Folder folder;
  CompileOptions options;
  options.reproducerDirectory = folder.path;
  absl::Status status =
      compileText(begin + "tensor<3xf32>) {\n"
                          "  %0 = keratin.require equal #keratin.dims<3> #keratin.dims<4> "
                          "\"sizes\" %x : (tensor<3xf32>) -> tensor<3xf32>\n"
                          "  return %0 : tensor<3xf32>\n}",
                  options);
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK(std::string(status.message()).find("sizes (3 and 4)") != std::string::npos);
  status = compileText(begin + "tensor<?xi64, #keratin.dims<d0>>) {\n"
                               "  %0 = keratin.iota {axis = 0 : i64} : tensor<?xi64, "
                               "#keratin.dims<d0>>\n"
                               "  return %0 : tensor<?xi64, #keratin.dims<d0>>\n}",
                       options);
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK(folder.files().empty());
}

TEST_CASE("A folder that does not exist costs the message nothing", "[reproducer]") {
  CompileOptions options;
  options.reproducerDirectory = "/nonexistent/folder";
  options.failBefore = 3;
  std::string message(compileText(kGraph, options).message());
  CHECK(message.find("failed on purpose") == 0);
  CHECK(message.find("reproduce") == std::string::npos);
}

TEST_CASE("Graphs beyond the limits are refused", "[limits]") {
  CompileOptions options;
  options.maxOps = 4;
  absl::Status status = compileText(kGraph, options);
  CHECK(status.code() == absl::StatusCode::kResourceExhausted);
  CHECK(std::string(status.message()).find("the graph has 7 ops; at most 4 are compiled") !=
        std::string::npos);
  options = CompileOptions();
  options.maxOps = 12; // enough for the graph, not for its gradients
  status = compileText("func.func @f(%x: tensor<f32> {keratin.kind = \"input\"}) -> tensor<f32> {\n"
                       "  %0 = keratin.tanh %x : (tensor<f32>) -> tensor<f32>\n"
                       "  %1 = keratin.gradients %0 wrt %x : (tensor<f32>, tensor<f32>) -> "
                       "tensor<f32>\n"
                       "  %2 = keratin.gradients %1 wrt %x : (tensor<f32>, tensor<f32>) -> "
                       "tensor<f32>\n"
                       "  %3 = keratin.gradients %2 wrt %x : (tensor<f32>, tensor<f32>) -> "
                       "tensor<f32>\n"
                       "  return %3 : tensor<f32>\n}",
                       options);
  CHECK(status.code() == absl::StatusCode::kResourceExhausted);
  CHECK(std::string(status.message()).find("grows beyond 12 ops") != std::string::npos);
  options = CompileOptions();
  options.maxConstantBytes = 11;
  status = compileText(kGraph, options);
  CHECK(status.code() == absl::StatusCode::kResourceExhausted);
  CHECK(std::string(status.message()).find("constants need more than 11 bytes") !=
        std::string::npos);
}

TEST_CASE("A module to compile holds one function", "[limits]") {
  absl::Status status = compileText("func.func private @a()\nfunc.func private @b()\n", {});
  CHECK(status.message() == "a module to compile holds one function, found 2");
}

TEST_CASE("Sizes at the boundary of 64 bits are refused before code is made", "[limits]") {
  auto message = [](const std::string &type) {
    Folder folder;
    CompileOptions options;
    options.reproducerDirectory = folder.path;
    absl::Status status =
        compileText("func.func @f(%x: " + type + " {keratin.kind = \"input\"}) -> " + type +
                        " {\n  %0 = keratin.neg %x : (" + type + ") -> " + type +
                        "\n  return %0 : " + type + "\n}",
                    options);
    CHECK(folder.files().empty());
    return std::string(status.message());
  };
  const std::string bytes = "the bytes of an input or output of type";
  // The last that fits, and the first that does not; zeros hide nothing.
  CHECK(message("tensor<9223372036854775807xi8>").empty());
  CHECK(message("tensor<2305843009213693951xf32>").empty());
  CHECK(message("tensor<1152921504606846975xf64>").empty());
  for (const char *type :
       {"tensor<2305843009213693952xf32>", "tensor<1152921504606846976xf64>",
        "tensor<4611686018427387904xf16>", "tensor<1024x1024x1024x1024x2097152xf32>",
        "tensor<3037000500x3037000499xi16>", "tensor<0x4611686018427387904xf32>",
        "tensor<4611686018427387904x?xf32, #keratin.dims<4611686018427387904, d0>>"})
    CHECK(message(type).find(bytes) != std::string::npos);
  std::string rank = "tensor<";
  for (int i = 0; i < 32; ++i)
    rank += "1x";
  CHECK(message(rank + "f32>").empty());
  CHECK(message(rank + "1xf32>").find("an input or output has rank 33; at most 32 is possible") !=
        std::string::npos);
}
