// What is brought to a device between calls (DeviceSupport).
#ifndef KERATIN_RUNTIME_CORE_DEVICEMEMORY_H
#define KERATIN_RUNTIME_CORE_DEVICEMEMORY_H

#include "runtime/core/DeviceSupport.h"

namespace keratin::runtime {

Code loadOnDevice(keratin_executable_t &executable, keratin_status_t *status);
Code stageOnDevice(const keratin_variable_t &variable, const keratin_tensor_t &value, Block &staged,
                   keratin_status_t *status);
Code fetchFromDevice(const keratin_variable_t &variable, Block &value, keratin_status_t *status);
Code sendToDevice(const keratin_variable_t &variable, Block &value, keratin_status_t *status);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_DEVICEMEMORY_H
