// Trains a model of which ranks along an axis of a mesh have parts of the variables, as one rank of
// a job, and prints what all of them have in the end: the loss and the bits of the weights, which
// are those of the whole. PartsProgram FILES: the beginning of the names of files, of which
// parts_test.py has written FILES.safetensors and a set, and of which rank 0 writes FILES.RANKS.
#include "Check.h"
#include "parts.h"

#include <string.h>

enum { ALL_ROWS = 11, STEPS = 6, W = 24, B = 6, V = 18, C = 3, VARIABLES = 6 };

static const char *const names[VARIABLES] = {"w", "b", "v", "c", "momentum_of_w", "momentum_of_c"};
static const size_t counts[VARIABLES] = {W, B, V, C, W, C};

typedef struct Values {
  float of[VARIABLES][W];
} Values;

static int ranks_launched(void) {
  const char *variables[] = {"KERATIN_RANKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  for (int i = 0; i < 3; ++i)
    if (getenv(variables[i]))
      return atoi(getenv(variables[i]));
  return 1;
}

// Of four ranks parts are uneven. With STATES there are rows on more than one rank, and so parts of
// what the optimizer keeps.
static const char *mesh_of(int ranks) {
#ifdef STATES
  return ranks == 4 ? "data:2,model:2" : ranks == 3 ? "data:3,model:1" : "data:2,model:1";
#else
  return ranks == 6   ? "data:3,model:2"
         : ranks == 4 ? "model:4,data:1"
         : ranks == 3 ? "data:1,model:3"
                      : "data:1,model:2";
#endif
}

static int along_data(int ranks) {
  return ranks == 1 ? 1 : atoi(strstr(mesh_of(ranks), "data:") + strlen("data:"));
}

static keratin_tensor_t view_of(float *data, int number) {
  static const int64_t dims[VARIABLES][2] = {{4, 6}, {6, 0}, {6, 3}, {3, 0}, {4, 6}, {3, 0}};
  const int32_t rank = number % 4 == 0 || number == 2 ? 2 : 1;
  const keratin_tensor_t view = {data, KERATIN_DTYPE_FLOAT32, rank, dims[number], NULL, NULL};
  return view;
}

static Values read_all(const parts_state_t *state) {
  Values values;
  int32_t numbers[VARIABLES];
  void *data[VARIABLES];
  size_t bytes[VARIABLES];
  keratin_status_t status;
  for (int i = 0; i < VARIABLES; ++i) {
    REQUIRE_OK(parts_state_find_variable(state, names[i], &numbers[i], &status), status);
    data[i] = values.of[i];
    bytes[i] = counts[i] * sizeof(float);
  }
  REQUIRE_OK(parts_state_read_several(state, numbers, data, bytes, VARIABLES, &status), status);
  return values;
}

static int are_same(const Values *a, const Values *b) {
  for (int i = 0; i < VARIABLES; ++i)
    if (memcmp(a->of[i], b->of[i], counts[i] * sizeof(float)) != 0)
      return 0;
  return 1;
}

static void write_all(parts_state_t *state, Values *values) {
  keratin_status_t status;
  int32_t numbers[VARIABLES];
  keratin_tensor_t views[VARIABLES];
  for (int i = 0; i < VARIABLES; ++i) {
    REQUIRE_OK(parts_state_find_variable(state, names[i], &numbers[i], &status), status);
    views[i] = view_of(values->of[i], i);
  }
  REQUIRE_OK(parts_state_write_several(state, numbers, views, VARIABLES, &status), status);
}

// What parts_test.py writes.
static Values of_files(void) {
  Values values;
  for (int i = 0; i < VARIABLES; ++i)
    for (size_t k = 0; k < counts[i]; ++k)
      values.of[i][k] = (float)(100 * i + (int)k) / 8;
  return values;
}

// Whole values go in and come out, however they come.
static void check_values(parts_state_t *state, int rank, int ranks, const char *files) {
  keratin_status_t status;
  char path[1024];
  Values trained = read_all(state), other = of_files();
  write_all(state, &other);
  Values found = read_all(state);
  CHECK(are_same(&found, &other));
  write_all(state, &trained);
  // By another layout: w by columns, every second element of which is one of it.
  float columns[2 * W];
  for (int i = 0; i < 2 * W; ++i)
    columns[i] = -1;
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 6; ++column)
      columns[2 * (column * 4 + row)] = other.of[0][row * 6 + column];
  const int64_t dims[] = {4, 6}, strides[] = {2, 8};
  const keratin_tensor_t turned = {columns, KERATIN_DTYPE_FLOAT32, 2, dims, strides, NULL};
  REQUIRE_OK(parts_state_write_variable(state, "w", &turned, &status), status);
  float w[W];
  REQUIRE_OK(parts_state_read_variable(state, "w", w, sizeof(w), &status), status);
  CHECK(memcmp(w, other.of[0], sizeof(w)) == 0);
  REQUIRE_OK(parts_state_write_variable(state, "momentum_of_c",
                                        &(keratin_tensor_t){columns, KERATIN_DTYPE_FLOAT32, 1,
                                                            (const int64_t[]){3},
                                                            (const int64_t[]){2}, NULL},
                                        &status),
             status);
  write_all(state, &trained);
  // Files are of whole values.
  snprintf(path, sizeof(path), "%s.%d", files, ranks);
  REQUIRE_OK(parts_state_save(state, rank ? NULL : path, &status), status);
  for (int set = 0; set < 2; ++set) {
    char weights[1024];
    snprintf(weights, sizeof(weights), "%s.safetensors%s", files, set ? ".index.json" : "");
    write_all(state, &trained);
    REQUIRE_OK(parts_state_load_weights(state, weights, &status), status);
    found = read_all(state);
    CHECK(are_same(&found, &other));
  }
  parts_state_t *copy;
  REQUIRE_OK(parts_state_copy(state, &copy, &status), status);
  found = read_all(copy); // which is alone
  CHECK(are_same(&found, &other));
  REQUIRE_OK(parts_state_load(copy, path, &status), status);
  found = read_all(copy);
  CHECK(are_same(&found, &trained));
  parts_state_destroy(copy);
  // Behind the copy all ranks have met rank 0, which has written it.
  REQUIRE_OK(parts_state_load(state, path, &status), status);
  found = read_all(state);
  CHECK(are_same(&found, &trained));
  const keratin_tensor_t vector = {w, KERATIN_DTYPE_FLOAT32, 1, dims, NULL, NULL};
  CHECK(parts_state_write_variable(state, "w", &vector, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "the new value has shape (4,); the variable has (4, 6)") != NULL);
}

// What one rank does wrong all are told.
static void check_failure(parts_state_t *state, int rank, int ranks) {
  keratin_status_t status;
  float w[W];
  if (ranks == 1)
    return;
  // Of a variable in parts on more than one rank.
  const char *name = along_data(ranks) == ranks ? "momentum_of_c" : "w";
  const int bytes = name[0] == 'w' ? sizeof(w) : C * sizeof(float);
  const keratin_status_code_t code =
      parts_state_read_variable(state, name, w, (size_t)bytes - (rank == 1), &status);
  CHECK(code == (rank == 1 ? KERATIN_INVALID_ARGUMENT : KERATIN_ABORTED));
  char wanted[64];
  snprintf(wanted, sizeof(wanted), "has %d bytes; the value has %d", bytes - 1, bytes);
  CHECK(strstr(status.message, wanted) != NULL);
  CHECK(rank == 1 || strstr(status.message, "rank 1 has failed") != NULL);
  CHECK(parts_state_save(state, rank == 0 ? "/no/such/folder/state" : NULL, &status) ==
        (rank == 0 ? KERATIN_INVALID_ARGUMENT : KERATIN_ABORTED));
  CHECK(strstr(status.message, "cannot write '/no/such/folder/state'") != NULL);
}

int main(int argc, char **argv) {
  REQUIRE(argc == 2);
  keratin_status_t status;
  parts_state_t *state;
  REQUIRE_OK(parts_state_create(&state, &status), status);
  int32_t rank = 0, ranks = ranks_launched();
  if (ranks > 1) {
    Values other = of_files();
    const char *numbers[] = {"KERATIN_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (int i = 0; i < 3; ++i)
      if (getenv(numbers[i]) && atoi(getenv(numbers[i])) != 0)
        write_all(state, &other); // all begin with what rank 0 has
    REQUIRE_OK(parts_state_join(state, NULL, mesh_of(ranks), &status), status);
    REQUIRE_OK(parts_state_ranks(state, &rank, &ranks, &status), status);
  }
  float x[ALL_ROWS][4], target[ALL_ROWS][3];
  for (int i = 0; i < ALL_ROWS; ++i) {
    for (int k = 0; k < 4; ++k)
      x[i][k] = (float)((i * 7 + k * 3) % 11 - 5) / 8;
    for (int k = 0; k < 3; ++k)
      target[i][k] = (float)((i * 5 + k) % 7 - 3) / 4;
  }
  const int places = along_data(ranks), place = rank / (ranks / places);
  const int begin = ALL_ROWS * place / places, end = ALL_ROWS * (place + 1) / places;
  const float rate = 0.03125f;
  float loss = 0;
  for (int step = 0; step < STEPS; ++step)
    REQUIRE_OK(
        parts_train(state, end - begin, x[begin], target[begin], &rate, &loss, NULL, 0, &status),
        status);
  Values values = read_all(state);
  check_values(state, rank, ranks, argv[1]);
  check_failure(state, rank, ranks);
  // Columns of h are the rank's own.
  const int parts = ranks / places, part = rank % parts;
  const int64_t dims[] = {end - begin, 4};
  const keratin_tensor_t input = {x[begin], KERATIN_DTYPE_FLOAT32, 2, dims, NULL, NULL};
  int64_t own[2];
  REQUIRE_OK(parts_predict_output_dims(state, &input, 0, own, &status), status);
  CHECK(own[0] == end - begin && own[1] == 6 * (part + 1) / parts - 6 * part / parts);
  float h[ALL_ROWS * 6], y[ALL_ROWS][3];
  REQUIRE_OK(parts_predict(state, end - begin, x[begin], h, y[0], NULL, 0, &status), status);
  double sum = 0;
  for (int i = 0; i < end - begin; ++i)
    for (int k = 0; k < 3; ++k)
      sum += (y[i][k] - target[begin + i][k]) * (y[i][k] - target[begin + i][k]);
  CHECK(places > 1 || sum < loss);
  char line[2048];
  int length = snprintf(line, sizeof(line), "loss %.9g", loss);
  for (int i = 0; i < VARIABLES; ++i)
    for (size_t k = 0; k < counts[i]; ++k)
      length += snprintf(line + length, sizeof(line) - (size_t)length, " %.9g", values.of[i][k]);
  puts(line);
  if (ranks > 1) {
    REQUIRE_OK(parts_state_leave(state, &status), status);
    CHECK(parts_train(state, end - begin, x[begin], target[begin], &rate, &loss, NULL, 0,
                      &status) != KERATIN_OK);
    CHECK(strstr(status.message, "left the group") != NULL);
  }
  parts_state_destroy(state);
  return failures != 0;
}
