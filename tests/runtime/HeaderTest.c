// The public header is C99: this file is compiled as such, and a C program that uses it links and
// runs.
#include <keratin/device.h>
#include <keratin/runtime.h>

#include <string.h>

static void doubleEntry(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  (void)context;
  for (int64_t i = 0; i < sizes[0]; ++i)
    ((float *)buffers[1])[i] = 2 * ((const float *)buffers[0])[i];
}

int main(void) {
  const int64_t dims[1] = {-1};
  keratin_tensor_desc_t tensor = {"x", KERATIN_DTYPE_FLOAT32, 1, dims, "", NULL, 0};
  keratin_symbol_desc_t symbol = {KERATIN_SYMBOL_INPUT_DIM, 0, 0, "n"};
  keratin_function_desc_t function;
  memset(&function, 0, sizeof(function));
  function.abi_version = KERATIN_ABI_VERSION;
  function.name = "double";
  function.num_inputs = function.num_outputs = 1;
  function.inputs = function.outputs = &tensor;
  function.num_symbols = 1;
  function.symbols = &symbol;
  function.arena_slot = -1;
  function.entry = doubleEntry;

  keratin_status_t status;
  keratin_executable_t *executable = NULL;
  if (keratin_executable_create(&function, &executable, &status) != KERATIN_OK)
    return 1;
  float x[3] = {1, 2, 3}, y[3] = {0, 0, 0};
  int64_t shape[1] = {3};
  keratin_tensor_t input = {x, KERATIN_DTYPE_FLOAT32, 1, shape, NULL, NULL};
  keratin_tensor_t output = {y, KERATIN_DTYPE_FLOAT32, 1, shape, NULL, NULL};
  if (keratin_invoke(executable, NULL, 0, &input, 1, &output, 1, &status) != KERATIN_OK)
    return 2;
  keratin_executable_destroy(executable);
  return y[0] == 2 && y[1] == 4 && y[2] == 6 ? 0 : 3;
}
