// Bytes from and to files.
#ifndef KERATIN_IR_SAVED_SAVEDFILE_H
#define KERATIN_IR_SAVED_SAVEDFILE_H

#include "ir/saved/ReadingSteps.h"

#include "absl/status/statusor.h"

#include <string>

namespace keratin::ir {

// Of a regular file of at most 2 GiB. Errors name the path and say why.
absl::StatusOr<std::string> readFileBytes(const std::string &path);
absl::StatusOr<std::string> readFileBytes(const std::string &path, ReadingSteps &steps);
// As runtime/files/FileWriter.h says. The file is on the disk afterwards.
absl::Status writeFileBytes(const std::string &path, const std::string &bytes);

} // namespace keratin::ir

#endif // KERATIN_IR_SAVED_SAVEDFILE_H
