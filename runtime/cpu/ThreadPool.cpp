#include "runtime/cpu/ThreadPool.h"

#include "runtime/core/Profile.h"
#include "runtime/core/WorkerSignals.h"
#include "runtime/cpu/ForkMark.h"
#include "runtime/cpu/Scratch.h"

#include <atomic>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace keratin::runtime {

namespace {

constexpr int maxThreads = 256;
// Waking a parked thread costs 5 to 33 us, a region on a spinning one 0.2; so a worker spins this
// long first.
constexpr int64_t spinNanoseconds = 50'000;
// Past this many pauses whoever we wait for has probably lost its core: give ours away.
constexpr int pausesBeforeYield = 2000;
// Chunks of one dispatch, so that positions fit in 16 bits of a claim word.
constexpr int64_t maxChunks = 65535;

// True in a pool's worker, and in a caller while it runs a region: what it starts then runs
// serially.
thread_local bool insideRegion = false;

void pauseProcessor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int64_t nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

int defaultThreads() {
  if (const char *text = getenv("KERATIN_NUM_THREADS")) {
    char *end = nullptr;
    errno = 0;
    long threads = strtol(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0 && threads >= 1)
      return threads < maxThreads ? int(threads) : maxThreads;
  }
  long processors = 0;
#ifdef __linux__
  cpu_set_t set;
  // Not CPU_COUNT: it is a function of the C library, and compiled models name few of those.
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (unsigned long bits : set.__bits)
      processors += __builtin_popcountl(bits);
#else
  processors = sysconf(_SC_NPROCESSORS_ONLN);
#endif
  return processors < 1 ? 1 : processors < maxThreads ? int(processors) : maxThreads;
}

// The chunks [first, first + count) of a region.
struct Job {
  keratin_context_t *context;
  keratin_kernel_fn_t kernel;
  const int64_t *argv;
  int64_t units, grain, first;
};

// What a thread does of one region. It keeps its scratch meanwhile: what runs of chunks have in
// common, such as a packed operand, the kernel makes once.
class Turn {
public:
  Turn() = default;
  Turn(const Turn &) = delete;
  ~Turn() {
    if (scratch)
      scratch->leave(slot);
  }

  // As one call of the kernel.
  void runChunks(const Job &job, int64_t index, int64_t count) {
    int64_t begin = (job.first + index) * job.grain;
    int64_t end = count > (job.units - begin) / job.grain ? job.units : begin + count * job.grain;
    if (!job.context->profiled) {
      runUnits(job, begin, end);
      return;
    }
    int64_t start = profileClock();
    runUnits(job, begin, end);
    recordChunk(*job.context, start, begin, end);
  }

private:
  void runUnits(const Job &job, int64_t begin, int64_t end) {
    // context->host is the call's scratch, if its kernels need any.
    auto *ofCall = static_cast<Scratch *>(job.context->host);
    if (!ofCall) {
      job.kernel(job.context, job.argv, begin, end);
      return;
    }
    if (!scratch) {
      own = ofCall->enter(job.context, slot);
      scratch = ofCall;
    }
    job.kernel(&own, job.argv, begin, end);
    own.units_done = end;
  }

  Scratch *scratch = nullptr;
  int slot = 0;
  keratin_context_t own;
};

class ThreadPool {
public:
  // False if another thread holds the pool or there is nobody to help: the caller then runs the
  // region itself.
  bool tryRun(Job job, int64_t chunks) {
    if (insideRegion || threads() == 1)
      return false;
    forgetOfParent();
    if (busy.load(std::memory_order_relaxed) || busy.exchange(true, std::memory_order_acquire))
      return false;
    if (!startWorkers()) {
      busy.store(false, std::memory_order_release);
      return false;
    }
    insideRegion = true;
    for (int64_t first = 0; first < chunks; first += maxChunks) {
      job.first = first;
      dispatch(job, chunks - first < maxChunks ? chunks - first : maxChunks);
    }
    insideRegion = false;
    busy.store(false, std::memory_order_release);
    return true;
  }

  int threads() {
    int set = wanted.load(std::memory_order_relaxed);
    if (set == 0) {
      set = defaultThreads();
      int none = 0;
      if (!wanted.compare_exchange_strong(none, set))
        set = none;
    }
    return set;
  }

  void setThreads(int count) {
    hold();
    stopWorkers();
    wanted.store(count < 1 ? 1 : count < maxThreads ? count : maxThreads);
    busy.store(false, std::memory_order_release);
  }

  void addUser() { users.fetch_add(1, std::memory_order_relaxed); }

  void removeUser() {
    if (users.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return;
    hold();
    // Whoever came meanwhile finds threads, or starts them again.
    if (users.load(std::memory_order_acquire) == 0)
      stopWorkers();
    busy.store(false, std::memory_order_release);
  }

private:
  // Who may run which chunks. A participant starts with its own run of chunks, the same from job to
  // job, so that data stays in its cache; then it helps the others. A word holds the job's number
  // (32 bits), the next chunk and the end (16 bits each), so a claim succeeds only while that job
  // has that chunk left, and then the fields read before it are that job's.
  struct alignas(64) Claims {
    std::atomic<uint64_t> word{0};
  };

  static uint64_t pack(uint32_t number, int64_t next, int64_t end) {
    return uint64_t(number) << 32 | uint64_t(next) << 16 | uint64_t(end);
  }

  void dispatch(const Job &job, int64_t count) {
    int participants = workers + 1;
    context.store(job.context, std::memory_order_relaxed);
    kernel.store(job.kernel, std::memory_order_relaxed);
    argv.store(job.argv, std::memory_order_relaxed);
    units.store(job.units, std::memory_order_relaxed);
    grain.store(job.grain, std::memory_order_relaxed);
    first.store(job.first, std::memory_order_relaxed);
    remaining.store(count, std::memory_order_relaxed);
    uint32_t number = epoch.load(std::memory_order_relaxed) + 1;
    for (int i = 0; i < participants; ++i)
      claims[i].word.store(pack(number, i * count / participants, (i + 1) * count / participants),
                           std::memory_order_release);
    announce(number);
    participate(0, participants);
    for (int pauses = 0; remaining.load(std::memory_order_acquire) != 0; ++pauses)
      if (pauses < pausesBeforeYield)
        pauseProcessor();
      else
        sched_yield();
  }

  void participate(int self, int participants) {
    int64_t done = runClaims(self, participants);
    if (done)
      remaining.fetch_sub(done, std::memory_order_release);
  }

  // All of one job, which does not end before what is done here counts.
  int64_t runClaims(int self, int participants) {
    Turn turn;
    int64_t done = 0;
    for (int step = 0; step < participants; ++step) {
      Claims &theirs = claims[(self + step) % participants];
      Job job;
      int64_t chunk;
      while (int64_t count = claim(theirs, job, chunk)) {
        turn.runChunks(job, chunk, count);
        done += count;
      }
    }
    return done;
  }

  // Takes a quarter of the chunks that are left: long runs at first, single chunks in the end, when
  // others may be waiting. Returns how many, from `chunk` on.
  int64_t claim(Claims &from, Job &job, int64_t &chunk) {
    uint64_t word = from.word.load(std::memory_order_acquire);
    for (;;) {
      chunk = int64_t(word >> 16 & 0xFFFF);
      int64_t left = int64_t(word & 0xFFFF) - chunk;
      if (left <= 0)
        return 0;
      int64_t count = (left + 3) / 4;
      job = {context.load(std::memory_order_relaxed), kernel.load(std::memory_order_relaxed),
             argv.load(std::memory_order_relaxed),    units.load(std::memory_order_relaxed),
             grain.load(std::memory_order_relaxed),   first.load(std::memory_order_relaxed)};
      if (from.word.compare_exchange_weak(word, word + (uint64_t(count) << 16),
                                          std::memory_order_acq_rel, std::memory_order_acquire))
        return count;
    }
  }

  // Publishes a job, or that workers shall stop. Either this sees a parked worker or the worker
  // sees the epoch.
  void announce(uint32_t number) {
    epoch.store(number, std::memory_order_seq_cst);
    if (parked.load(std::memory_order_seq_cst) == 0)
      return;
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&mutex);
  }

  uint32_t awaitEpochAfter(uint32_t seen) {
    int64_t deadline = 0;
    for (int pauses = 0;; ++pauses) {
      uint32_t now = epoch.load(std::memory_order_acquire);
      if (now != seen)
        return now;
      if (pauses < pausesBeforeYield)
        pauseProcessor();
      else
        sched_yield();
      if (pauses % 64 != 0)
        continue;
      int64_t time = nanoseconds();
      if (deadline == 0)
        deadline = time + spinNanoseconds;
      else if (time > deadline)
        break;
    }
    pthread_mutex_lock(&mutex);
    parked.fetch_add(1, std::memory_order_seq_cst);
    uint32_t now;
    while ((now = epoch.load(std::memory_order_seq_cst)) == seen)
      pthread_cond_wait(&wake, &mutex);
    parked.fetch_sub(1, std::memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
    return now;
  }

  struct Start {
    ThreadPool *pool;
    int self;
  };

  static void *workerMain(void *argument) {
    const Start &start = *static_cast<const Start *>(argument);
    insideRegion = true;
    start.pool->work(start.self);
    return nullptr;
  }

  void work(int self) {
    uint32_t seen = startEpoch;
    int participants = startParticipants;
    for (;;) {
      seen = awaitEpochAfter(seen);
      if (stopping.load(std::memory_order_relaxed))
        return;
      participate(self, participants);
    }
  }

  // With busy held. True if there is at least one worker.
  bool startWorkers() {
    if (started)
      return workers > 0;
    started = true;
    stopping.store(false, std::memory_order_relaxed);
    startEpoch = epoch.load(std::memory_order_relaxed);
    int planned = threads() - 1;
    startParticipants = planned + 1;
    int made = 0;
    {
      WorkerSignals own;
      for (; made < planned; ++made) {
        starts[made] = {this, made + 1};
        if (pthread_create(&handles[made], nullptr, workerMain, &starts[made]) != 0)
          break;
      }
    }
    // Where the system refused threads, the claims of those missing go to the others.
    created = made;
    workers = made > 0 ? planned : 0;
    return workers > 0;
  }

  void stopWorkers() {
    if (!started)
      return;
    stopping.store(true, std::memory_order_relaxed);
    announce(epoch.load(std::memory_order_relaxed) + 1);
    for (int i = 0; i < created; ++i)
      pthread_join(handles[i], nullptr);
    started = false;
    workers = created = 0;
  }

  // Waits for the region in flight.
  void hold() {
    forgetOfParent();
    while (busy.exchange(true, std::memory_order_acquire))
      sched_yield();
  }

  // Before busy is taken: in the child of a fork only the forking thread lives on, and what others
  // held is nobody's.
  void forgetOfParent() {
    mark.place();
    if (!mark.isInChild())
      return;
    started = false;
    workers = created = 0;
    parked.store(0);
    busy.store(false);
    mutex = PTHREAD_MUTEX_INITIALIZER;
    wake = PTHREAD_COND_INITIALIZER;
    mark.forget();
  }

  std::atomic<int> wanted{0};
  std::atomic<int64_t> users{0};
  std::atomic<bool> busy{false};

  // Guarded by busy; workers read the start values, which are set before they begin.
  bool started = false;
  int workers = 0, created = 0;
  uint32_t startEpoch = 0;
  int startParticipants = 1;
  ForkMark mark;
  pthread_t handles[maxThreads] = {};
  Start starts[maxThreads] = {};

  alignas(64) std::atomic<uint32_t> epoch{0};
  std::atomic<bool> stopping{false};
  // The job; atomics, since a late worker may read them while the next job is being written (its
  // claim then fails).
  std::atomic<keratin_context_t *> context{nullptr};
  std::atomic<keratin_kernel_fn_t> kernel{nullptr};
  std::atomic<const int64_t *> argv{nullptr};
  std::atomic<int64_t> units{0}, grain{0}, first{0};
  alignas(64) std::atomic<int64_t> remaining{0};
  alignas(64) std::atomic<int> parked{0};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
  Claims claims[maxThreads];
};

constinit ThreadPool pool;

constinit keratin_thread_pool_t hostPool = {nullptr, nullptr};

void runChunkOnHost(void *data, int64_t chunk) {
  bool before = insideRegion;
  insideRegion = true;
  Turn().runChunks(*static_cast<const Job *>(data), chunk, 1);
  insideRegion = before;
}

} // namespace

void parallelFor(keratin_context_t *context, keratin_kernel_fn_t kernel, const int64_t *argv,
                 int64_t units, int64_t grain) {
  if (units <= 0)
    return;
  if (grain <= 0 || grain > units)
    grain = units;
  Job job = {context, kernel, argv, units, grain, 0};
  int64_t chunks = units / grain + (units % grain != 0);
  if (chunks > 1) {
    if (hostPool.run && !insideRegion) {
      hostPool.run(hostPool.user, runChunkOnHost, &job, chunks);
      return;
    }
    if (pool.tryRun(job, chunks))
      return;
  }
  Turn().runChunks(job, 0, chunks);
}

void addPoolUser() { pool.addUser(); }
void removePoolUser() { pool.removeUser(); }

} // namespace keratin::runtime

extern "C" void keratin_set_num_threads(int32_t threads) {
  keratin::runtime::pool.setThreads(threads);
}

extern "C" int32_t keratin_num_threads(void) { return keratin::runtime::pool.threads(); }

extern "C" void keratin_set_thread_pool(const keratin_thread_pool_t *pool) {
  keratin::runtime::hostPool = pool ? *pool : keratin_thread_pool_t{nullptr, nullptr};
}
