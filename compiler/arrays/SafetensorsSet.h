// Safetensors files that are one set, and its index, which says which of them has which array:
//
//   net-00001-of-00002.safetensors, net-00002-of-00002.safetensors, net.safetensors.index.json
//
// as Hugging Face's tools keep what is too large for one file.
// Source: https://huggingface.co/docs/safetensors/metadata_parsing (Sharded models).
//
// A set takes the place of another one whole: its parts have names that those of the other have
// not, and the index, which is written last, is what a reader begins with.
#ifndef KERATIN_COMPILER_ARRAYS_SAFETENSORSSET_H
#define KERATIN_COMPILER_ARRAYS_SAFETENSORSSET_H

#include "compiler/arrays/Array.h"

#include "absl/status/statusor.h"

#include <functional>
#include <string>
#include <vector>

namespace keratin::compiler {

// Whether the path ends in .safetensors.index.json.
bool isSafetensorsIndex(const std::string &path);

// As readSafetensorsFile, of all files that the index names, which lie beside it. INVALID_ARGUMENT
// also for a file's name that is a path, and where index and files differ: an array that is not
// where the index has it, in two files, or in none.
absl::StatusOr<std::vector<NamedArray>>
readSafetensorsSet(const std::string &index,
                   const std::function<bool(const std::string &)> &isWanted);

// A set of at most so many parts as it is written.
class SafetensorsSet {
public:
  struct Member {
    std::string name;
    uint64_t bytes;
  };
  // The same members give the same parts, in whichever process: no more of them than there are
  // members, and of bytes as even as whole arrays allow. Members have different names.
  SafetensorsSet(std::string index, std::vector<Member> members, size_t mostParts);

  size_t numParts() const { return parts; }
  size_t partOf(size_t member) const { return places[member]; }

  // Which of two names parts have: the one that those of the set which is there have not.
  int64_t freeTurn() const;
  std::string partPath(int64_t turn, size_t part) const;
  // When all parts are there. UNAVAILABLE where one is not, or if it cannot be written; then the
  // set is what it was.
  absl::Status writeIndex(int64_t turn) const;
  // Removes parts of sets that were there before, or were never finished.
  void removeOthers(int64_t turn) const;

private:
  std::string stem() const;
  std::string partName(int64_t turn, size_t part) const; // without the folder

  std::string index;
  std::vector<Member> members;
  size_t parts;
  std::vector<size_t> places;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARRAYS_SAFETENSORSSET_H
