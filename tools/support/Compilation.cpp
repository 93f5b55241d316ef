#include "tools/support/Compilation.h"

#include "llvm/Support/raw_ostream.h"

using namespace keratin;

static void show(const compiler::CompileStep &step) {
  llvm::raw_ostream &out = llvm::errs();
  const bool isEnd = step.next.empty();
  if (!isEnd && !out.is_displayed())
    return;
  // Back to the line's beginning, and away with what it was.
  if (out.is_displayed())
    out << "\r\x1b[K";
  out << step.function << ": " << step.stage << " " << step.done << "/" << step.of;
  if (isEnd)
    out << "\n";
  else
    out << ", " << step.next;
  out.flush();
}

std::function<bool(const compiler::CompileStep &)> tools::tellProgress(Watchdog &watchdog,
                                                                       bool isShown) {
  return [&watchdog, isShown](const compiler::CompileStep &step) {
    if (!step.next.empty())
      watchdog.enter("compiling: " + step.next);
    if (isShown)
      show(step);
    return true;
  };
}
