// Memory of the device "cuda" that ends where it says.
#ifndef KERATIN_TESTS_SUPPORT_GUARDEDDEVICE_H
#define KERATIN_TESTS_SUPPORT_GUARDEDDEVICE_H

namespace keratin::tests {

// From now on "cuda" takes each block that the runtime asks for from the driver, with as many bytes
// as it was asked for, and gives it back at once: the runtime itself rounds up and keeps what it
// has, and the emulator, which finds accesses beyond an allocation and to bytes that nobody wrote,
// sees neither there. To be called before there is an executable on the device; more calls, and
// those where KERATIN_CUDA_DRIVER names no driver, or KERATIN_TEST_MEMORY is "kept", do nothing.
void guardCudaMemory();

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_GUARDEDDEVICE_H
