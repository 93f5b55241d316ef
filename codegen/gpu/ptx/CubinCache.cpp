#include "codegen/gpu/ptx/CubinCache.h"

#include "codegen/gpu/ptx/NvJitLink.h"
#include "codegen/gpu/ptx/Ptxas.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <tuple>
#include <type_traits>
#include <vector>

using namespace keratin::codegen;
using llvm::StringRef;

// What entries begin with; then the digest of the machine code, a line end, and the code.
static constexpr StringRef header = "keratin cubin 1\n";
static constexpr size_t digestDigits = 64;
static constexpr StringRef extension = ".cubin";

static std::string digestOf(llvm::ArrayRef<StringRef> parts) {
  llvm::SHA256 digest;
  for (StringRef part : parts) {
    // Lengths, so that no two lists of parts are the same bytes.
    digest.update(std::to_string(part.size()) + ":");
    digest.update(part);
  }
  return llvm::toHex(digest.final(), /*LowerCase=*/true);
}

static uint64_t bytesOfEnvironment() {
  const char *text = std::getenv("KERATIN_CACHE_BYTES");
  uint64_t bytes = 0;
  return text && llvm::to_integer(text, bytes, 10) ? bytes : CubinCache::usualBytes;
}

CubinCache CubinCache::ofEnvironment() {
  if (const char *named = std::getenv("KERATIN_CACHE_DIR"))
    return CubinCache(named, bytesOfEnvironment());
  llvm::SmallString<128> folder;
  const char *caches = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (caches && llvm::sys::path::is_absolute(caches))
    llvm::sys::path::append(folder, caches, "keratin");
  else if (home && llvm::sys::path::is_absolute(home))
    llvm::sys::path::append(folder, home, ".cache", "keratin");
  return CubinCache(folder.str().str(), bytesOfEnvironment());
}

std::string CubinCache::keyOf(StringRef ptx, StringRef architecture, StringRef assembler) {
  return digestOf({header, ptx, architecture, assembler});
}

std::string CubinCache::fileOf(const std::string &key) const {
  return folder + "/" + key + extension.str();
}

std::optional<std::string> CubinCache::find(const std::string &key) const {
  if (folder.empty())
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(fileOf(key), /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  StringRef bytes = file ? (*file)->getBuffer() : StringRef();
  if (!bytes.consume_front(header) || bytes.size() <= digestDigits + 1)
    return std::nullopt;
  StringRef cubin = bytes.drop_front(digestDigits + 1);
  if (bytes.take_front(digestDigits) != digestOf({cubin}) || bytes[digestDigits] != '\n')
    return std::nullopt;
  // The time of a file is that of its last use. Without the right to set it, it stays old.
  (void)utimensat(AT_FDCWD, fileOf(key).c_str(), /*now*/ nullptr, 0);
  return cubin.str();
}

void CubinCache::keep(const std::string &key, StringRef cubin) const {
  // Only for who made it: what others could write, they could have us run.
  if (folder.empty() ||
      llvm::sys::fs::create_directories(folder, /*IgnoreExisting=*/true, llvm::sys::fs::owner_all))
    return;
  // A file of another name that takes its place when it is whole.
  if (header.size() + digestDigits + 1 + cubin.size() <= mostBytes)
    llvm::consumeError(llvm::writeToOutput(fileOf(key), [&](llvm::raw_ostream &out) {
      out << header << digestOf({cubin}) << "\n" << cubin;
      return llvm::Error::success();
    }));
  trim();
}

namespace {
struct CachedFile {
  llvm::sys::TimePoint<> lastUse;
  uint64_t bytes;
  std::string path;
};
} // namespace

// Only what the cache has made, also what is left of a process that ended while it wrote: the
// folder may hold files of others.
static bool isOfCache(StringRef path) {
  StringRef name = llvm::sys::path::filename(path), key = name.take_front(digestDigits);
  return key.size() == digestDigits && llvm::all_of(key, llvm::isHexDigit) &&
         name.drop_front(digestDigits).starts_with(extension);
}

// Another process may do the same at the same time: it has about the same list, and what is gone
// already was to go. Who is reading a file that goes has it to the end.
void CubinCache::trim() const {
  std::vector<CachedFile> files;
  uint64_t sum = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    llvm::sys::fs::file_status status;
    if (!isOfCache(file->path()) || llvm::sys::fs::status(file->path(), status))
      continue;
    files.push_back({status.getLastModificationTime(), status.getSize(), file->path()});
    sum += status.getSize();
  }
  if (sum <= mostBytes)
    return;
  llvm::sort(files, [](const CachedFile &a, const CachedFile &b) {
    return std::tie(a.lastUse, a.path) < std::tie(b.lastUse, b.path);
  });
  for (const CachedFile &file : files) {
    if (sum <= mostBytes)
      return;
    if (!llvm::sys::fs::remove(file.path))
      sum -= file.bytes;
  }
}

// Takes one that find() has found.
template <typename Assembler>
static std::optional<std::string> cubinBy(const Assembler &assembler, StringRef ptx,
                                          StringRef architecture, std::string *error) {
  const CubinCache cache = CubinCache::ofEnvironment();
  const std::string key = CubinCache::keyOf(ptx, architecture, assembler.version());
  if (auto found = cache.find(key))
    return found;
  std::optional<std::string> cubin;
  if constexpr (std::is_same_v<Assembler, Ptxas>) {
    if (auto assembled = assembler.assemble(ptx, architecture, error))
      cubin = std::move(assembled->cubin);
  } else {
    cubin = assembler.assemble(ptx, architecture, error);
  }
  if (cubin)
    cache.keep(key, *cubin);
  return cubin;
}

bool keratin::codegen::canAssemble(std::string *missing) {
  std::string also;
  if (Ptxas::find(missing) || NvJitLink::find(&also))
    return true;
  *missing += "; " + also;
  return false;
}

std::optional<std::string> keratin::codegen::cubinOf(StringRef ptx, StringRef architecture,
                                                     std::string *error) {
  if (auto assembler = Ptxas::find(error))
    return cubinBy(*assembler, ptx, architecture, error);
  if (auto library = NvJitLink::find(error))
    return cubinBy(*library, ptx, architecture, error);
  return std::nullopt;
}
