// A program that uses the device itself, in plain C: the model's inputs and outputs lie in memory
// that the program asked the driver for, and the call comes between copies in the program's stream.
#include "CudaDriver.h"
#include "net.h"

#include <keratin/cuda.h>

#include <math.h>

int main(void) {
  enum { predict = 0, rows = 2 };
  const int64_t xDims[] = {rows, 4}, yDims[] = {rows, 3};
  keratin_status_t status;
  Driver driver = openDriver();
  void *stream = newStream(&driver), *pinned = NULL;
  uint64_t x = 0, y = 0;
  REQUIRE(driver.cuMemAlloc(&x, rows * 4 * sizeof(float)) == 0);
  REQUIRE(driver.cuMemAlloc(&y, rows * 3 * sizeof(float)) == 0);
  REQUIRE(driver.cuMemHostAlloc(&pinned, 1024, 0) == 0);
  float *numbers = pinned, *results = numbers + 64, expected[rows * 3];

  const keratin_device_t *device = NULL;
  keratin_state_t *state = NULL;
  REQUIRE_OK(keratin_cuda_state_create(net_keratin_object(), &state, &status), status);
  REQUIRE_OK(keratin_device_open("cuda", &device, &status), status);
  keratin_call_options_t options = {sizeof(options), 1, stream, {0}};
  keratin_tensor_t input = {(void *)(uintptr_t)x, KERATIN_DTYPE_FLOAT32, 2, xDims, NULL, device};
  keratin_tensor_t output = {(void *)(uintptr_t)y, KERATIN_DTYPE_FLOAT32, 2, yDims, NULL, device};
  for (int call = 0; call < 4; ++call) {
    for (int i = 0; i < rows * 4; ++i)
      numbers[i] = 0.25f * (float)(i + call);
    keratin_tensor_t given = {numbers, KERATIN_DTYPE_FLOAT32, 2, xDims, NULL, NULL};
    keratin_tensor_t wanted = {expected, KERATIN_DTYPE_FLOAT32, 2, yDims, NULL, NULL};
    REQUIRE_OK(keratin_state_invoke(state, predict, &given, 1, &wanted, 1, NULL, 0, &status),
               status);
    REQUIRE(driver.cuMemcpyHtoDAsync(x, numbers, rows * 4 * sizeof(float), stream) == 0);
    REQUIRE_OK(keratin_state_invoke_with(state, predict, &input, 1, &output, 1, &options, &status),
               status);
    REQUIRE(driver.cuMemcpyDtoHAsync(results, y, rows * 3 * sizeof(float), stream) == 0);
    REQUIRE(driver.cuStreamSynchronize(stream) == 0);
    for (int i = 0; i < rows * 3; ++i)
      CHECK(results[i] == expected[i] && isfinite(results[i]));
  }
  input.data = numbers; // the host's
  CHECK(keratin_state_invoke_with(state, predict, &input, 1, &output, 1, &options, &status) ==
        KERATIN_INVALID_ARGUMENT);
  keratin_state_destroy(state);
  return finish();
}
