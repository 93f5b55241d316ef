#include "ir/saved/SavedFile.h"

#include "ir/saved/SavedFormat.h"
#include "runtime/files/FileBytes.h"
#include "runtime/files/FileWriter.h"

#include <cstring>

static absl::Status failed(const std::string &path, const char *what, const std::string &why) {
  return absl::UnavailableError("'" + path + "' cannot be " + what + ": " + why);
}

absl::StatusOr<std::string> keratin::ir::readFileBytes(const std::string &path) {
  ReadingSteps steps;
  return readFileBytes(path, steps);
}

absl::StatusOr<std::string> keratin::ir::readFileBytes(const std::string &path,
                                                       ReadingSteps &steps) {
  steps.enter(ReadingSteps::File);
  std::string bytes;
  std::string problem = runtime::readFile(path, runtime::FileKinds::Regular, kMaxSavedBytes, bytes,
                                          [&](size_t more) { return steps.advance(more); });
  if (steps.isEnded())
    return absl::CancelledError();
  if (!problem.empty())
    return failed(path, "read", problem);
  return bytes;
}

absl::Status keratin::ir::writeFileBytes(const std::string &path, const std::string &bytes) {
  runtime::FileOptions options;
  options.isDurable = true;
  if (int code = runtime::writeFile(path.c_str(), bytes.data(), bytes.size(), options))
    return failed(path, "written", std::strerror(code));
  return absl::OkStatus();
}
