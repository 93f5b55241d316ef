// A program that has device memory and a stream of its own, and of the model nothing but its
// header.
#include "CudaDriver.h"
#include "net.h"

#include <string.h>

enum { rows = 2 };
static keratin_status_t status;

// The model's inputs and outputs in the device's memory, between copies in the program's stream.
static void comesBetweenCopies(const Driver *driver, net_state_t *state, void *stream) {
  uint64_t x = 0, y = 0;
  void *pinned = NULL;
  REQUIRE(driver->cuMemAlloc(&x, rows * 4 * sizeof(float)) == 0);
  REQUIRE(driver->cuMemAlloc(&y, rows * 3 * sizeof(float)) == 0);
  REQUIRE(driver->cuMemHostAlloc(&pinned, 1024, 0) == 0);
  float *numbers = pinned, *results = numbers + 64, expected[rows * 3];
  for (int call = 0; call < 4; ++call) {
    for (int i = 0; i < rows * 4; ++i)
      numbers[i] = 0.25f * (float)(i + call);
    REQUIRE_OK(net_predict(state, rows, numbers, expected, NULL, 0, &status), status);
    REQUIRE(driver->cuMemcpyHtoDAsync(x, numbers, rows * 4 * sizeof(float), stream) == 0);
    REQUIRE_OK(net_predict_on_stream(state, rows, (const float *)(uintptr_t)x,
                                     (float *)(uintptr_t)y, stream, &status),
               status);
    REQUIRE(driver->cuMemcpyDtoHAsync(results, y, rows * 3 * sizeof(float), stream) == 0);
    REQUIRE(driver->cuStreamSynchronize(stream) == 0);
    CHECK(memcmp(results, expected, sizeof(expected)) == 0);
  }
  CHECK(net_predict_on_stream(state, rows, numbers, (float *)(uintptr_t)y, stream, &status) ==
        KERATIN_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "is memory of the host") != NULL);
  CHECK(net_predict_on_stream(NULL, rows, numbers, expected, stream, &status) ==
        KERATIN_INVALID_ARGUMENT);
}

// Some tensors there, others on the host.
static void takesTensorsOfBothMemories(const Driver *driver, net_state_t *state, void *stream) {
  static const int64_t xDims[] = {rows, 4}, targetDims[] = {rows, 3};
  const float target[rows * 3] = {1, 0, -1, 0, 1, 0}, rate = 0.01f;
  uint64_t x = 0;
  void *pinned = NULL;
  REQUIRE(driver->cuMemAlloc(&x, rows * 4 * sizeof(float)) == 0);
  REQUIRE(driver->cuMemHostAlloc(&pinned, rows * 4 * sizeof(float), 0) == 0);
  float *numbers = pinned, loss = 0, expected = 0;
  for (int i = 0; i < rows * 4; ++i)
    numbers[i] = 0.5f * (float)i;
  net_state_t *copy = NULL;
  REQUIRE_OK(net_state_copy(state, &copy, &status), status);
  CHECK(net_state_device(copy) == net_state_device(state) && net_state_device(state) != NULL);
  CHECK(net_state_device(NULL) == NULL);
  const keratin_tensor_t inputs[] = {
      {(void *)(uintptr_t)x, KERATIN_DTYPE_FLOAT32, 2, xDims, NULL, net_state_device(state)},
      {(void *)target, KERATIN_DTYPE_FLOAT32, 2, targetDims, NULL, NULL},
      {(void *)&rate, KERATIN_DTYPE_FLOAT32, 0, NULL, NULL, NULL}};
  const keratin_tensor_t output = {&loss, KERATIN_DTYPE_FLOAT32, 0, NULL, NULL, NULL};
  for (int step = 0; step < 3; ++step) {
    REQUIRE(driver->cuMemcpyHtoDAsync(x, numbers, rows * 4 * sizeof(float), stream) == 0);
    REQUIRE_OK(net_train_run_on_stream(state, inputs, &output, stream, &status), status);
    REQUIRE_OK(net_train(copy, rows, numbers, target, &rate, &expected, NULL, 0, &status), status);
    CHECK(loss == expected);
  }
  net_state_destroy(copy);
}

int main(void) {
  Driver driver = openDriver();
  void *stream = newStream(&driver);
  net_state_t *state = NULL;
  REQUIRE_OK(net_state_create(&state, &status), status);
  comesBetweenCopies(&driver, state, stream);
  takesTensorsOfBothMemories(&driver, state, stream);
  net_state_destroy(state);
  return finish();
}
