// CUDA devices. They are known by name, "cuda" (or "cuda:0"), "cuda:1" and so on, to whoever has
// called keratin_cuda_enable(). Nothing of the driver is touched before somebody asks for one.
#ifndef KERATIN_CUDA_H
#define KERATIN_CUDA_H

#include <keratin/device.h>
#include <keratin/object.h>

#ifdef __cplusplus
extern "C" {
#endif

// keratin_device_open() and keratin_device_find() know these devices from here on. May be called
// again.
KERATIN_API void keratin_cuda_enable(void);
// Gives memory of devices back to the driver that was given back here and is kept for the next
// call.
KERATIN_API void keratin_cuda_trim(void);

// The architecture of one of these devices, as "sm_90", for whoever would make machine code for it;
// NULL of any other device, and where KERATIN_CUDA_DRIVER names the driver's library, which may
// take PTX alone.
KERATIN_API const char *keratin_cuda_architecture(const keratin_device_t *device);

// keratin_state_create and keratin_state_create_on, after keratin_cuda_enable: what models compiled
// for these devices call.
KERATIN_API keratin_status_code_t keratin_cuda_state_create(const keratin_object_desc_t *object,
                                                            keratin_state_t **state,
                                                            keratin_status_t *status);
KERATIN_API keratin_status_code_t keratin_cuda_state_create_on(const keratin_object_desc_t *object,
                                                               const char *device,
                                                               keratin_state_t **state,
                                                               keratin_status_t *status);

#ifdef __cplusplus
}
#endif

#endif // KERATIN_CUDA_H
