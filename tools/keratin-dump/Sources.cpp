#include "tools/keratin-dump/Sources.h"

#include "runtime/files/FileBytes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <deque>

using namespace keratin::dump;
namespace path = llvm::sys::path;

// Larger files are not written by hand.
static constexpr uint64_t kMostBytes = 16 << 20;

// The file in the folder, links resolved; empty if there is none. Of a path the longest end that
// names a file counts, since a model may have been saved elsewhere.
static std::string fileIn(llvm::StringRef file, llvm::StringRef folder) {
  while (!file.empty()) {
    llvm::SmallString<256> candidate(folder), real;
    path::append(candidate, file);
    if (!llvm::sys::fs::real_path(candidate, real) && real.size() > folder.size() &&
        real.str().starts_with(folder) && path::is_separator(real[folder.size()]) &&
        llvm::sys::fs::is_regular_file(real))
      return real.str().str();
    size_t slash = file.find('/');
    file = slash == llvm::StringRef::npos ? "" : file.substr(slash + 1);
  }
  return "";
}

absl::StatusOr<std::map<std::string, std::string>>
keratin::dump::sourceLines(const std::set<std::string> &places, const std::string &folder) {
  std::map<std::string, std::string> result;
  llvm::SmallString<256> root;
  if (llvm::sys::fs::real_path(folder, root) || !llvm::sys::fs::is_directory(root))
    return absl::InvalidArgumentError("--source: there is no folder '" + folder + "'");
  std::map<std::string, llvm::SmallVector<llvm::StringRef, 0>> linesOf;
  std::deque<std::string> texts; // which lines lie in
  for (const std::string &place : places) {
    auto [file, number] = llvm::StringRef(place).rsplit(':');
    unsigned line = 0;
    if (number.getAsInteger(10, line) || !line)
      continue;
    auto [known, isNew] = linesOf.try_emplace(file.str());
    if (isNew)
      if (std::string found = fileIn(file, root); !found.empty())
        if (std::string &text = texts.emplace_back();
            runtime::readFile(found, runtime::FileKinds::Regular, kMostBytes, text).empty())
          llvm::StringRef(text).split(known->second, '\n');
    if (line <= known->second.size())
      result[place] = known->second[line - 1].rtrim().str();
  }
  if (texts.empty())
    return absl::InvalidArgumentError(
        "--source: the model names " +
        (linesOf.empty() ? std::string("no source files")
                         : "'" + linesOf.begin()->first + "'" +
                               (linesOf.size() > 1
                                    ? " and " + std::to_string(linesOf.size() - 1) + " other files"
                                    : "") +
                               ", of which none is in '" + folder + "'"));
  return result;
}
