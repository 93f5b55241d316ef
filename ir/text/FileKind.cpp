#include "ir/text/FileKind.h"

#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using llvm::StringRef;
namespace ELF = llvm::ELF;

namespace {

struct Kind {
  StringRef start, name;
};

// Places with NUL bytes in them need their lengths.
template <size_t N> constexpr StringRef bytesOf(const char (&text)[N]) { return {text, N - 1}; }

constexpr Kind kinds[] = {
    {bytesOf("\x93NUMPY"), "an array of NumPy (.npy)"},
    {bytesOf("PK\x03\x04"), "a zip archive, as .npz and .keras files are"},
    {bytesOf("PK\x05\x06"), "an empty zip archive"},
    {bytesOf("!<arch>\n"), "an archive of object files (.a)"},
    {bytesOf("!<thin>\n"), "an archive of object files (.a)"},
    {bytesOf("\x89HDF\r\n\x1a\n"), "an HDF5 file, as Keras's .h5 files are"},
    {bytesOf("KKTSTATE"), "the state of a compiled model"},
    {bytesOf("ML\xefR"), "MLIR bytecode"},
    {bytesOf("BC\xc0\xde"), "LLVM bitcode"},
    {bytesOf("\x1f\x8b"), "compressed by gzip"},
    {bytesOf("\xfd"
             "7zXZ"),
     "compressed by xz"},
    {bytesOf("\x28\xb5\x2f\xfd"), "compressed by zstd"},
    {bytesOf("\x89PNG"), "a PNG image"},
};

// The length of a header as JSON stands before it.
bool isSafetensors(StringRef bytes) {
  return bytes.size() > 9 && bytes[8] == '{' &&
         llvm::support::endian::read64le(bytes.data()) < (uint64_t(1) << 32);
}

std::string elfKind(StringRef bytes) {
  constexpr size_t typeAt = 16, machineAt = 18;
  if (bytes.size() < machineAt + 2)
    return "the beginning of an ELF file";
  unsigned type = llvm::support::endian::read16le(bytes.data() + typeAt);
  unsigned machine = llvm::support::endian::read16le(bytes.data() + machineAt);
  const char *what = type == ELF::ET_REL    ? "object file (.o)"
                     : type == ELF::ET_DYN  ? "shared object or program"
                     : type == ELF::ET_EXEC ? "program"
                                            : "file";
  return (llvm::Twine("an ELF ") + what + " for " + keratin::ir::elfMachine(machine)).str();
}

} // namespace

std::string keratin::ir::elfMachine(unsigned number) {
  switch (number) {
  case ELF::EM_X86_64:
    return "x86-64";
  case ELF::EM_AARCH64:
    return "AArch64";
  case ELF::EM_386:
    return "x86";
  case ELF::EM_ARM:
    return "ARM";
  case ELF::EM_RISCV:
    return "RISC-V";
  case ELF::EM_PPC64:
    return "PowerPC";
  case ELF::EM_CUDA:
    return "NVIDIA's GPUs";
  default:
    return "machine number " + std::to_string(number);
  }
}

std::string keratin::ir::fileKind(StringRef bytes) {
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return elfKind(bytes);
  for (const Kind &kind : kinds)
    if (bytes.starts_with(kind.start))
      return kind.name.str();
  return isSafetensors(bytes) ? "a safetensors file: values without a graph" : "";
}
