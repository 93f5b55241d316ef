// Each bomb is compiled in a process of its own with ten seconds of processor time and two
// gigabytes of memory: it must succeed, or be refused with a message. Slow machines have more time:
// that in which they compile an ordinary graph over and over. Where KERATIN_TEST_EVERY says so, a
// part of them, another one each day.
#include "compiler/driver/Compiler.h"
#include "compiler/driver/ModelFile.h"
#include "ir/text/SourceText.h"
#include "tests/limits/Bombs.h"
#include "tests/support/LimitedProcess.h"
#include "tests/support/TestEnvironment.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace keratin;

namespace {

enum ExitCode { kCompiled = 0, kRefused = 3, kSilent = 4 };

// In the child.
int compileText(const std::string &text) {
  if (ir::refuseSource(text))
    return kRefused;
  mlir::DialectRegistry registry;
  compiler::registerModelDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  bool reported = false;
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
    reported = !diagnostic.str().empty();
    if (std::getenv("KERATIN_BOMB_MESSAGES"))
      std::fprintf(stderr, "%s\n", diagnostic.str().substr(0, 300).c_str());
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return reported ? kRefused : kSilent;
  auto compiled = compiler::compile(*module, compiler::CompileOptions());
  if (compiled.ok())
    return kCompiled;
  if (std::getenv("KERATIN_BOMB_MESSAGES"))
    std::fprintf(stderr, "%s\n", std::string(compiled.status().message()).substr(0, 300).c_str());
  return compiled.status().message().empty() ? kSilent : kRefused;
}

// Seconds for each bomb: what a graph takes here that is none tells how fast the machine is.
double timeForBombs() {
  constexpr double kShare = 100;
  std::string text = "func.func @chain(%v0: tensor<8xf32> {keratin.kind = \"input\"}) -> "
                     "(tensor<8xf32> {keratin.kind = \"output\"}) {\n";
  constexpr int ops = 10'000;
  for (int i = 0; i < ops; ++i)
    text += "  %v" + std::to_string(i + 1) + " = keratin.tanh %v" + std::to_string(i) +
            " : (tensor<8xf32>) -> tensor<8xf32>\n";
  text += "  return %v" + std::to_string(ops) + " : tensor<8xf32>\n}\n";
  tests::LimitedRun run = tests::runLimited([&] { return compileText(text); }, 1000);
  REQUIRE(run.code == kCompiled);
  return std::max(10.0, kShare * run.seconds);
}

} // namespace

TEST_CASE("Bombs are compiled or refused within ten seconds and two gigabytes", "[bomb]") {
  const char *only = std::getenv("KERATIN_BOMB");
  const double seconds = timeForBombs();
  tests::Sample sample;
  for (const tests::Bomb &bomb : tests::bombs()) {
    if (only ? std::string(bomb.name).find(only) == std::string::npos : !sample.takesNext())
      continue;
    tests::LimitedRun run = tests::runLimited([&] { return compileText(bomb.text); }, seconds);
    INFO(bomb.name << ": " << run.text());
    if (std::getenv("KERATIN_BOMB_MESSAGES"))
      std::fprintf(stderr, "%-60s %s\n", bomb.name, run.text().c_str());
    CHECK(run.ended);
    CHECK((run.code == kCompiled || run.code == kRefused));
  }
}
