#include "tools/support/Watchdog.h"

#include "tools/support/Tool.h"

#include "llvm/Support/Signals.h"

#include <csignal>
#include <cstdio>
#include <fstream>
#include <unistd.h>

using namespace keratin::tools;

Watchdog::Watchdog(std::string input, std::chrono::nanoseconds limit)
    : input(std::move(input)), limit(limit) {
  if (limit.count() > 0)
    thread = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    isDone = true;
  }
  changed.notify_all();
  thread.join();
}

void Watchdog::enter(std::string next) {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    phase = std::move(next);
    isWriting = false;
  }
  changed.notify_all();
}

void Watchdog::enterWriting(std::string next) {
  if (!thread.joinable())
    return;
  std::lock_guard lock(mutex);
  phase = std::move(next);
  isWriting = true;
}

void Watchdog::watch() {
  std::unique_lock lock(mutex);
  if (changed.wait_for(lock, limit, [this] { return isDone; }))
    return;
  if (isWriting && changed.wait_for(lock, graceSeconds, [this] { return isDone || !isWriting; }) &&
      isDone)
    return;
  end();
}

// "10 s" of the time as it was given.
static std::string timeText(std::chrono::nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", std::chrono::duration<double>(time).count());
  return text;
}

// What this process has started: the linker, whose output nobody waits for any more.
static void endChildren() {
  std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
  for (pid_t child; children >> child;)
    kill(child, SIGKILL);
}

// Holds the lock: whoever comes to enter another phase now, or to leave, waits for ever.
void Watchdog::end() {
  dprintf(STDERR_FILENO, "%s: error: not done after %s: %s\n", input.c_str(),
          timeText(limit).c_str(), phase.c_str());
  endChildren();
  llvm::sys::RunInterruptHandlers(); // removes the output that LLVM's streams have begun
  // No destructors, and no exit handlers: other threads are still at work.
  _exit(int(ExitCode::LimitExceeded));
}
