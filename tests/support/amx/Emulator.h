// libkeratin-amx-emulator.so: executes the instructions of AMX-TILE, AMX-BF16 and AMX-INT8, and of
// AVX-VNNI those that do not saturate, where the processor has none, from the SIGILL that they
// raise there. For LD_PRELOAD, or linked to a test. On a processor with AMX it asks the system for
// its tiles (arch_prctl), and nothing of it is entered.
//
// A program's own handlers of SIGILL stay behind it, whenever they come, and get what is no tile
// instruction. What the processor would refuse ends the process with its signal, and a line on
// stderr says why.
//
// KERATIN_AMX_COUNTS names a file: at exit, a line for each instruction executed is added there,
// "tdpbf16ps 128".
#ifndef KERATIN_TESTS_SUPPORT_AMX_EMULATOR_H
#define KERATIN_TESTS_SUPPORT_AMX_EMULATOR_H

#include <stdint.h>

// How many times this process has executed the instruction ("tdpbf16ps") here.
extern "C" __attribute__((visibility("default"))) uint64_t
keratin_amx_executed(const char *instruction);

#endif // KERATIN_TESTS_SUPPORT_AMX_EMULATOR_H
