// Loads compiled models, calls them with threads and unloads them again: nothing of them stays, no
// thread and no memory. Arguments: the paths of the models net and table.
#include "Check.h"
#include "net.h"
#include "table.h"

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What the C library has given and not got back. These stand before those of libc for all objects.
static long live;
extern void *__libc_malloc(size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *memory);
void *malloc(size_t bytes) {
  __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
  return __libc_malloc(bytes);
}
int posix_memalign(void **result, size_t alignment, size_t bytes) {
  __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
  *result = __libc_memalign(alignment, bytes);
  return *result ? 0 : 12;
}
void free(void *memory) {
  if (memory)
    __atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
  __libc_free(memory);
}

static int threads(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  REQUIRE(tasks);
  while (readdir(tasks))
    ++count;
  closedir(tasks);
  return count - 2; // "." and ".."
}

// Of a thread that has been joined the kernel may take a moment to clear away what it was.
static int hasThreads(int count) {
  const struct timespec moment = {0, 1000000};
  for (int attempt = 0; threads() != count; ++attempt) {
    if (attempt == 60000)
      return 0;
    nanosleep(&moment, NULL);
  }
  return 1;
}

enum { rows = 200000 };
static float x[rows * 4], y[rows * 3], expected[rows * 3];

// The functions of net.h in an object loaded at run time.
struct Net {
  void *object;
  keratin_status_code_t (*create)(net_state_t **, keratin_status_t *);
  void (*destroy)(net_state_t *);
  void (*setThreads)(int32_t);
  keratin_status_code_t (*predict)(net_state_t *, const keratin_tensor_t *,
                                   const keratin_tensor_t *, void *, size_t, keratin_status_t *);
};

static void *symbol(void *object, const char *name) {
  void *found = dlsym(object, name);
  REQUIRE(found);
  return found;
}

static struct Net load(const char *path) {
  struct Net net;
  net.object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(net.object);
  *(void **)&net.create = symbol(net.object, "net_state_create");
  *(void **)&net.destroy = symbol(net.object, "net_state_destroy");
  *(void **)&net.setThreads = symbol(net.object, "net_set_num_threads");
  *(void **)&net.predict = symbol(net.object, "net_predict_run");
  return net;
}

static net_state_t *create(const struct Net *net) {
  net_state_t *state = NULL;
  REQUIRE(net->create(&state, NULL) == KERATIN_OK);
  return state;
}

static void predict(const struct Net *net, net_state_t *state) {
  const int64_t xDims[] = {rows, 4}, yDims[] = {rows, 3};
  const keratin_tensor_t in = {x, KERATIN_DTYPE_FLOAT32, 2, xDims, NULL, NULL};
  const keratin_tensor_t out = {y, KERATIN_DTYPE_FLOAT32, 2, yDims, NULL, NULL};
  REQUIRE(net->predict(state, &in, &out, NULL, 0, NULL) == KERATIN_OK);
  for (int i = 0; i < rows * 3; ++i)
    REQUIRE(y[i] == expected[i]);
}

// In a child of fork(), which has none of the threads.
static void inChild(const struct Net *net, net_state_t *state, int how) {
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (net) {
      if (how % 2 == 0)
        predict(net, state);
      net->destroy(state);
      dlclose(net->object);
    }
    _exit(0);
  }
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char **argv) {
  REQUIRE(argc == 3);
  for (int i = 0; i < rows * 4; ++i)
    x[i] = sinf((float)i);
  struct Net net = load(argv[1]);
  net.setThreads(1);
  net_state_t *state = create(&net);
  const int64_t xDims[] = {rows, 4}, yDims[] = {rows, 3};
  const keratin_tensor_t in = {x, KERATIN_DTYPE_FLOAT32, 2, xDims, NULL, NULL};
  const keratin_tensor_t out = {expected, KERATIN_DTYPE_FLOAT32, 2, yDims, NULL, NULL};
  REQUIRE(net.predict(state, &in, &out, NULL, 0, NULL) == KERATIN_OK);
  net.destroy(state);
  dlclose(net.object);

  const int before = threads();
  long liveBefore = 0;
  for (int round = 0; round < 100; ++round) {
    net = load(argv[1]);
    net.setThreads(4);
    state = create(&net);
    predict(&net, state);
    REQUIRE(hasThreads(before + 3));
    if (round % 5 == 1)
      inChild(&net, state, round);
    if (round % 4 == 1) { // another state lives on: so do the threads
      net_state_t *other = create(&net);
      net.destroy(state);
      REQUIRE(hasThreads(before + 3));
      state = other;
      predict(&net, state);
    }
    if (round % 4 == 2) { // other numbers of threads on the way
      net.setThreads(2);
      predict(&net, state);
      REQUIRE(hasThreads(before + 1));
      net.setThreads(3);
    }
    if (round % 4 == 3) { // another model comes and goes
      void *table = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
      REQUIRE(table);
      keratin_status_code_t (*createTable)(table_state_t **, keratin_status_t *);
      void (*destroyTable)(table_state_t *);
      *(void **)&createTable = symbol(table, "table_state_create");
      *(void **)&destroyTable = symbol(table, "table_state_destroy");
      table_state_t *rowsOfTable = NULL;
      REQUIRE(createTable(&rowsOfTable, NULL) == KERATIN_OK);
      keratin_status_t status;
      const keratin_tensor_t none = {NULL, KERATIN_DTYPE_FLOAT32, 0, NULL, NULL, NULL};
      // A state of the other model, by mistake.
      REQUIRE(net.predict((net_state_t *)rowsOfTable, &none, &none, NULL, 0, &status) ==
              KERATIN_INVALID_ARGUMENT);
      destroyTable(rowsOfTable);
      dlclose(table);
      predict(&net, state);
    }
    net.destroy(state);
    REQUIRE(hasThreads(before));
    dlclose(net.object);
    REQUIRE(!dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD));
    inChild(NULL, NULL, 0); // no handler of the model is left
    if (round == 8)
      liveBefore = live;
    if (round > 8)
      REQUIRE(live <= liveBefore + 2);
  }
  return finish();
}
