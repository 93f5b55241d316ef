#include "compiler/artifact/SharedObject.h"

#include "compiler/artifact/BuildPaths.h"

#include "absl/status/statusor.h"

#include "llvm/ObjCopy/CommonConfig.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <cerrno>
#include <cstring>
#include <deque>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace keratin::compiler;
using namespace llvm;

// The name of the runtime's folder: the architecture says enough, all else is Linux.
static std::string architecture(const std::string &triple) {
  return Triple(triple).getArchName().str();
}

// lib/keratin of the package, or of the build tree: beside the library that this code is in, and as
// the tools, which have the code themselves, see it.
static std::vector<std::string> packageFolders() {
  static int anchor;
  std::vector<std::string> folders;
  Dl_info self;
  SmallString<128> library;
  if (dladdr(&anchor, &self) && !sys::fs::real_path(self.dli_fname, library))
    folders.push_back((sys::path::parent_path(library) + "/keratin").str());
  std::string program = sys::fs::getMainExecutable(nullptr, &anchor);
  folders.push_back(
      (sys::path::parent_path(sys::path::parent_path(program)) + "/lib/keratin").str());
  return folders;
}

std::string keratin::compiler::findRuntime(const std::string &triple) {
  std::vector<std::string> places;
  std::string arch = architecture(triple);
  if (auto directory = sys::Process::GetEnv("KERATIN_RUNTIME_DIR"))
    places.push_back(*directory + "/" + arch);
  for (const std::string &folder : packageFolders())
    places.push_back(folder + "/" + arch);
  places.push_back(std::string(kBuildRuntimeDirectory) + "/" + arch);
  for (const std::string &place : places)
    if (std::string file = place + "/libkeratin_runtime.a"; sys::fs::exists(file))
      return file;
  return "";
}

namespace {

absl::Status noMemory(const char *what) {
  return absl::ResourceExhaustedError(std::string("linking: ") + what + ": " +
                                      std::strerror(errno));
}

// Where a process that this one starts finds what this one has open.
std::string pathOf(int descriptor) {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor);
}

// A file in no folder: nothing is left of it, however this process ends.
class MemoryFile {
public:
  MemoryFile() : descriptor(memfd_create("keratin", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  absl::Status write(StringRef content) {
    if (descriptor < 0)
      return noMemory("no file in memory");
    while (!content.empty()) {
      ssize_t count = ::write(descriptor, content.data(), content.size());
      if (count < 0 && errno != EINTR)
        return noMemory("no room in memory");
      content = content.drop_front(count < 0 ? 0 : size_t(count));
    }
    return absl::OkStatus();
  }
  std::string path() const { return pathOf(descriptor); }

private:
  int descriptor;
};

// All that comes through a pipe until nobody holds its other end.
void copyAll(int descriptor, raw_ostream &output) {
  std::vector<char> buffer(1 << 16);
  for (ssize_t count; (count = read(descriptor, buffer.data(), buffer.size())) != 0;) {
    if (count > 0)
      output.write(buffer.data(), size_t(count));
    else if (errno != EINTR)
      break;
  }
}

// Runs the linker.
class Link {
public:
  explicit Link(const LinkOptions &options) : options(options) {}

  absl::Status run(ObjectFiles objects, ArrayRef<std::string> flags,
                   ArrayRef<std::string> libraries, raw_ostream &output) {
    std::string linker = findLinker();
    if (linker.empty())
      return absl::NotFoundError("no linker: ld.lld is not on the PATH (Debian package lld)");
    // To a pipe, for lld would replace a file.
    std::vector<std::string> arguments = {linker, "-o", "/proc/self/fd/1"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    for (std::unique_ptr<MemoryBuffer> &object : objects) {
      absl::StatusOr<std::string> file = temporary(object->getBuffer());
      if (!file.ok())
        return file.status();
      object.reset();
      arguments.push_back(*file);
    }
    arguments.insert(arguments.end(), libraries.begin(), libraries.end());
    absl::StatusOr<std::string> messages = temporary("");
    if (!messages.ok())
      return messages.status();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      return noMemory("no pipe");
    std::string target = pathOf(ends[1]), problem;
    std::optional<StringRef> redirects[] = {StringRef(""), StringRef(target), StringRef(*messages)};
    SmallVector<StringRef> views(arguments.begin(), arguments.end());
    bool failed = false;
    sys::ProcessInfo process = sys::ExecuteNoWait(linker, views, std::nullopt, redirects,
                                                  /*MemoryLimit=*/0, &problem, &failed);
    close(ends[1]);
    copyAll(ends[0], output);
    close(ends[0]);
    if (!failed)
      failed = sys::Wait(process, std::nullopt, &problem).ReturnCode != 0;
    if (failed) {
      if (auto text = MemoryBuffer::getFile(*messages))
        problem += (*text)->getBuffer().substr(0, 2000);
      return absl::InternalError("linking failed: " + problem);
    }
    return absl::OkStatus();
  }

  // The path of a file that lives as long as this.
  absl::StatusOr<std::string> temporary(StringRef content) {
    MemoryFile &file = temporaries.emplace_back();
    if (absl::Status status = file.write(content); !status.ok())
      return status;
    return file.path();
  }

private:
  std::string findLinker() const {
    if (!options.linker.empty())
      return options.linker;
    std::vector<std::string> places;
    for (const std::string &folder : packageFolders())
      places.push_back(folder + "/ld.lld");
    places.push_back(kLinkerPath);
    for (const std::string &place : places)
      if (sys::fs::can_execute(place))
        return place;
    for (const char *name : {"ld.lld-19", "ld.lld"})
      if (auto found = sys::findProgramByName(name))
        return *found;
    return "";
  }

  const LinkOptions &options;
  std::deque<MemoryFile> temporaries;
};

} // namespace

// Where the target's libc and libm are.
static std::vector<std::string> libraryFolders(const LinkOptions &options) {
  Triple triple(options.triple);
  std::string multiarch = architecture(options.triple) + "-linux-gnu";
  std::vector<std::string> folders;
  if (!options.sysroot.empty()) {
    for (const char *place : {"/lib/", "/usr/lib/"})
      folders.push_back(options.sysroot + place + multiarch);
    for (const char *place : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"})
      folders.push_back(options.sysroot + place);
  } else {
    for (const char *place : {"/lib/", "/usr/lib/"})
      folders.push_back(place + multiarch);
    folders.push_back("/usr/" + multiarch + "/lib"); // Debian's cross packages
    if (triple.getArch() == Triple(sys::getProcessTriple()).getArch())
      for (const char *place : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"})
        folders.push_back(place);
  }
  llvm::erase_if(folders, [](const std::string &folder) { return !sys::fs::is_directory(folder); });
  return folders;
}

// Flags for libc and libm. What a machine has that only runs programs will do, too.
static absl::StatusOr<std::vector<std::string>> cLibrary(ArrayRef<std::string> folders,
                                                         const LinkOptions &options) {
  auto isThere = [&](const char *name) {
    return llvm::any_of(
        folders, [&](const std::string &folder) { return sys::fs::exists(folder + "/" + name); });
  };
  std::vector<std::string> flags;
  for (const std::string &folder : folders)
    flags.push_back("-L" + folder);
  if (isThere("libc.so")) {
    flags.insert(flags.end(), {"-lm", "-lc"});
    return flags;
  }
  for (const char *name :
       {"libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
    if (isThere(name))
      flags.push_back(std::string("-l:") + name);
  if (flags.size() > folders.size())
    return flags;
  std::string found = "no C library for " + options.triple;
  if (!options.sysroot.empty())
    return absl::NotFoundError("--sysroot='" + options.sysroot + "' has " + found +
                               "; needed libc.so or libc.so.6 in its lib or usr/lib");
  return absl::NotFoundError("there is " + found +
                             "; --sysroot=FOLDER says where one is (Debian "
                             "package libc6-dev-arm64-cross for AArch64)");
}

absl::Status keratin::compiler::linkSharedObject(ObjectFiles objects, ArrayRef<std::string> exports,
                                                 raw_ostream &output, const LinkOptions &options) {
  std::string runtime = options.runtime.empty() ? findRuntime(options.triple) : options.runtime;
  if (runtime.empty())
    return absl::NotFoundError("there is no runtime for " + options.triple +
                               "; KERATIN_RUNTIME_DIR names the folder of the runtimes");
  if (!options.sysroot.empty() && !sys::fs::is_directory(options.sysroot))
    return absl::NotFoundError("--sysroot='" + options.sysroot + "' is not a folder");
  absl::StatusOr<std::vector<std::string>> libraries = cLibrary(libraryFolders(options), options);
  if (!libraries.ok())
    return libraries.status();
  Link link(options);
  // Everything else is local, so that several models live in one process.
  std::string script = "{ global:";
  for (const std::string &name : exports)
    script += " " + name + ";";
  absl::StatusOr<std::string> version = link.temporary(script + " local: *; };\n");
  if (!version.ok())
    return version.status();
  std::vector<std::string> flags = {"-shared",
                                    "-soname=" + options.name,
                                    "--strip-all",
                                    "--gc-sections",
                                    "--icf=all",
                                    "--build-id=none",
                                    "--hash-style=gnu",
                                    "--no-undefined",
                                    "--as-needed",
                                    "-zrelro",
                                    "-znow",
                                    "-znoexecstack",
                                    "-ztext",
                                    "--version-script=" + *version};
  if (!options.sysroot.empty())
    flags.push_back("--sysroot=" + options.sysroot);
  libraries->insert(libraries->begin(), runtime);
  return link.run(std::move(objects), flags, *libraries, output);
}

// Makes all symbols local but these.
static Error keepGlobal(StringRef bytes, ArrayRef<std::string> exports, raw_ostream &output) {
  auto object = object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "keratin"));
  if (!object)
    return object.takeError();
  objcopy::ConfigManager config;
  config.Common.OutputFilename = "-";
  for (const std::string &name : exports)
    if (Error error = config.Common.SymbolsToKeepGlobal.addMatcher(
            objcopy::NameOrPattern::create(name, objcopy::MatchStyle::Literal, nullptr)))
      return error;
  return objcopy::executeObjcopyOnBinary(config, **object, output);
}

absl::Status keratin::compiler::linkRelocatable(ObjectFiles objects, ArrayRef<std::string> exports,
                                                raw_ostream &output, const LinkOptions &options) {
  SmallVector<char, 0> linked;
  raw_svector_ostream stream(linked);
  if (absl::Status status = Link(options).run(std::move(objects), {"-r"}, {}, stream); !status.ok())
    return status;
  if (Error error = keepGlobal(stream.str(), exports, output))
    return absl::InternalError("linking failed: " + toString(std::move(error)));
  return absl::OkStatus();
}
