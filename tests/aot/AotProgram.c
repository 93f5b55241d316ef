// Uses two compiled models as a program of their users' would: C99, their headers, nothing else.
#include "Check.h"
#include "net.h"
#include "table.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

// The C library's allocation functions, counted: these stand before those of libc for all objects.
static long allocations;
#ifdef COUNT_ALLOCATIONS
extern void *__libc_malloc(size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
void *malloc(size_t bytes) {
  __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
  return __libc_malloc(bytes);
}
int posix_memalign(void **result, size_t alignment, size_t bytes) {
  __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
  *result = __libc_memalign(alignment, bytes);
  return *result ? 0 : 12;
}
#endif

static const float x[2 * 4] = {1, 2, 3, 4, -1, 0.5f, 0.25f, -2};
static const float weights[4 * 3] = {0.5f,  0.25f, 0, 0.5f, -0.25f, 0,
                                     -0.5f, 0.25f, 1, 0,    0.125f, -1};

static net_state_t *newState(void) {
  net_state_t *state = NULL;
  keratin_status_t status;
  REQUIRE_OK(net_state_create(&state, &status), status);
  return state;
}

static void predicts(void) {
  net_state_t *state = newState();
  float y[2 * 3];
  keratin_status_t status;
  CHECK(net_predict(state, 2, x, y, NULL, 0, &status) == KERATIN_OK);
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 3; ++column) {
      double sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += (double)x[row * 4 + k] * weights[k * 3 + column];
      CHECK(fabs(y[row * 3 + column] - tanh(sum)) < 1e-6);
    }
  net_state_destroy(state);
}

static void trainsWithoutAllocating(void) {
  net_state_t *state = newState();
  const float target[2 * 3] = {1, 0, -1, 0, 1, 0}, rate = 0.01f;
  float loss = 0, first = 0;
  const int64_t xDims[] = {2, 4}, targetDims[] = {2, 3};
  const keratin_tensor_t inputs[] = {
      {(void *)x, KERATIN_DTYPE_FLOAT32, 2, xDims, NULL, NULL},
      {(void *)target, KERATIN_DTYPE_FLOAT32, 2, targetDims, NULL, NULL},
      {(void *)&rate, KERATIN_DTYPE_FLOAT32, 0, NULL, NULL, NULL}};
  int64_t bytes = 0;
  keratin_status_t status;
  CHECK(net_train_workspace_bytes(state, inputs, &bytes, &status) == KERATIN_OK);
  void *workspace = malloc((size_t)bytes);
  long before = allocations;
  for (int step = 0; step < 200; ++step) {
    CHECK(net_train(state, 2, x, target, &rate, &loss, workspace, (size_t)bytes, &status) ==
          KERATIN_OK);
    if (step == 0)
      first = loss;
  }
  CHECK(allocations == before);
  CHECK(loss < 0.1f * first);
  CHECK(net_train(state, 2, x, target, &rate, &loss, workspace, 100, &status) ==
        KERATIN_RESOURCE_EXHAUSTED);
  char needed[64];
  snprintf(needed, sizeof needed, "the workspace has 100 bytes; needed %lld", (long long)bytes);
  CHECK(strstr(status.message, needed));
  CHECK(net_train(state, 2, (const float *)((char *)workspace + 64), target, &rate, &loss,
                  workspace, (size_t)bytes, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "the workspace overlaps the memory of input 'x'"));
  free(workspace);
  net_state_destroy(state);
}

static void copiesAndSaves(const char *path) {
  net_state_t *state = newState(), *copy = NULL;
  keratin_status_t status;
  float values[12] = {7}, read[12];
  const int64_t dims[] = {4, 3};
  const keratin_tensor_t value = {values, KERATIN_DTYPE_FLOAT32, 2, dims, NULL, NULL};
  CHECK(net_state_write(state, 0, &value, &status) == KERATIN_OK);
  CHECK(net_state_copy(state, &copy, &status) == KERATIN_OK);
  CHECK(net_state_save(copy, path, &status) == KERATIN_OK);
  net_state_destroy(copy);
  values[0] = 8;
  CHECK(net_state_write(state, 0, &value, &status) == KERATIN_OK);
  CHECK(net_state_load(state, path, &status) == KERATIN_OK);
  CHECK(net_state_read(state, 0, read, sizeof read, &status) == KERATIN_OK);
  CHECK(read[0] == 7);
  const int32_t all[] = {0};
  void *const data[] = {read};
  const size_t bytes[] = {sizeof read};
  CHECK(net_state_write_several(state, all, &value, net_state_num_variables, &status) ==
        KERATIN_OK);
  CHECK(net_state_read_several(state, all, data, bytes, net_state_num_variables, &status) ==
        KERATIN_OK);
  CHECK(read[0] == 8);
  remove(path);
  net_state_destroy(state);
}

static void refuses(void) {
  net_state_t *state = newState();
  keratin_status_t status;
  const int64_t dims[] = {2, 5}, yDims[] = {2, 3};
  float y[6];
  const keratin_tensor_t input = {(void *)x, KERATIN_DTYPE_FLOAT32, 2, dims, NULL, NULL};
  const keratin_tensor_t output = {y, KERATIN_DTYPE_FLOAT32, 2, yDims, NULL, NULL};
  CHECK(net_predict_run(state, &input, &output, NULL, 0, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "'predict'") && strstr(status.message, "'x'") &&
        strstr(status.message, "net.mlir:"));
  net_state_destroy(state);
}

static void livesBesideAnother(void) {
  table_state_t *state = NULL;
  keratin_status_t status;
  CHECK(table_state_create(&state, &status) == KERATIN_OK);
  const int32_t good[] = {2, 0, 1}, bad[] = {0, 3, 1};
  double rows[6];
  CHECK(table_rows(state, 3, good, rows, NULL, 0, &status) == KERATIN_OK);
  CHECK(rows[0] == 5 && rows[1] == 6 && rows[2] == 1 && rows[4] == 3);
  CHECK(table_rows(state, 3, bad, rows, NULL, 0, &status) == KERATIN_OUT_OF_RANGE);
  CHECK(strstr(status.message, "table.mlir:"));
  table_state_destroy(state);
}

static void countsAsItsInputSays(void) {
  table_state_t *state = NULL;
  keratin_status_t status;
  REQUIRE_OK(table_state_create(&state, &status), status);
  int32_t numbers[3] = {7, 7, 7}, n = 3;
  CHECK(table_up_to(state, &n, numbers, NULL, 0, &status) == KERATIN_OK);
  CHECK(numbers[0] == 0 && numbers[1] == 1 && numbers[2] == 2);
  CHECK(table_below(state, &n, NULL, NULL, 0, &status) == KERATIN_OK); // none
  n = -2;
  CHECK(table_up_to(state, &n, numbers, NULL, 0, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "whose value is -2; needed 0 or more"));
  numbers[1] = 7;
  CHECK(table_below(state, &n, numbers, NULL, 0, &status) == KERATIN_OK);
  CHECK(numbers[1] == 1 && numbers[2] == 2);
  table_state_destroy(state);
}

static void knowsOutputsThatAreTheSameInEveryCall(void) {
  static const int64_t starts[] = table_structure_OUTPUT_0_VALUES;
  static const int8_t places[] = table_structure_OUTPUT_1_VALUES;
  int64_t foundStarts[3];
  int8_t foundPlaces[4];
  table_state_t *state = NULL;
  CHECK(table_state_create(&state, NULL) == KERATIN_OK);
  CHECK(table_structure(state, foundStarts, foundPlaces, NULL, 0, NULL) == KERATIN_OK);
  CHECK(sizeof starts == sizeof foundStarts && !memcmp(starts, foundStarts, sizeof starts));
  CHECK(sizeof places == sizeof foundPlaces && !memcmp(places, foundPlaces, sizeof places));
  table_state_destroy(state);
}

static void *caller(void *state) {
  float y[6];
  for (int i = 0; i < 2000; ++i)
    if (net_predict(state, 2, x, y, NULL, 0, NULL) != KERATIN_OK || fabsf(y[3]) > 1)
      return state;
  return NULL;
}

static void isCalledFromManyThreads(void) {
  net_state_t *state = newState();
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i)
    CHECK(pthread_create(&threads[i], NULL, caller, state) == 0);
  for (int i = 0; i < 8; ++i) {
    void *failed = NULL;
    CHECK(pthread_join(threads[i], &failed) == 0 && !failed);
  }
  net_state_destroy(state);
}

int main(int argc, char **argv) {
  predicts();
  trainsWithoutAllocating();
  copiesAndSaves(argc > 1 ? argv[1] : "state.bin");
  refuses();
  livesBesideAnother();
  countsAsItsInputSays();
  knowsOutputsThatAreTheSameInEveryCall();
  isCalledFromManyThreads();
  return finish();
}
