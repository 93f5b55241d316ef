// What two ranks do together, each with elements of its own; the messages are of any number of
// ranks, the sizes in the model of two: CollectivesProgram says what others are told.
#include "Check.h"
#include "collectives.h"

#include <string.h>

enum { N = 6 };

static float elementOf(int rank, int i) { return (float)(rank * 10 + (rank ? N - i : i)); }

static void checkAll(const char *what, const float *found, const float *wanted, int count) {
  if (!CHECK(memcmp(found, wanted, (size_t)count * sizeof(float)) == 0))
    for (int i = 0; i < count; ++i)
      fprintf(stderr, "%s[%d]: %g, wanted %g\n", what, i, found[i], wanted[i]);
}

int main(void) {
  keratin_status_t status;
  collectives_state_t *state;
  REQUIRE_OK(collectives_state_create(&state, &status), status);
  REQUIRE_OK(collectives_state_join(state, NULL, &status), status);
  int32_t rank, ranks;
  REQUIRE_OK(collectives_state_ranks(state, &rank, &ranks, &status), status);
  float x[2][N];
  for (int r = 0; r < 2; ++r)
    for (int i = 0; i < N; ++i)
      x[r][i] = elementOf(r, i);
  float sum[N], all[2 * N], part[N / 2], last[N], traded[N], moved[N];
  int64_t index = -1, count = -1;
  const keratin_status_code_t code = collectives_exchange(
      state, x[rank % 2], sum, all, part, last, traded, moved, &index, &count, NULL, 0, &status);
  if (ranks != 2) {
    printf("%s\n", code == KERATIN_OK ? "done" : status.message);
    collectives_state_destroy(state);
    return failures != 0;
  }
  REQUIRE_OK(code, status);
  float sums[N], largest[N];
  for (int i = 0; i < N; ++i) {
    sums[i] = x[0][i] + x[1][i];
    largest[i] = x[0][i] > x[1][i] ? x[0][i] : x[1][i];
  }
  checkAll("sum", sum, sums, N);
  checkAll("all", all, x[0], 2 * N);
  checkAll("part", part, largest + rank * (N / 2), N / 2);
  checkAll("last", last, x[1], N);
  checkAll("traded", traded, x[0] + rank * (N / 2), N / 2);
  checkAll("traded", traded + N / 2, x[1] + rank * (N / 2), N / 2);
  const float zeros[N] = {0};
  checkAll("moved", moved, rank ? x[0] : zeros, N);
  CHECK(index == rank);
  CHECK(count == ranks);
  collectives_state_destroy(state);
  return finish();
}
