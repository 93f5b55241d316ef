// States of models whose kernels run on CUDA devices. Such a model calls these, and so holds what
// the devices need; other models do not.
#include "runtime/include/keratin/cuda.h"

extern "C" keratin_status_code_t keratin_cuda_state_create(const keratin_object_desc_t *object,
                                                           keratin_state_t **state,
                                                           keratin_status_t *status) {
  return keratin_cuda_state_create_on(object, nullptr, state, status);
}

extern "C" keratin_status_code_t keratin_cuda_state_create_on(const keratin_object_desc_t *object,
                                                              const char *device,
                                                              keratin_state_t **state,
                                                              keratin_status_t *status) {
  keratin_cuda_enable();
  return keratin_state_create_on(object, device, state, status);
}
