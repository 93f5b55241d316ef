// What tools tell of a compilation while it runs.
#ifndef KERATIN_TOOLS_SUPPORT_COMPILATION_H
#define KERATIN_TOOLS_SUPPORT_COMPILATION_H

#include "compiler/driver/Compiler.h"
#include "tools/support/Watchdog.h"

namespace keratin::tools {

// For CompileOptions::progress. The watchdog learns each step; if `isShown`, standard error gets a
// line a stage, which shows its steps meanwhile where it is a terminal.
std::function<bool(const compiler::CompileStep &)> tellProgress(Watchdog &watchdog,
                                                                bool isShown = false);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_SUPPORT_COMPILATION_H
