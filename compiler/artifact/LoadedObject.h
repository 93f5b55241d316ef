// Shared objects of compiled models in this process.
#ifndef KERATIN_COMPILER_ARTIFACT_LOADEDOBJECT_H
#define KERATIN_COMPILER_ARTIFACT_LOADEDOBJECT_H

#include "runtime/abi/keratin_object_abi.h"

#include "absl/status/statusor.h"

#include <memory>
#include <string>

namespace keratin::compiler {

// A shared object, until it is destroyed: no state of its model may be left then. Its functions are
// called by this process's runtime (<keratin/object.h>), not by the one in the object.
class LoadedObject {
public:
  // Runs code of the file: whatever its author wants. What is checked before (the segments are in
  // the file, one symbol ends in _keratin_object) finds accidents, not malice. INVALID_ARGUMENT,
  // which does not name the file, for what is no such object. Where the path has another file than
  // at an earlier call, that one is loaded beside the first.
  static absl::StatusOr<std::unique_ptr<LoadedObject>> open(const std::string &path);
  ~LoadedObject();

  const keratin_object_desc_t &description() const { return *described; }
  // As ModelMetadata.h says; "" of an object that has none.
  const char *metadata() const;

private:
  LoadedObject() = default;

  class File;

  std::shared_ptr<const File> file;
  void *library = nullptr;
  const keratin_object_desc_t *described = nullptr;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_LOADEDOBJECT_H
