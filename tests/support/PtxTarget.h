// The plain target (PlainTarget.h), whose functions are compiled for the device "cuda" besides: so
// that every graph that a test compiles goes through code generation for it, its PTX keeps the
// rules (PtxLint.h), and can be assembled.
#ifndef KERATIN_TESTS_SUPPORT_PTXTARGET_H
#define KERATIN_TESTS_SUPPORT_PTXTARGET_H

namespace keratin::tests {

inline constexpr const char *ptxTarget = "ptx";

// Makes it known, once. Where the environment names a folder as KERATIN_PTX_FOLDER, different
// kernels are left there, many in each file: ptx-<process>-<number>.ptx.
void registerPtxTarget();

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_PTXTARGET_H
