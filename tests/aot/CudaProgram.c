// Trains a model whose kernels run on CUDA devices: the object and libc, and the driver at run
// time.
#include "Check.h"
#include "net.h"

#include <math.h>
#include <string.h>

int main(void) {
  static const float x[2 * 4] = {1, 2, 3, 4, -1, 0.5f, 0.25f, -2};
  static const float target[2 * 3] = {1, 0, -1, 0, 1, 0};
  const float rate = 0.01f;
  float y[2 * 3], loss = 0, first = 0;
  keratin_status_t status;
  net_state_t *state = NULL, *second = NULL;
  CHECK(net_state_create_on("cpu", &state, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(strcmp(status.message, "model 'net' was compiled for device 'cuda'; found device 'cpu'") ==
        0);
  CHECK(net_state_create_on("cuda:9", &state, &status) == KERATIN_FAILED_PRECONDITION);
  CHECK(strstr(status.message,
               "model 'net' needs device 'cuda:9', which cannot be used: CUDA: there "
               "is no device 'cuda:9'; the driver of version ") != NULL);
  REQUIRE_OK(net_state_create(&state, &status), status);
  REQUIRE_OK(net_state_create_on("cuda:1", &second, &status), status);
  for (int i = 0; i < 20; ++i) {
    REQUIRE_OK(net_train(state, 2, x, target, &rate, &loss, NULL, 0, &status), status);
    if (i == 0)
      first = loss;
  }
  CHECK(loss < 0.5f * first);
  REQUIRE_OK(net_train(second, 2, x, target, &rate, &loss, NULL, 0, &status), status);
  CHECK(loss == first);
  REQUIRE_OK(net_predict(state, 2, x, y, NULL, 0, &status), status);
  for (int i = 0; i < 6; ++i)
    CHECK(fabsf(y[i]) <= 1);
  net_state_destroy(second);
  net_state_destroy(state);
  return finish();
}
