#include "tools/support/OutputFile.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <vector>

using namespace keratin;
using namespace keratin::tools;

static absl::Status cannotWrite(const std::string &what, const std::string &why) {
  return absl::UnavailableError("cannot write " + what + ": " + why);
}

OutputFile::OutputFile(std::string path, unsigned mode) : path(std::move(path)) {
  if (this->path != "-")
    (void)file.writer.open(this->path.c_str(), {/*isDurable=*/false, mode});
}

llvm::raw_ostream &OutputFile::stream() {
  if (path == "-")
    return llvm::outs();
  return file;
}

absl::Status OutputFile::commit() {
  if (path == "-")
    return flushStandardOutput();
  file.flush();
  return file.writer.commit() ? absl::OkStatus()
                              : cannotWrite("'" + path + "'", std::strerror(file.writer.error()));
}

llvm::raw_ostream &OutputFiles::add(const std::string &path, unsigned mode) {
  return files.emplace_back(path, mode).stream();
}

absl::Status OutputFiles::commit() {
  bool printsOne = false;
  std::vector<const OutputFile *> written;
  std::vector<runtime::FileWriter *> writers;
  for (OutputFile &output : files) {
    if (output.path == "-") {
      printsOne = true;
      continue;
    }
    output.file.flush();
    written.push_back(&output);
    writers.push_back(&output.file.writer);
  }
  // What has been printed cannot be taken back.
  if (printsOne && llvm::all_of(writers, [](auto *writer) { return writer->complete(); }))
    if (absl::Status status = flushStandardOutput(); !status.ok())
      return status;
  size_t failed = runtime::commitTogether(writers.data(), writers.size());
  return failed == writers.size() ? absl::OkStatus()
                                  : cannotWrite("'" + written[failed]->path + "'",
                                                std::strerror(writers[failed]->error()));
}

absl::Status keratin::tools::writeOutput(const std::string &path, llvm::StringRef content,
                                         unsigned mode) {
  OutputFile file(path, mode);
  file.stream() << content;
  return file.commit();
}

absl::Status keratin::tools::flushStandardOutput() {
  llvm::raw_fd_ostream &stream = llvm::outs();
  stream.flush();
  if (!stream.has_error())
    return absl::OkStatus();
  std::string why = stream.error().message();
  stream.clear_error(); // else it ends the process
  return cannotWrite("standard output", why);
}
