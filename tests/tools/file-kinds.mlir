// What is no model is called what it is, and what is needed is said, by every tool.
// RUN: rm -rf %t && mkdir %t
// RUN: keratin-compile %s -o %t/m.so && keratin-compile %s --emit=obj -o %t/m.o && llvm-ar rc %t/m.a %t/m.o
// RUN: printf '\223NUMPY\001\000v\000' > %t/x.npy && printf 'PK\003\004' > %t/x.npz && printf 'KKTSTATE' > %t/x.state
// RUN: printf '\003\000\000\000\000\000\000\000{}\n' > %t/x.safetensors && printf '\211HDF\r\n\032\n' > %t/x.hdf && cp %t/x.hdf %t/x.h5
// RUN: printf 'a text\n' > %t/x.txt && head -c 10 %t/m.so > %t/cut.so && head -c 5000 %t/m.so > %t/damaged.so

// RUN: %{exits} 1 keratin-compile %t/m.so 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: %{exits} 1 keratin-dump %t/m.so 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: %{exits} 1 keratin-opt %t/m.so 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: m.so: error: this is an ELF shared object or program for x86-64; needed a saved graph (.ktg) or textual IR
// RUN: %{exits} 1 keratin-dump %t/m.o 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: m.o: error: this is an ELF object file (.o) for x86-64; needed
// RUN: %{exits} 1 keratin-run %t/m.o 2>&1 | FileCheck %s --check-prefix=RELOCATABLE
// RELOCATABLE: m.o: error: this is not a shared object; keratin-compile makes one with --emit=so
// RUN: %{exits} 1 keratin-run %t/m.a 2>&1 | FileCheck %s --check-prefix=ARCHIVE
// ARCHIVE: m.a: error: this is an archive of object files (.a); needed
// RUN: %{exits} 1 keratin-run %t/x.npy 2>&1 | FileCheck %s --check-prefix=NPY
// NPY: x.npy: error: this is an array of NumPy (.npy); needed
// RUN: %{exits} 1 keratin-run %t/x.npz 2>&1 | FileCheck %s --check-prefix=NPZ
// NPZ: x.npz: error: this is a zip archive, as .npz and .keras files are; needed
// RUN: %{exits} 1 keratin-compile %t/x.state 2>&1 | FileCheck %s --check-prefix=STATE
// STATE: x.state: error: this is the state of a compiled model; needed
// RUN: %{exits} 1 keratin-compile %t/x.safetensors 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS: x.safetensors: error: this is a safetensors file: values without a graph; needed
// RUN: %{exits} 1 keratin-compile %t/x.h5 2>&1 | FileCheck %s --check-prefix=KERAS
// KERAS: x.h5: error: it is no file of HDF5, or damaged
// RUN: %{exits} 1 keratin-compile %t/x.hdf 2>&1 | FileCheck %s --check-prefix=HDF5
// HDF5: x.hdf: error: this is an HDF5 file, as Keras's .h5 files are; needed
// RUN: %{exits} 1 keratin-compile %t/x.txt 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %{exits} 1 keratin-dump %t/x.txt 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %{exits} 1 keratin-run %t/x.txt 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: x.txt: error: this is a text without a function (func.func); needed a saved graph (.ktg) or textual IR
// RUN: %{exits} 1 keratin-compile %t 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: %{exits} 1 keratin-run %t 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: this is a folder
// RUN: %{exits} 1 keratin-compile %t/cut.so 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: cut.so: error: this is the beginning of an ELF file; needed

// Shared objects that cannot be loaded.
// RUN: %{exits} 1 keratin-run %t/damaged.so 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: damaged.so: error: this ELF file is damaged or cut:
// RUN: cp $(which FileCheck) %t/other && %{exits} 1 keratin-run %t/other 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: other: error: this is an ELF shared object or program for x86-64, but no compiled model: no symbol ends in _keratin_object
// RUN: cp %t/m.so %t/riscv.so && printf '\363\000' | dd of=%t/riscv.so bs=1 seek=18 conv=notrunc 2>/dev/null
// RUN: %{exits} 1 keratin-run %t/riscv.so 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: riscv.so: error: this is an ELF shared object or program for RISC-V; this machine runs code for x86-64

func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
