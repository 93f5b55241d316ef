// CUDA devices. They are known by name, "cuda" (or "cuda:0"), "cuda:1" and so on, to whoever has
// called keratin_cuda_enable(). Nothing of the driver is touched before somebody asks for one.
#ifndef KERATIN_CUDA_H
#define KERATIN_CUDA_H

#include <keratin/device.h>

#ifdef __cplusplus
extern "C" {
#endif

// keratin_device_open() and keratin_device_find() know these devices from here on. May be called
// again.
KERATIN_API void keratin_cuda_enable(void);
// Gives memory of devices back to the driver that was given back here and is kept for the next
// call.
KERATIN_API void keratin_cuda_trim(void);

#ifdef __cplusplus
}
#endif

#endif // KERATIN_CUDA_H
