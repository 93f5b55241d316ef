// Trains a sharded model as one rank of a job, on its rows of a batch, and prints what it has in
// the end: the loss and the bits of the weights. RanksProgram [kill RANK]: that rank ends in the
// middle, as if killed. With MESH the rows are along the first axis of a mesh of two.
#include "Check.h"
#include "net.h"

#include <signal.h>
#include <string.h>

enum { ALL_ROWS = 11, STEPS = 6 };

// As launchers say, before the job is joined.
static const char *launchedRank(void) {
  const char *names[] = {"KERATIN_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
  for (int i = 0; i < 3; ++i)
    if (getenv(names[i]))
      return getenv(names[i]);
  return NULL;
}

// How many ranks have the same rows: those that differ along the second axis.
#ifdef MESH
static int line(int ranks) { return ranks == 4 ? 2 : 1; }
static keratin_status_code_t join(net_state_t *state, keratin_status_t *status) {
  return net_state_join(state, NULL, launchedRank() ? "data:2,model:2" : "data:1,model:1", status);
}
#else
static int line(int ranks) {
  (void)ranks;
  return 1;
}
static keratin_status_code_t join(net_state_t *state, keratin_status_t *status) {
  return net_state_join(state, NULL, status);
}
#endif

int main(int argc, char **argv) {
  keratin_status_t status;
  net_state_t *state;
  REQUIRE_OK(net_state_create(&state, &status), status);
  int32_t rank, ranks;
  REQUIRE_OK(net_state_ranks(state, &rank, &ranks, &status), status);
  CHECK(rank == 0 && ranks == 1);
  // All begin with what rank 0 has.
  float w[12] = {9, 9, 9};
  const int64_t dims[] = {4, 3};
  const keratin_tensor_t other = {w, KERATIN_DTYPE_FLOAT32, 2, dims, NULL, NULL};
  if (launchedRank() && atoi(launchedRank()) != 0)
    REQUIRE_OK(net_state_write_variable(state, "w", &other, &status), status);
#ifdef MESH
  CHECK(net_state_join(state, NULL, "data:2,model", &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "found a mesh 'data:2,model'; needed names and") != NULL);
#endif
  REQUIRE_OK(join(state, &status), status);
  REQUIRE_OK(net_state_ranks(state, &rank, &ranks, &status), status);
  CHECK(join(state, &status) == KERATIN_FAILED_PRECONDITION);
  CHECK(strstr(status.message, "the state of model 'net' has joined its ranks already") != NULL);
  const int last = argc > 2 ? atoi(argv[2]) : -1;

  float x[ALL_ROWS][4], target[ALL_ROWS][3];
  for (int i = 0; i < ALL_ROWS; ++i) {
    for (int k = 0; k < 4; ++k)
      x[i][k] = (float)((i * 7 + k * 3) % 11 - 5) / 8;
    for (int k = 0; k < 3; ++k)
      target[i][k] = (float)((i * 5 + k) % 7 - 3) / 4;
  }
  const int place = rank / line(ranks), places = ranks / line(ranks);
  const int begin = ALL_ROWS * place / places, end = ALL_ROWS * (place + 1) / places;
  const float rate = 0.0625f;
  float loss = 0;
  for (int step = 0; step < STEPS; ++step) {
    if (rank == last && step == STEPS / 2)
      raise(SIGKILL);
    if (net_train(state, end - begin, x[begin], target[begin], &rate, &loss, NULL, 0, &status) !=
        KERATIN_OK) {
      CHECK(status.code == KERATIN_UNAVAILABLE);
      printf("rank %d of %d, step %d: %s\n", (int)rank, (int)ranks, step, status.message);
      return failures ? 1 : 2;
    }
  }
  REQUIRE_OK(net_state_read_variable(state, "w", w, sizeof(w), &status), status);
  // Rows are the caller's own: no other rank is asked.
  float y[ALL_ROWS][3];
  REQUIRE_OK(net_predict(state, end - begin, x[begin], y[begin], NULL, 0, &status), status);
  char line[512];
  int length = snprintf(line, sizeof(line), "loss %.9g, w", loss);
  for (int i = 0; i < 12; ++i)
    length += snprintf(line + length, sizeof(line) - (size_t)length, " %.9g", w[i]);
  puts(line);
  REQUIRE_OK(net_state_leave(state, &status), status);
  CHECK(net_train(state, end - begin, x[begin], target[begin], &rate, &loss, NULL, 0, &status) !=
        KERATIN_OK);
  CHECK(strstr(status.message, "left the group") != NULL);
  net_state_destroy(state);
  return failures != 0;
}
