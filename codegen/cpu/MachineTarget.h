// A CPU that machine code is made for, and the vector shape that kernels are written in.
#ifndef KERATIN_CODEGEN_CPU_MACHINETARGET_H
#define KERATIN_CODEGEN_CPU_MACHINETARGET_H

#include "codegen/cpu/Processors.h"
#include "codegen/elements/ElementTarget.h"
#include "codegen/llvm/LlvmTarget.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace keratin::codegen {

struct MachineTarget : LlvmTarget, ElementTarget {
  // Bits of one native vector register: 512, 256 or 128. Kernels use vectors of exactly this width;
  // of a machine without vectors, 0, vectors of one element.
  unsigned vectorBits = 128;
  // Vector registers, which bound the register tile of contractions.
  unsigned vectorRegisters = 16;
  // An instruction multiplies pairs of integers of 16 bits and adds both products (x86).
  bool multipliesWords = false;
  // Another multiplies four of 8 bits, unsigned ones with signed ones (AVX512-VNNI, AVX-VNNI).
  bool multipliesBytes = false;
  // An instruction multiplies pairs of bfloat16 and adds both products to f32 (AVX512-BF16).
  bool multipliesPairs = false;
  // Others multiply tiles of them (AMX-BF16), and of integers of 8 bits (AMX-INT8).
  bool multipliesTiles = false;
  bool multipliesByteTiles = false;
  // A thread has memory of its own (keratin_context_t::scratch).
  bool hasScratch = true;
  ProductTraits products;
  MemoryTraits memory;

  // Lanes of a native vector of elements with the given width in bits; one where it has no room for
  // an element.
  unsigned lanes(unsigned elementBits) const {
    return std::max(1u, vectorBits / std::max(8u, elementBits));
  }
};

// The machine we run on.
MachineTarget hostMachine();
// A processor of which nothing is assumed but arithmetic on single numbers: code for it is scalar,
// and computes the same bits on every machine.
inline constexpr const char *kScalarCpu = "scalar";

// By name: "native", "x86-64-v2" (128 bit), "x86-64-v3" (256 bit), "x86-64-v4" (512 bit) or any
// -mcpu name of the host's architecture; behind it instruction sets of
// runtime/abi/keratin_cpu_features.h that it has besides ("x86-64-v4+avx512bf16"). Empty triple if
// the name is unknown.
MachineTarget machineByName(const std::string &cpu);

// For code that is taken elsewhere: instruction sets are restricted to those that code can look for
// before it runs (runtime/abi/keratin_cpu_features.h), and `required` says which.
struct PortableMachine {
  MachineTarget target;
  uint64_t required[2] = {0, 0};
};

// triple "": ours. Architectures: x86-64 and AArch64, ELF. cpu as for machineByName, also
// kScalarCpu, for AArch64 also "generic"; "native" is ours, or "generic" on another architecture.
// nullopt, with a message, for names that are not known.
std::optional<PortableMachine> portableMachine(const std::string &triple, const std::string &cpu,
                                               std::string *error);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_MACHINETARGET_H
