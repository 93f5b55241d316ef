// Uses a model whose kernels run on the plain device (tests/support/PlainTarget.h), by its header.
#include "Check.h"
#include "net.h"
#include "tests/support/PlainTarget.h"

#include <keratin/device.h>

#include <cmath>
#include <cstring>
#include <string>

using keratin::tests::plainDeviceCounts;
using keratin::tests::PlainDeviceCounts;

static const float x[2 * 4] = {1, 2, 3, 4, -1, 0.5f, 0.25f, -2};
static float weights[4 * 3] = {0.5f, 0.25f, 0, 0.5f, -0.25f, 0, -0.5f, 0.25f, 1, 0, 0.125f, -1};
static const float target[2 * 3] = {1, 0, -1, 0, 1, 0};
static const int64_t weightDims[] = {4, 3};
static keratin_status_t status;

static void needsItsDevice() {
  net_state_t *state = nullptr;
  CHECK(net_state_create(&state, &status) == KERATIN_FAILED_PRECONDITION);
  CHECK(std::string(status.message) == "model 'net' needs device 'plain', which is not known; "
                                       "known devices: cpu");
  REQUIRE_OK(net_register_device(keratin_device_find("plain"), &status), status);
  CHECK(net_state_create_on("plain:1", &state, &status) == KERATIN_FAILED_PRECONDITION);
  CHECK(std::string(status.message) == "model 'net' needs device 'plain:1', which is not known; "
                                       "known devices: cpu, plain");
  CHECK(net_state_create_on("cpu", &state, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "model 'net' was compiled for device 'plain'; found device 'cpu'");
}

static net_state_t *newState() {
  net_state_t *state = nullptr;
  REQUIRE_OK(net_state_create(&state, &status), status);
  return state;
}

static void predicts() {
  net_state_t *state = newState();
  float y[2 * 3];
  const PlainDeviceCounts before = plainDeviceCounts();
  REQUIRE_OK(net_predict(state, 2, x, y, nullptr, 0, &status), status);
  const PlainDeviceCounts after = plainDeviceCounts();
  CHECK(after.launches > before.launches);
  CHECK(after.copiesIn == before.copiesIn + 1);
  CHECK(after.copiesOut == before.copiesOut + 1);
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 3; ++column) {
      double sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += double(x[row * 4 + k]) * weights[k * 3 + column];
      CHECK(std::fabs(y[row * 3 + column] - std::tanh(sum)) < 1e-6);
    }
  char workspace[4096];
  CHECK(net_predict(state, 2, x, y, workspace, sizeof(workspace), &status) ==
        KERATIN_UNIMPLEMENTED);
  CHECK(std::string(status.message) == "function 'predict' runs on device 'plain'; it takes no "
                                       "workspace of the caller's");
  net_state_destroy(state);
}

// The same with tensors that lie on the device.
static void takesViewsOfTheDevice() {
  net_state_t *state = newState();
  const keratin_device_t &device = *keratin_device_find("plain");
  float expected[2 * 3], y[2 * 3] = {};
  REQUIRE_OK(net_predict(state, 2, x, expected, nullptr, 0, &status), status);
  void *in = device.allocate(device.user, sizeof(x), 64),
       *out = device.allocate(device.user, sizeof(y), 64);
  device.copy_in(device.user, nullptr, 0, in, x, sizeof(x), nullptr);
  const int64_t inDims[] = {2, 4}, outDims[] = {2, 3};
  const keratin_tensor_t inputs[] = {{in, KERATIN_DTYPE_FLOAT32, 2, inDims, nullptr, &device}};
  const keratin_tensor_t outputs[] = {{out, KERATIN_DTYPE_FLOAT32, 2, outDims, nullptr, &device}};
  const PlainDeviceCounts before = plainDeviceCounts();
  REQUIRE_OK(net_predict_run(state, inputs, outputs, nullptr, 0, &status), status);
  CHECK(plainDeviceCounts().copiesIn == before.copiesIn);
  CHECK(plainDeviceCounts().copiesOut == before.copiesOut);
  device.copy_out(device.user, nullptr, 0, y, out, sizeof(y), nullptr);
  CHECK(std::memcmp(y, expected, sizeof(y)) == 0);
  device.release(device.user, in, sizeof(x), 64);
  device.release(device.user, out, sizeof(y), 64);
  net_state_destroy(state);
}

static float train(net_state_t *state, int steps) {
  const float rate = 0.01f;
  float loss = 0;
  for (int step = 0; step < steps; ++step)
    REQUIRE_OK(net_train(state, 2, x, target, &rate, &loss, nullptr, 0, &status), status);
  return loss;
}

static void trainsAndKeepsItsState(const char *path) {
  net_state_t *state = newState();
  float first = train(state, 1);
  CHECK(train(state, 50) < 0.5f * first);
  float trained[4 * 3] = {}, found[4 * 3] = {};
  REQUIRE_OK(net_state_read(state, 0, trained, sizeof(trained), &status), status);
  CHECK(std::memcmp(trained, weights, sizeof(trained)) != 0);
  REQUIRE_OK(net_state_save(state, path, &status), status);
  net_state_t *copy = nullptr;
  REQUIRE_OK(net_state_copy(state, &copy, &status), status);
  CHECK(train(copy, 3) == train(state, 3));
  const keratin_tensor_t value = {weights, KERATIN_DTYPE_FLOAT32, 2, weightDims, nullptr, nullptr};
  REQUIRE_OK(net_state_write(copy, 0, &value, &status), status);
  CHECK(train(copy, 1) == first);
  REQUIRE_OK(net_state_load(copy, path, &status), status);
  REQUIRE_OK(net_state_read(copy, 0, found, sizeof(found), &status), status);
  CHECK(std::memcmp(trained, found, sizeof(found)) == 0);
  net_state_destroy(state);
  net_state_destroy(copy);
}

int main(int, char **argv) {
  keratin::tests::registerPlainTarget();
  needsItsDevice();
  predicts();
  takesViewsOfTheDevice();
  trainsAndKeepsItsState(argv[1]);
  return finish();
}
