// Tile registers of AMX: a process that did not ask for them gets SIGILL from their instructions.
// A header alone, for the runtime, which looks for instruction sets, and the compiler, which
// describes the machine it runs on.
// Source: the Linux kernel's Documentation/arch/x86/xstate.rst.
#ifndef KERATIN_CPU_TILES_H
#define KERATIN_CPU_TILES_H

// Whether the system lets this process use them, in every thread: to be asked where the processor
// has them, and as often as one likes. Other systems than Linux know no question.
static inline int keratin_cpu_request_tiles(void) {
#if defined(__x86_64__) && defined(__linux__)
  // arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA): the C library has no function for it, and
  // what objects take from that library is counted.
  const long arch_prctl = 158, request_permission = 0x1023, tile_data = 18;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(arch_prctl), "D"(request_permission), "S"(tile_data)
                   : "rcx", "r11", "memory");
  return result == 0;
#else
  return 0;
#endif
}

#endif // KERATIN_CPU_TILES_H
