// What the tools write.
#ifndef KERATIN_TOOLS_SUPPORT_OUTPUTFILE_H
#define KERATIN_TOOLS_SUPPORT_OUTPUTFILE_H

#include "runtime/files/FileWriter.h"

#include "absl/status/status.h"

#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <string>

namespace keratin::tools {

// A file by its path, or standard output for "-", as a stream. A file is as runtime/files says:
// whole or not at all. It does not wait for the disk, since a tool can make it again.
class OutputFile {
public:
  // The mode is that of a new file, less the umask.
  explicit OutputFile(std::string path, unsigned mode = 0666);

  llvm::raw_ostream &stream();
  // Without it nothing is written to the path.
  absl::Status commit();

private:
  friend class OutputFiles;
  class Stream : public llvm::raw_ostream {
  public:
    ~Stream() override { flush(); }
    runtime::FileWriter writer;

  private:
    void write_impl(const char *data, size_t size) override {
      position += size;
      (void)writer.write(data, size);
    }
    uint64_t current_pos() const override { return position; }
    uint64_t position = 0;
  };

  std::string path;
  Stream file;
};

// All that one run writes: all of them appear, or none does and what was there stays.
class OutputFiles {
public:
  llvm::raw_ostream &add(const std::string &path, unsigned mode = 0666);
  absl::Status commit();

private:
  std::deque<OutputFile> files;
};

// All at once.
absl::Status writeOutput(const std::string &path, llvm::StringRef content, unsigned mode = 0666);

// Whether all that was printed has arrived.
absl::Status flushStandardOutput();

} // namespace keratin::tools

#endif // KERATIN_TOOLS_SUPPORT_OUTPUTFILE_H
