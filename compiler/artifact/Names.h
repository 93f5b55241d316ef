// What the names of a graph become where a name is more than text: files, archives, C.
//
// Names of a graph may be anything. What they become is always the same for one name, different for
// different ones (of one scope, where the mapping is of a list), and harmless; plain names stay as
// they are. docs/ahead-of-time.md and docs/tools.md say the rules.
#ifndef KERATIN_COMPILER_ARTIFACT_NAMES_H
#define KERATIN_COMPILER_ARTIFACT_NAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace keratin::compiler {

//===-- Files ---------------------------------------------------------------------------------===//

// Part of a file's name: ASCII letters, digits, _ and - stay, and . within; other bytes are %XX.
// Never a path, never hidden, at most 200 bytes: of longer ones the beginning, and a digest.
std::string fileName(llvm::StringRef name);

// A member of an archive: the same, but that / stays between parts that are neither empty nor begin
// with a dot. Without the extension: the name never ends in .npy.
std::string memberName(llvm::StringRef name);

// The first of several equal names stays, later ones get _2, _3, ..., as far as nobody has that
// name.
std::vector<std::string> distinctNames(std::vector<std::string> names);

//===-- C -------------------------------------------------------------------------------------===//

// Whether all names that begin with this and _ may be declared in C and C++: a letter first, then
// letters, digits and single _ between them, and not keratin, whose names are the runtime's.
bool isModelName(llvm::StringRef name);

// Such a name for a model from any text.
std::string modelName(llvm::StringRef text);

// Identifiers of C and C++ that are different from each other and from what the languages, their
// headers and ours give a meaning. One that is taken gets _2, _3, ...
class Identifiers {
public:
  // All are declared with the prefix, which is no part of the results. Those of `outer`, which must
  // live as long as this, are seen here and taken.
  explicit Identifiers(std::string prefix = "", const Identifiers *outer = nullptr)
      : prefix(std::move(prefix)), outer(outer) {}

  // With each identifier also it and each suffix are taken. Those that need no change come first.
  std::vector<std::string> add(llvm::ArrayRef<std::string> names,
                               llvm::ArrayRef<llvm::StringRef> suffixes = {});
  std::string add(const std::string &name) { return add(llvm::ArrayRef(name)).front(); }

private:
  bool take(llvm::StringRef identifier, llvm::ArrayRef<llvm::StringRef> suffixes);

  std::string prefix;
  const Identifiers *outer;
  llvm::StringSet<> taken;           // with the prefix
  llvm::StringMap<unsigned> numbers; // the last one tried behind an identifier
};

// Of the functions of a model, behind the model's name and _.
class FunctionIdentifiers : public Identifiers {
public:
  FunctionIdentifiers(llvm::StringRef model, llvm::ArrayRef<std::string> functions);
  const std::vector<std::string> &names() const { return result; }

private:
  std::vector<std::string> result;
};

// A text for a comment that goes to the end of a line: nothing in it ends the comment early or
// late, or shows as what it is not.
std::string commentText(llvm::StringRef text);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_NAMES_H
