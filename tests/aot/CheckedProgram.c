// A model compiled with --check-numbers: the report, and that nothing is updated after it.
#include "Check.h"
#include "checked.h"

#include <string.h>

int main(void) {
  checked_state_t *state = NULL;
  keratin_status_t status;
  REQUIRE_OK(checked_state_create(&state, &status), status);
  const float good[2 * 3] = {1, 1, 1, 2, 2, 2}, bad[2 * 3] = {1, 1, 1, 2, 0, 2};
  float loss = -1, first = -1;
  CHECK(checked_step(state, 2, good, &first, NULL, 0, &status) == KERATIN_OK);
  CHECK(checked_step(state, 2, bad, &loss, NULL, 0, &status) == KERATIN_NOT_FINITE);
  CHECK(!strcmp(status.message, "log: made -infinity of 0 at element [1, 1]; at net.cc:57"));
  // In memory that the caller gives, too.
  const int64_t dims[] = {2, 3};
  const keratin_tensor_t input = {(void *)bad, KERATIN_DTYPE_FLOAT32, 2, dims, NULL, NULL};
  int64_t bytes = 0;
  CHECK(checked_step_workspace_bytes(state, &input, &bytes, &status) == KERATIN_OK && bytes > 0);
  void *workspace = malloc((size_t)bytes);
  CHECK(checked_step(state, 2, bad, &loss, workspace, (size_t)bytes, &status) ==
        KERATIN_NOT_FINITE);
  // Twice the first step: the variable has not moved in between.
  CHECK(checked_step(state, 2, good, &loss, workspace, (size_t)bytes, &status) == KERATIN_OK);
  CHECK(loss > 1.999f * first && loss < 2.001f * first);
  free(workspace);
  checked_state_destroy(state);
  return finish();
}
