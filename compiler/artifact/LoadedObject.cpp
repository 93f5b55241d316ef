#include "compiler/artifact/LoadedObject.h"

#include "compiler/artifact/ModelMetadata.h"
#include "ir/text/FileKind.h"
#include "runtime/files/FileBytes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace keratin;
using namespace keratin::compiler;

#ifdef __aarch64__
static constexpr unsigned kOurMachine = llvm::ELF::EM_AARCH64;
#else
static constexpr unsigned kOurMachine = llvm::ELF::EM_X86_64;
#endif

// Beyond what models hold (one gigabyte of constants).
static constexpr uint64_t kMostObjectBytes = uint64_t(1) << 34;

static absl::Status refuse(const std::string &why) { return absl::InvalidArgumentError(why); }

// The loader maps what the program headers say, and the process ends where the file does not go so
// far.
static bool isWhole(const llvm::object::ELF64LEObjectFile &object, uint64_t bytes) {
  auto segments = object.getELFFile().program_headers();
  if (!segments) {
    llvm::consumeError(segments.takeError());
    return false;
  }
  return llvm::all_of(*segments, [bytes](const auto &segment) {
    return segment.p_offset <= bytes && segment.p_filesz <= bytes - segment.p_offset;
  });
}

// The name of the function that gives the descriptor.
static absl::StatusOr<std::string> findQuery(const std::string &path) {
  std::string bytes;
  std::string problem =
      runtime::readFile(path, runtime::FileKinds::Regular, kMostObjectBytes, bytes);
  if (!problem.empty())
    return refuse(problem);
  auto binary = llvm::object::ObjectFile::createELFObjectFile({bytes, path});
  if (!binary) {
    const std::string why = llvm::toString(binary.takeError());
    if (llvm::StringRef(bytes).starts_with("\x7f"
                                           "ELF"))
      return refuse("this ELF file is damaged or cut: " + why);
    const std::string kind = ir::fileKind(bytes);
    return refuse("this is " + (kind.empty() ? "no object file" : kind) +
                  "; needed a shared object that keratin-compile has made");
  }
  auto *object = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(binary->get());
  if (!object)
    return refuse("this is not a 64-bit little-endian object");
  const auto &header = object->getELFFile().getHeader();
  if (header.e_machine != kOurMachine)
    return refuse("this is " + ir::fileKind(bytes) + "; this machine runs code for " +
                  ir::elfMachine(kOurMachine));
  if (header.e_type != llvm::ELF::ET_DYN)
    return refuse("this is not a shared object; keratin-compile makes one with --emit=so");
  if (!isWhole(*object, bytes.size()))
    return refuse("the object is damaged: it ends before its segments do");
  std::vector<std::string> found;
  for (const auto &symbol : object->getDynamicSymbolIterators()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (flags && name && !(*flags & llvm::object::SymbolRef::SF_Undefined) &&
        name->ends_with("_keratin_object"))
      found.push_back(name->str());
    if (!flags)
      llvm::consumeError(flags.takeError());
    if (!name)
      llvm::consumeError(name.takeError());
  }
  if (found.size() != 1)
    return refuse(found.empty() ? "this is " + ir::fileKind(bytes) +
                                      ", but no compiled model: no symbol ends in _keratin_object"
                                : "the object holds several models: " + llvm::join(found, ", "));
  return found.front();
}

// A file that stays open while objects of it are loaded: its number is part of the name under which
// the loader knows them. All of one file have the one name. Of a second the loader would make note,
// and find the first object by it when the number is another file's.
class LoadedObject::File {
public:
  explicit File(int descriptor) : descriptor(descriptor) {}
  ~File() { close(descriptor); }
  File(const File &) = delete;

  std::string name() const { return "/proc/self/fd/" + std::to_string(descriptor); }

  static std::shared_ptr<const File> open(const std::string &path) {
    static auto *known = new std::map<std::pair<dev_t, ino_t>, std::weak_ptr<const File>>;
    static auto *lock = new std::mutex;
    // Its kind is looked at before it is read.
    const int descriptor = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (descriptor < 0)
      return nullptr;
    auto opened = std::make_shared<const File>(descriptor);
    struct stat status;
    if (fstat(descriptor, &status) != 0)
      return nullptr;
    std::lock_guard guard(*lock);
    auto &entry = (*known)[{status.st_dev, status.st_ino}];
    if (auto there = entry.lock())
      return there;
    for (auto at = known->begin(); at != known->end();)
      at = at->second.expired() && &at->second != &entry ? known->erase(at) : std::next(at);
    entry = opened;
    return opened;
  }

private:
  int descriptor;
};

absl::StatusOr<std::unique_ptr<LoadedObject>> LoadedObject::open(const std::string &path) {
  std::unique_ptr<LoadedObject> object(new LoadedObject());
  object->file = File::open(path);
  if (!object->file)
    return refuse(std::strerror(errno));
  // The loader takes a path that it knows for the object that it had there. Under this name none
  // has another file.
  const std::string place = object->file->name();
  auto query = findQuery(place);
  if (!query.ok())
    return query.status();
  object->library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object->library)
    return refuse(dlerror());
  using Query = const keratin_object_desc_t *(*)();
  auto describe = reinterpret_cast<Query>(dlsym(object->library, query->c_str()));
  object->described = describe ? describe() : nullptr;
  if (!object->described)
    return refuse("the object does not describe its model");
  return object;
}

LoadedObject::~LoadedObject() {
  if (library)
    dlclose(library);
}

const char *LoadedObject::metadata() const {
  auto *text = static_cast<const char *>(dlsym(library, kModelMetadata));
  return text ? text : "";
}
