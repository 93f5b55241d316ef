// What the sanitizers are told before main, in every program of a build with KERATIN_SANITIZER:
// where the packages' LLVM and MLIR, which are not instrumented, would look wrong. Nothing here may
// name code of the project.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KERATIN_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define KERATIN_THREAD_SANITIZER 1
#endif
#endif

#define KERATIN_FOR_SANITIZER extern "C" __attribute__((visibility("default"), used))

#ifdef KERATIN_ADDRESS_SANITIZER
KERATIN_FOR_SANITIZER const char *__asan_default_options();
const char *__asan_default_options() {
  return
      // BumpPtrAllocator poisons a new slab in code inlined from headers, but what libMLIR then
      // hands out of it is never unpoisoned there.
      "allow_user_poisoning=0:"
      // A container filled in libMLIR has no annotations; half of them are worse than none.
      "detect_container_overflow=0:"
      "detect_stack_use_after_return=1";
}

// What nvJitLink keeps of PTX in which it finds an error.
KERATIN_FOR_SANITIZER const char *__lsan_default_suppressions();
const char *__lsan_default_suppressions() { return "leak:libnvJitLink"; }
#endif

#ifdef KERATIN_THREAD_SANITIZER
KERATIN_FOR_SANITIZER const char *__tsan_default_options();
const char *__tsan_default_options() {
  return
      // memcpy, free and others called by libLLVM or libMLIR: their own synchronisation by atomics
      // is not seen. Locks still are.
      "ignore_noninstrumented_modules=1:"
      "second_deadlock_stack=1";
}
#endif
