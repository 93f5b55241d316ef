#include "codegen/llvm/Recovery.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

using namespace keratin::codegen;

namespace {

// A recover() that is running.
struct Frame {
  Frame *outer;
  std::jmp_buf place;
  const void *prettyStack;
  bool isReserveOfWork;
  Ending ending = Ending::Done;
  // No memory may be asked for on the way out.
  char message[1024] = "";
};

thread_local Frame *innermost = nullptr;

[[noreturn]] void jump(Ending ending, const char *message) {
  Frame &frame = *innermost;
  frame.ending = ending;
  std::strncpy(frame.message, message ? message : "", sizeof frame.message - 1);
  std::longjmp(frame.place, 1);
}

// Not written to, so it takes addresses, no memory.
constexpr size_t kReserveBytes = 2 << 20;
std::atomic<void *> reserve{nullptr};
thread_local bool isReserveInUse = false, isReserveOfWork = false;

// Whether there was something, which can be had now.
bool spendReserve() {
  void *memory = reserve.exchange(nullptr);
  std::free(memory);
  return memory;
}

// Of operator new. The host may have one that finds memory.
std::new_handler hostHandler = nullptr;

void onNoMemory() {
  if (hostHandler) {
    try {
      hostHandler();
      return;
    } catch (const std::bad_alloc &) {
    }
  }
  if (isReserveOfWork && spendReserve())
    return;
  if (innermost)
    jump(Ending::NoMemory, nullptr);
  if (!isReserveInUse || !spendReserve())
    throw std::bad_alloc();
}

// Of LLVM's own calls of malloc. Without a recover() as LLVM does it where it has exceptions.
void onBadAlloc(void *, const char *, bool) {
  if (innermost)
    jump(Ending::NoMemory, nullptr);
  throw std::bad_alloc();
}

void onFatalError(void *, const char *reason, bool) {
  if (!innermost)
    return; // and LLVM ends the process
  char message[sizeof Frame::message] = "LLVM: ";
  std::strncat(message, reason, sizeof message - std::strlen(message) - 1);
  jump(Ending::FatalError, message);
}

// MLIR does not look whether malloc gave it memory. While any thread is in a recover(), what it
// does with the null pointer is taken for what it is; all other faults are the host's as before.
class NullPointers {
public:
  static void enter() {
    std::lock_guard lock(mutex);
    if (users++ > 0)
      return;
    struct sigaction ours = {};
    ours.sa_sigaction = onFault;
    // The jump out of the handler must not leave the signal blocked.
    ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigaction(SIGSEGV, &ours, &host);
  }

  static void exit() {
    std::lock_guard lock(mutex);
    if (--users > 0)
      return;
    struct sigaction now;
    if (sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == onFault)
      sigaction(SIGSEGV, &host, nullptr);
  }

private:
  static void onFault(int signal, siginfo_t *info, void *context) {
    constexpr uintptr_t largestMember = 64 << 10;
    if (innermost && info->si_code == SEGV_MAPERR && uintptr_t(info->si_addr) < largestMember)
      jump(Ending::FatalError, "LLVM: a null pointer was used, as where memory is not given");
    if (host.sa_flags & SA_SIGINFO)
      host.sa_sigaction(signal, info, context);
    else if (host.sa_handler == SIG_DFL || host.sa_handler == SIG_IGN)
      sigaction(signal, &host, nullptr); // and the fault comes again
    else
      host.sa_handler(signal);
  }

  static std::mutex mutex;
  static int users;
  static struct sigaction host;
};

std::mutex NullPointers::mutex;
int NullPointers::users = 0;
struct sigaction NullPointers::host = {};

} // namespace

void Reserve::begin() { isReserveInUse = true; }
void Reserve::end() { isReserveInUse = false; }

bool Reserve::fill() {
  if (!reserve.load(std::memory_order_relaxed)) {
    void *none = nullptr, *memory = std::malloc(kReserveBytes);
    if (!reserve.compare_exchange_strong(none, memory))
      std::free(memory); // another thread was faster
  }
  // Ops are made by malloc, which asks no handler: of these an op takes one, of less than this.
  constexpr size_t opBytes = 1 << 14;
  void *beside = std::malloc(opBytes);
  std::free(beside);
  return beside && reserve.load(std::memory_order_relaxed);
}

Reserve::Work::Work() {
  if (!fill())
    leave(Ending::NoMemory, "");
  isReserveOfWork = true;
}

Reserve::Work::~Work() { isReserveOfWork = false; }

void keratin::codegen::expectNoMemory() {
  static std::mutex mutex;
  if (std::get_new_handler() == onNoMemory)
    return;
  std::lock_guard lock(mutex);
  static bool isFirst = true;
  if (isFirst) {
    llvm::install_bad_alloc_error_handler(onBadAlloc);
    llvm::install_fatal_error_handler(onFatalError);
    isFirst = false;
  }
  if (std::new_handler before = std::set_new_handler(onNoMemory); before != onNoMemory)
    hostHandler = before;
}

namespace {

// Apart from recover(), whose variables a jump leaves alone.
__attribute__((noinline)) bool run(Frame &frame, llvm::function_ref<void()> work) {
  if (setjmp(frame.place) != 0)
    return false;
  work();
  return true;
}

} // namespace

Ending keratin::codegen::recover(llvm::function_ref<void()> work, std::string &message) {
  expectNoMemory();
  Frame frame;
  frame.outer = innermost;
  frame.prettyStack = llvm::SavePrettyStackState();
  frame.isReserveOfWork = isReserveOfWork;
  if (!frame.outer)
    NullPointers::enter();
  struct Restore {
    Frame &frame;
    ~Restore() {
      innermost = frame.outer;
      isReserveOfWork = frame.isReserveOfWork;
      if (!frame.outer)
        NullPointers::exit();
      llvm::RestorePrettyStackState(frame.prettyStack);
    }
  } restore{frame};
  innermost = &frame;
  try {
    if (run(frame, work))
      return Ending::Done;
  } catch (const std::bad_alloc &) { // of an operator new of the host's that asks no handler
    return Ending::NoMemory;
  }
  // Behind the jump. Where there is no memory for the message either, that must not leave the frame
  // around this one: its locks are held.
  innermost = nullptr;
  try {
    message = frame.message;
  } catch (const std::bad_alloc &) {
  }
  return frame.ending;
}

bool keratin::codegen::isRecovering() { return innermost; }

void keratin::codegen::leave(Ending ending, const std::string &message) {
  if (innermost)
    jump(ending, message.c_str());
  if (ending == Ending::NoMemory)
    throw std::bad_alloc();
  llvm::report_fatal_error(llvm::StringRef(message));
}
