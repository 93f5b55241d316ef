// The signals of threads that the runtime starts.
#ifndef KERATIN_RUNTIME_CORE_WORKERSIGNALS_H
#define KERATIN_RUNTIME_CORE_WORKERSIGNALS_H

#include <signal.h>
#include <string.h>

namespace keratin::runtime {

// While it lives, threads are started without the host's signals, which are the business of the
// host's threads, but for those that a thread's own instruction raises: blocked, they would end the
// process and no handler would see them.
class WorkerSignals {
public:
  WorkerSignals() {
    sigset_t all;
    memset(&all, 0xFF, sizeof(all));
    for (int own : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
      sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~WorkerSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  WorkerSignals(const WorkerSignals &) = delete;
  WorkerSignals &operator=(const WorkerSignals &) = delete;

private:
  sigset_t before;
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_WORKERSIGNALS_H
