// What the target "cuda" compiles, with its PTX looked after and its kernels run by the plain
// device (PlainDevice.h): every graph that a test compiles goes through code generation for the
// device, the PTX keeps the rules (PtxLint.h) and can be assembled, and what threads do with their
// units is compiled for the processor and computed.
#ifndef KERATIN_TESTS_SUPPORT_PTXTARGET_H
#define KERATIN_TESTS_SUPPORT_PTXTARGET_H

namespace keratin::tests {

inline constexpr const char *ptxTarget = "ptx";

// Makes it known, once. Where the environment names a folder as KERATIN_PTX_FOLDER, different
// kernels are left there, many in each file: ptx-<process>-<number>.ptx.
void registerPtxTarget();

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_PTXTARGET_H
