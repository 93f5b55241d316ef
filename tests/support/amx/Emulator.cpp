#include "tests/support/amx/Emulator.h"

#include "tests/support/amx/Instruction.h"
#include "tests/support/amx/Tiles.h"
#include "tests/support/amx/Vectors.h"

#include "runtime/abi/keratin_cpu_tiles.h"

#include <atomic>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <initializer_list>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

using namespace keratin::tests::amx;

// Found without a call: the first use of other thread-local storage may allocate.
static constinit thread_local Tiles tiles __attribute__((tls_model("initial-exec"))) = {};
static constinit std::atomic<uint64_t> counts[numOps] = {};

//===-- Who else handles SIGILL ------------------------------------------------------------------//

using SigactionFunction = int (*)(int, const struct sigaction *, struct sigaction *);
static SigactionFunction libcSigaction() {
  static constinit std::atomic<SigactionFunction> found{nullptr};
  if (!found.load(std::memory_order_relaxed))
    found = reinterpret_cast<SigactionFunction>(dlsym(RTLD_NEXT, "sigaction"));
  return found;
}

// What the program wants done with SIGILL; the system knows our handler alone.
static struct sigaction wanted;
static constinit std::atomic<void *> wantedHandler{nullptr}; // of `wanted`, for the handler

static void want(const struct sigaction &action) {
  wanted = action;
  wantedHandler = action.sa_flags & SA_SIGINFO ? reinterpret_cast<void *>(action.sa_sigaction)
                                               : reinterpret_cast<void *>(action.sa_handler);
}

static void endBySignal(int number) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  libcSigaction()(number, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(number);
}

static void passOn(int number, siginfo_t *info, void *context) {
  void *handler = wantedHandler;
  // A processor's signal that is ignored comes again at once: the system ends such processes.
  if (handler == reinterpret_cast<void *>(SIG_IGN) && info->si_code <= 0)
    return;
  if (handler == reinterpret_cast<void *>(SIG_DFL) || handler == reinterpret_cast<void *>(SIG_IGN))
    return endBySignal(number);
  if (wanted.sa_flags & SA_RESETHAND)
    wantedHandler = reinterpret_cast<void *>(SIG_DFL);
  // One that takes the number alone does not see the others.
  reinterpret_cast<void (*)(int, siginfo_t *, void *)>(handler)(number, info, context);
}

//===-- Execution --------------------------------------------------------------------------------//

static const char *execute(const Instruction &instruction, mcontext_t &state) {
  if (instruction.vectorWords) {
    multiplyVectors(instruction, state);
    return nullptr;
  }
  const int dest = instruction.dest, first = instruction.first, second = instruction.second;
  auto *memory = reinterpret_cast<char *>(instruction.address);
  const auto stride = int64_t(instruction.stride);
  switch (instruction.op) {
  case LDTILECFG:
    return tiles.loadConfig(memory + stride);
  case STTILECFG:
    tiles.storeConfig(memory + stride);
    return nullptr;
  case TILERELEASE:
    tiles.release();
    return nullptr;
  case TILEZERO:
    return tiles.zero(dest);
  case TILELOADD:
  case TILELOADDT1:
    return tiles.load(dest, memory, stride);
  case TILESTORED:
    return tiles.store(dest, memory, stride);
  case TDPBF16PS:
    return tiles.multiplyBFloat16(dest, first, second);
  case TDPBSSD:
    return tiles.multiplyBytes(dest, first, second, Signs::BothSigned);
  case TDPBSUD:
    return tiles.multiplyBytes(dest, first, second, Signs::SignedUnsigned);
  case TDPBUSD:
    return tiles.multiplyBytes(dest, first, second, Signs::UnsignedSigned);
  case TDPBUUD:
    return tiles.multiplyBytes(dest, first, second, Signs::BothUnsigned);
  case VPDPBUSD:
  case VPDPWSSD:
  case numOps:
    break;
  }
  __builtin_unreachable();
}

static void say(const char *instruction, const char *why) {
  for (const char *part : {"AMX emulator: ", instruction, ": ", why, "\n"})
    if (write(STDERR_FILENO, part, strlen(part)) < 0)
      break;
}

static void onIllegalInstruction(int number, siginfo_t *info, void *context) {
  const int errnoBefore = errno;
  auto &state = static_cast<ucontext_t *>(context)->uc_mcontext;
  static constexpr int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                    REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15};
  uint64_t registers[16];
  for (int i = 0; i < 16; ++i)
    registers[i] = uint64_t(state.gregs[order[i]]);
  Instruction instruction;
  const bool byProcessor = info->si_code > 0;
  if (!byProcessor ||
      !decode(reinterpret_cast<const uint8_t *>(state.gregs[REG_RIP]), registers, instruction))
    return passOn(number, info, context);
  if (const char *why = execute(instruction, state)) {
    say(opName(instruction.op), why);
    // A wrong configuration is a general protection fault, the rest invalid opcodes.
    return endBySignal(instruction.op == LDTILECFG ? SIGSEGV : SIGILL);
  }
  counts[instruction.op].fetch_add(1, std::memory_order_relaxed);
  state.gregs[REG_RIP] += instruction.bytes;
  errno = errnoBefore;
}

//===-- Beginning and end ------------------------------------------------------------------------//

static void install() {
  static constinit std::atomic<bool> done{false};
  if (done.exchange(true))
    return;
  struct sigaction action = {}, before = {};
  action.sa_sigaction = onIllegalInstruction;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  libcSigaction()(SIGILL, &action, &before);
  want(before);
}

__attribute__((constructor)) static void begin() {
  // All processors for which the rest of the tests is worth running have it.
  if (!__builtin_cpu_supports("fma")) {
    say("fma", "the processor has none, and tiles need it");
    return;
  }
  // Programs that say for which processor their code is ask for no tiles, even where there are
  // some.
  (void)keratin_cpu_request_tiles();
  install();
  // Each process writes down its own.
  pthread_atfork(nullptr, nullptr, [] {
    for (std::atomic<uint64_t> &count : counts)
      count = 0;
  });
}

__attribute__((destructor)) static void writeCounts() {
  const char *path = getenv("KERATIN_AMX_COUNTS");
  if (!path || !*path)
    return;
  char text[40 * numOps];
  int length = 0;
  for (int i = 0; i < numOps; ++i)
    if (counts[i])
      length += snprintf(text + length, sizeof(text) - size_t(length), "%s %llu\n", opName(Op(i)),
                         static_cast<unsigned long long>(counts[i]));
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  // One call: other processes may write there too.
  if (file < 0 || write(file, text, size_t(length)) != length)
    say("KERATIN_AMX_COUNTS", "the file cannot be written");
  if (file >= 0)
    close(file);
}

uint64_t keratin_amx_executed(const char *instruction) {
  for (int i = 0; i < numOps; ++i)
    if (!strcmp(instruction, opName(Op(i))))
      return counts[i];
  return 0;
}

//===-- In place of the C library's --------------------------------------------------------------//

#define KERATIN_INTERPOSED extern "C" __attribute__((visibility("default")))

KERATIN_INTERPOSED int sigaction(int number, const struct sigaction *action,
                                 struct sigaction *before) noexcept {
  if (number != SIGILL)
    return libcSigaction()(number, action, before);
  install();
  const struct sigaction was = wanted;
  if (action)
    want(*action);
  if (before)
    *before = was;
  return 0;
}

KERATIN_INTERPOSED sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction action = {}, before = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaddset(&action.sa_mask, number);
  return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}
