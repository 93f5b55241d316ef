// Each bomb is compiled in a process of its own with ten seconds of processor time and two
// gigabytes of memory: it must succeed, or be refused with a message.
#include "compiler/driver/Compiler.h"
#include "compiler/driver/ModelFile.h"
#include "ir/text/SourceText.h"
#include "tests/limits/Bombs.h"
#include "tests/support/NoExit.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace keratin;

namespace {

// Sanitizers reserve terabytes of addresses, and slow everything down.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool isSanitized = true;
#else
constexpr bool isSanitized = false;
#endif

constexpr rlim_t kSeconds = isSanitized ? 100 : 10;
constexpr rlim_t kBytes = rlim_t(2) << 30;

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
    INFO(bomb.name);
    std::fflush(nullptr);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      rlimit seconds{kSeconds, kSeconds + 1}, bytes{kBytes, kBytes}, core{0, 0};
      setrlimit(RLIMIT_CPU, &seconds);
      setrlimit(RLIMIT_CORE, &core);
      if (!isSanitized)
        setrlimit(RLIMIT_AS, &bytes);
      tests::endProcess(compileText(bomb.text));
    }
    int status = 0;
    rusage used{};
    REQUIRE(wait4(child, &status, 0, &used) == child);
    double seconds = used.ru_utime.tv_sec + used.ru_utime.tv_usec / 1e6;
    INFO("status " << status << ", " << seconds << " s, " << used.ru_maxrss / 1024 << " MiB");
    if (std::getenv("KERATIN_BOMB_MESSAGES"))
      std::fprintf(stderr, "%-60s exit %d signal %d %6.2f s %5ld MiB\n", bomb.name,
                   WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                   WIFSIGNALED(status) ? WTERMSIG(status) : 0, seconds, used.ru_maxrss / 1024);
    CHECK(WIFEXITED(status));
    CHECK((WEXITSTATUS(status) == kCompiled || WEXITSTATUS(status) == kRefused));
  }
}
