// Instruction sets of x86-64 beyond its baseline that compiled models may need: number, name as
// LLVM has it, where CPUID tells of it (leaf, subleaf, register, bit), and what the operating
// system must save at a task switch; for tiles it must also let the process use them
// (keratin_cpu_tiles.h). Numbers are part of the object ABI: new ones go to the end.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID.
#ifndef KERATIN_CPU_FEATURES_H
#define KERATIN_CPU_FEATURES_H

// clang-format off
#define KERATIN_CPU_FEATURES(FEATURE)                    \
  FEATURE(0,  "sse3",            1, 0, ECX, 0,  ANY)      \
  FEATURE(1,  "ssse3",           1, 0, ECX, 9,  ANY)      \
  FEATURE(2,  "fma",             1, 0, ECX, 12, YMM)      \
  FEATURE(3,  "cx16",            1, 0, ECX, 13, ANY)      \
  FEATURE(4,  "sse4.1",          1, 0, ECX, 19, ANY)      \
  FEATURE(5,  "sse4.2",          1, 0, ECX, 20, ANY)      \
  FEATURE(6,  "movbe",           1, 0, ECX, 22, ANY)      \
  FEATURE(7,  "popcnt",          1, 0, ECX, 23, ANY)      \
  FEATURE(8,  "avx",             1, 0, ECX, 28, YMM)      \
  FEATURE(9,  "f16c",            1, 0, ECX, 29, YMM)      \
  FEATURE(10, "sahf",   0x80000001, 0, ECX, 0,  ANY)      \
  FEATURE(11, "lzcnt",  0x80000001, 0, ECX, 5,  ANY)      \
  FEATURE(12, "bmi",             7, 0, EBX, 3,  ANY)      \
  FEATURE(13, "avx2",            7, 0, EBX, 5,  YMM)      \
  FEATURE(14, "bmi2",            7, 0, EBX, 8,  ANY)      \
  FEATURE(15, "avx512f",         7, 0, EBX, 16, ZMM)      \
  FEATURE(16, "avx512dq",        7, 0, EBX, 17, ZMM)      \
  FEATURE(17, "adx",             7, 0, EBX, 19, ANY)      \
  FEATURE(18, "avx512ifma",      7, 0, EBX, 21, ZMM)      \
  FEATURE(19, "avx512cd",        7, 0, EBX, 28, ZMM)      \
  FEATURE(20, "avx512bw",        7, 0, EBX, 30, ZMM)      \
  FEATURE(21, "avx512vl",        7, 0, EBX, 31, ZMM)      \
  FEATURE(22, "avx512vbmi",      7, 0, ECX, 1,  ZMM)      \
  FEATURE(23, "avx512vbmi2",     7, 0, ECX, 6,  ZMM)      \
  FEATURE(24, "gfni",            7, 0, ECX, 8,  ANY)      \
  FEATURE(25, "avx512vnni",      7, 0, ECX, 11, ZMM)      \
  FEATURE(26, "avx512bitalg",    7, 0, ECX, 12, ZMM)      \
  FEATURE(27, "avx512vpopcntdq", 7, 0, ECX, 14, ZMM)      \
  FEATURE(28, "avx512fp16",      7, 0, EDX, 23, ZMM)      \
  FEATURE(29, "avxvnni",         7, 1, EAX, 4,  YMM)      \
  FEATURE(30, "avx512bf16",      7, 1, EAX, 5,  ZMM)      \
  FEATURE(31, "amx-bf16",        7, 0, EDX, 22, TILES)    \
  FEATURE(32, "amx-tile",        7, 0, EDX, 24, TILES)    \
  FEATURE(33, "amx-int8",        7, 0, EDX, 25, TILES)
// clang-format on

#endif // KERATIN_CPU_FEATURES_H
