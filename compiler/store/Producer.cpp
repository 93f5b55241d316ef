#include "compiler/store/Producer.h"

#include "codegen/llvm/Beginning.h"
#include "compiler/driver/Version.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"

#include <cstring>
#include <elf.h>
#include <link.h>

using namespace keratin;

namespace {
struct Search {
  uintptr_t address; // of something in the file
  std::string id;
};
} // namespace

// The id in a segment of notes, "" if there is none.
static std::string idIn(llvm::ArrayRef<uint8_t> notes) {
  auto padded = [](size_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof(note));
    notes = notes.drop_front(sizeof(note));
    size_t name = padded(note.n_namesz), text = padded(note.n_descsz);
    if (name > notes.size() || text > notes.size() - name)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        !std::memcmp(notes.data(), "GNU", 4))
      return llvm::toHex(notes.slice(name, note.n_descsz), /*LowerCase=*/true);
    notes = notes.drop_front(name + text);
  }
  return "";
}

static int visit(dl_phdr_info *info, size_t, void *user) {
  auto &search = *static_cast<Search *>(user);
  llvm::ArrayRef segments(info->dlpi_phdr, info->dlpi_phnum);
  bool holds = llvm::any_of(segments, [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD &&
           search.address - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
  });
  if (!holds)
    return 0;
  for (const ElfW(Phdr) & segment : segments)
    if (segment.p_type == PT_NOTE && search.id.empty())
      search.id = idIn(
          {reinterpret_cast<const uint8_t *>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz});
  return 1;
}

static std::string describeProducer() {
  std::string text = std::string(compiler::producer) + " " + compiler::versionText;
  void *const parts[] = {reinterpret_cast<void *>(&compiler::codeProducer),
                         reinterpret_cast<void *>(&llvm::sys::getProcessTriple),
                         reinterpret_cast<void *>(&mlir::registerMLIRContextCLOptions)};
  for (void *part : parts) {
    Search search{reinterpret_cast<uintptr_t>(part), ""};
    dl_iterate_phdr(visit, &search);
    if (search.id.empty())
      return "";
    text += " " + search.id;
  }
  return text;
}

const std::string &compiler::codeProducer() {
  static constinit codegen::Lasting<const std::string> known;
  return known.get([] { return new std::string(describeProducer()); });
}
