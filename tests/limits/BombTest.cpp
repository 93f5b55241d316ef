// Each bomb is compiled in a process of its own with ten seconds of processor time and two
// gigabytes of memory: it must succeed, or be refused with a message.
#include "compiler/driver/Compiler.h"
#include "compiler/driver/ModelFile.h"
#include "ir/text/SourceText.h"
#include "tests/limits/Bombs.h"
#include "tests/support/LimitedProcess.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

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

} // namespace

TEST_CASE("Bombs are compiled or refused within ten seconds and two gigabytes", "[bomb]") {
  const char *only = std::getenv("KERATIN_BOMB");
  for (const tests::Bomb &bomb : tests::bombs()) {
    if (only && std::string(bomb.name).find(only) == std::string::npos)
      continue;
    tests::LimitedRun run = tests::runLimited([&] { return compileText(bomb.text); });
    INFO(bomb.name << ": " << run.text());
    if (std::getenv("KERATIN_BOMB_MESSAGES"))
      std::fprintf(stderr, "%-60s %s\n", bomb.name, run.text().c_str());
    CHECK(run.ended);
    CHECK((run.code == kCompiled || run.code == kRefused));
  }
}
