// --timeout of the tools.
#ifndef KERATIN_TOOLS_SUPPORT_WATCHDOG_H
#define KERATIN_TOOLS_SUPPORT_WATCHDOG_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace keratin::tools {

// Ends the process with ExitCode::LimitExceeded and a message when its time is over, unless it is
// destroyed before.
//
// From a thread: the parser, a pass, LLVM or a model that runs cannot be asked to stop, and a tool
// has nothing that must outlive it. (The library cannot do that to its host; it looks at the time
// between passes and kernels: CompileOptions::timeLimit.) A file is not left half-written: who
// writes one says so, and may finish it.
class Watchdog {
public:
  // `input` is what the message is about: a file, or the tool's name. Without a limit (0) there is
  // no thread, and nothing happens.
  Watchdog(std::string input, std::chrono::nanoseconds limit);
  ~Watchdog();
  Watchdog(const Watchdog &) = delete;
  Watchdog &operator=(const Watchdog &) = delete;

  // What the tool does from now on, as "reading the model".
  void enter(std::string phase);
  // The same, and the end waits for the next call of enter(), or for graceSeconds.
  void enterWriting(std::string phase);

private:
  static constexpr auto graceSeconds = std::chrono::seconds(10);

  void watch();
  [[noreturn]] void end();

  const std::string input;
  const std::chrono::nanoseconds limit;
  std::mutex mutex;
  std::condition_variable changed;
  std::string phase = "starting";
  bool isWriting = false, isDone = false;
  std::thread thread;
};

} // namespace keratin::tools

#endif // KERATIN_TOOLS_SUPPORT_WATCHDOG_H
