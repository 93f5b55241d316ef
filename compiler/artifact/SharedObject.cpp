#include "compiler/artifact/SharedObject.h"

#include "compiler/artifact/BuildPaths.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace keratin::compiler;
using namespace llvm;

static absl::Status cannotWrite(const std::string &path, std::error_code error) {
  return absl::InvalidArgumentError("cannot write '" + path + "': " + error.message());
}

// The name of the runtime's folder: the architecture says enough, all else is Linux.
static std::string architecture(const std::string &triple) {
  return Triple(triple).getArchName().str();
}

std::string keratin::compiler::findRuntime(const std::string &triple) {
  std::vector<std::string> places;
  std::string arch = architecture(triple);
  if (auto directory = sys::Process::GetEnv("KERATIN_RUNTIME_DIR"))
    places.push_back(*directory + "/" + arch);
  static int anchor;
  std::string self = sys::fs::getMainExecutable(nullptr, &anchor);
  places.push_back(
      (sys::path::parent_path(sys::path::parent_path(self)) + "/lib/keratin/" + arch).str());
  places.push_back(std::string(kBuildRuntimeDirectory) + "/" + arch);
  for (const std::string &place : places)
    if (std::string file = place + "/libkeratin_runtime.a"; sys::fs::exists(file))
      return file;
  return "";
}

namespace {

// Runs the linker over objects in temporary files.
class Link {
public:
  explicit Link(const LinkOptions &options) : options(options) {}
  ~Link() {
    for (const std::string &file : temporaries)
      sys::fs::remove(file);
  }

  absl::Status run(ArrayRef<std::unique_ptr<MemoryBuffer>> objects, const std::string &output,
                   ArrayRef<std::string> flags, ArrayRef<std::string> libraries) {
    std::string linker = findLinker();
    if (linker.empty())
      return absl::NotFoundError("no linker: ld.lld is not on the PATH (Debian package lld)");
    // Beside the output, so that it can be renamed.
    absl::StatusOr<std::string> linked = temporary(output, "");
    if (!linked.ok())
      return linked.status();
    std::vector<std::string> arguments = {linker, "-o", *linked};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    for (const auto &object : objects) {
      absl::StatusOr<std::string> file = temporary("", object->getBuffer());
      if (!file.ok())
        return file.status();
      arguments.push_back(*file);
    }
    arguments.insert(arguments.end(), libraries.begin(), libraries.end());
    absl::StatusOr<std::string> messages = temporary("", "");
    if (!messages.ok())
      return messages.status();
    SmallVector<StringRef> views(arguments.begin(), arguments.end());
    std::string problem;
    std::optional<StringRef> redirects[] = {StringRef(""), StringRef(*messages),
                                            StringRef(*messages)};
    int code = sys::ExecuteAndWait(linker, views, std::nullopt, redirects, /*SecondsToWait=*/0,
                                   /*MemoryLimit=*/0, &problem);
    if (code != 0) {
      if (auto text = MemoryBuffer::getFile(*messages))
        problem += (*text)->getBuffer().substr(0, 2000);
      return absl::InternalError("linking failed: " + problem);
    }
    if (std::error_code error = sys::fs::rename(*linked, output))
      return cannotWrite(output, error);
    return absl::OkStatus();
  }

  // A file that goes when the link is done; beside `near`, if that is a path.
  absl::StatusOr<std::string> temporary(const std::string &near, StringRef content) {
    SmallString<128> path;
    int descriptor;
    std::error_code error = near.empty()
                                ? sys::fs::createTemporaryFile("keratin", "tmp", descriptor, path)
                                : sys::fs::createUniqueFile(
                                      near + ".%%%%%%.tmp", descriptor, path, sys::fs::OF_None,
                                      sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write);
    if (error)
      return cannotWrite(near.empty() ? "a temporary file" : near, error);
    temporaries.push_back(path.str().str());
    raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << content;
    stream.close();
    if (stream.has_error()) {
      error = stream.error();
      stream.clear_error();
      return cannotWrite(path.str().str(), error);
    }
    return temporaries.back();
  }

private:
  std::string findLinker() const {
    if (!options.linker.empty())
      return options.linker;
    if (sys::fs::can_execute(kLinkerPath))
      return kLinkerPath;
    for (const char *name : {"ld.lld-19", "ld.lld"})
      if (auto found = sys::findProgramByName(name))
        return *found;
    return "";
  }

  const LinkOptions &options;
  std::vector<std::string> temporaries;
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

absl::Status keratin::compiler::linkSharedObject(ArrayRef<std::unique_ptr<MemoryBuffer>> objects,
                                                 ArrayRef<std::string> exports,
                                                 const std::string &output,
                                                 const LinkOptions &options) {
  std::string runtime = options.runtime.empty() ? findRuntime(options.triple) : options.runtime;
  if (runtime.empty())
    return absl::NotFoundError("there is no runtime for " + options.triple +
                               "; KERATIN_RUNTIME_DIR names the folder of the runtimes");
  Link link(options);
  // Everything else is local, so that several models live in one process.
  std::string script = "{ global:";
  for (const std::string &name : exports)
    script += " " + name + ";";
  absl::StatusOr<std::string> version = link.temporary("", script + " local: *; };\n");
  if (!version.ok())
    return version.status();
  std::vector<std::string> flags = {"-shared",
                                    "-soname=" + sys::path::filename(output).str(),
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
  for (const std::string &folder : libraryFolders(options))
    flags.push_back("-L" + folder);
  return link.run(objects, output, flags, {runtime, "-lm", "-lc"});
}

absl::Status keratin::compiler::linkRelocatable(ArrayRef<std::unique_ptr<MemoryBuffer>> objects,
                                                const std::string &output,
                                                const LinkOptions &options) {
  return Link(options).run(objects, output, {"-r"}, {});
}
