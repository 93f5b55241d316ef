#include "compiler/arrays/SafetensorsSet.h"

#include "compiler/arrays/Refusal.h"
#include "compiler/arrays/Safetensors.h"
#include "runtime/files/FileBytes.h"
#include "runtime/files/FileWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <set>

using namespace keratin;
using namespace keratin::compiler;
using llvm::StringRef;
using nlohmann::json;

static constexpr StringRef kIndexEnd = ".safetensors.index.json", kPartEnd = ".safetensors";

bool compiler::isSafetensorsIndex(const std::string &path) {
  return StringRef(path).ends_with(kIndexEnd);
}

static std::string beside(const std::string &index, const std::string &name) {
  llvm::SmallString<128> path = llvm::sys::path::parent_path(index);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

//===-- Reading -------------------------------------------------------------------------------===//

namespace {
struct Index {
  std::map<std::string, std::string> fileOf; // of each array
  std::optional<uint64_t> bytes;             // of all of them
};
} // namespace

// The JSON without two members of one name; discarded if it is none. `twice`: such a name.
static json parseJson(const std::string &text, std::optional<std::string> &twice) {
  std::vector<std::set<std::string>> open;
  auto look = [&](int, json::parse_event_t event, json &value) {
    if (event == json::parse_event_t::object_start)
      open.emplace_back();
    else if (event == json::parse_event_t::object_end)
      open.pop_back();
    else if (event == json::parse_event_t::key &&
             !open.back().insert(value.get_ref<const std::string &>()).second)
      twice = value.get<std::string>();
    return true;
  };
  return json::parse(text, look, /*allow_exceptions=*/false);
}

static absl::StatusOr<Index> readIndex(const std::string &path) {
  std::string text;
  if (std::string problem =
          runtime::readFile(path, runtime::FileKinds::Regular, kMaxSafetensorsHeader, text);
      !problem.empty())
    return absl::UnavailableError(problem);
  std::optional<std::string> twice;
  const json parsed = parseJson(text, twice);
  if (parsed.is_discarded() || !parsed.is_object())
    return refuse("it is no JSON object");
  if (twice)
    return refuse("it has '" + *twice + "' twice");
  auto map = parsed.find("weight_map");
  if (map == parsed.end() || !map->is_object())
    return refuse("it has no object 'weight_map'");
  Index index;
  for (const auto &[name, file] : map->items()) {
    if (!file.is_string())
      return refuse("tensor '" + name + "' is in no file: needed a name");
    const auto &fileName = file.get_ref<const std::string &>();
    if (!StringRef(fileName).ends_with(kPartEnd) || fileName.size() == kPartEnd.size() ||
        fileName.find('/') != std::string::npos || fileName.find('\0') != std::string::npos)
      return refuse("tensor '" + name + "' is in '" + fileName +
                    "'; needed the name of a .safetensors file beside the index");
    index.fileOf.emplace(name, fileName);
  }
  if (auto metadata = parsed.find("metadata"); metadata != parsed.end() && metadata->is_object())
    if (auto bytes = metadata->find("total_size");
        bytes != metadata->end() && bytes->is_number_unsigned())
      index.bytes = bytes->get<uint64_t>();
  return index;
}

absl::StatusOr<std::vector<NamedArray>>
compiler::readSafetensorsSet(const std::string &path,
                             const std::function<bool(const std::string &)> &isWanted) {
  auto index = readIndex(path);
  if (!index.ok())
    return index.status();
  std::set<std::string> files;
  for (const auto &[name, file] : index->fileOf)
    files.insert(file);
  std::vector<NamedArray> all;
  std::map<std::string, std::string> found; // the file of each array
  uint64_t bytes = 0;
  for (const std::string &file : files) {
    std::string problem;
    auto isWantedHere = [&](const std::string &name) {
      auto [place, isNew] = found.emplace(name, file);
      if (!isNew)
        problem = "tensor '" + name + "' is in '" + place->second + "' and in '" + file + "'";
      else if (!index->fileOf.count(name))
        problem = "'" + file + "' has a tensor '" + name + "', of which the index knows nothing";
      return problem.empty() && isWanted(name);
    };
    auto arrays = readSafetensorsFile(beside(path, file), isWantedHere, &bytes);
    if (!arrays.ok())
      return absl::Status(arrays.status().code(),
                          "'" + file + "': " + std::string(arrays.status().message()));
    if (!problem.empty())
      return refuse(problem);
    std::move(arrays->begin(), arrays->end(), std::back_inserter(all));
  }
  for (const auto &[name, file] : index->fileOf)
    if (auto place = found.find(name); place == found.end() || place->second != file)
      return refuse("the index has tensor '" + name + "' in '" + file + "'; found " +
                    (place == found.end() ? "none" : "it in '" + place->second + "'"));
  if (index->bytes && *index->bytes != bytes)
    return refuse("total_size is " + std::to_string(*index->bytes) + "; its tensors have " +
                  std::to_string(bytes) + " bytes");
  return all;
}

//===-- Writing -------------------------------------------------------------------------------===//

// The largest first, each to the part that has the fewest bytes so far.
SafetensorsSet::SafetensorsSet(std::string path, std::vector<Member> list, size_t mostParts)
    : index(std::move(path)), members(std::move(list)),
      parts(std::max<size_t>(1, std::min(mostParts, members.size()))), places(members.size()) {
  std::vector<size_t> order(members.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(members[b].bytes, members[a].name) <
           std::pair(members[a].bytes, members[b].name);
  });
  struct Load {
    uint64_t bytes = 0;
    size_t arrays = 0; // so that no part is empty
  };
  std::vector<Load> loads(parts);
  for (size_t member : order) {
    auto least = std::min_element(loads.begin(), loads.end(), [](const Load &a, const Load &b) {
      return std::pair(a.bytes, a.arrays) < std::pair(b.bytes, b.arrays);
    });
    places[member] = size_t(least - loads.begin());
    least->bytes += members[member].bytes;
    ++least->arrays;
  }
}

std::string SafetensorsSet::stem() const {
  StringRef name = llvm::sys::path::filename(index);
  return name.drop_back(kIndexEnd.size()).str();
}

std::string SafetensorsSet::partName(int64_t turn, size_t part) const {
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, "-%05zu-of-%05zu", part + 1, parts);
  return stem() + (turn ? "-b" : "") + numbers + kPartEnd.str();
}

std::string SafetensorsSet::partPath(int64_t turn, size_t part) const {
  return beside(index, partName(turn, part));
}

int64_t SafetensorsSet::freeTurn() const {
  auto there = readIndex(index);
  // Of what cannot be read nothing is lost.
  if (!there.ok())
    return 0;
  const std::string first = stem() + "-0";
  return llvm::any_of(
      there->fileOf, [&](const auto &entry) { return StringRef(entry.second).starts_with(first); });
}

absl::Status SafetensorsSet::writeIndex(int64_t turn) const {
  json map = json::object();
  uint64_t bytes = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    map[members[i].name] = partName(turn, places[i]);
    bytes += members[i].bytes;
  }
  for (size_t part = 0; part < parts; ++part)
    if (!llvm::sys::fs::exists(partPath(turn, part)))
      return absl::UnavailableError("'" + partName(turn, part) + "' of rank " +
                                    std::to_string(part) +
                                    " is not beside it: all ranks need the same folder");
  const json made = {{"metadata", {{"total_size", bytes}}}, {"weight_map", std::move(map)}};
  const std::string text =
      made.dump(2, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace) + "\n";
  if (int failure = runtime::writeFile(index.c_str(), text.data(), text.size(), {true}))
    return absl::UnavailableError(std::strerror(failure));
  return absl::OkStatus();
}

void SafetensorsSet::removeOthers(int64_t turn) const {
  std::set<std::string> own;
  for (size_t part = 0; part < parts; ++part)
    own.insert(partName(turn, part));
  const llvm::Regex isPart("^" + llvm::Regex::escape(stem()) +
                           "(-b)?-[0-9]{5}-of-[0-9]{5}\\.safetensors$");
  StringRef folder = llvm::sys::path::parent_path(index);
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(folder.empty() ? "." : folder, error), end;
       !error && at != end; at.increment(error)) {
    std::string name = llvm::sys::path::filename(at->path()).str();
    if (isPart.match(name) && !own.count(name))
      (void)llvm::sys::fs::remove(at->path()); // nothing depends on it
  }
}
