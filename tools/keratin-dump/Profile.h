// Times of kernels from a file of keratin-run --profile.
#ifndef KERATIN_TOOLS_DUMP_PROFILE_H
#define KERATIN_TOOLS_DUMP_PROFILE_H

#include "tools/keratin-dump/GraphView.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <map>
#include <string>
#include <vector>

namespace keratin::dump {

class Profile {
public:
  // Fails, naming the file, if it is no such file.
  static absl::StatusOr<Profile> read(const std::string &path);

  // Gives the kernels of a planned view their times: what one takes in a call, all its runs
  // together, on average over the calls. A view of a function that was not called stays as it is.
  // Fails if the profile's kernels are not the view's: it was compiled for another machine, from
  // another model or by another version.
  absl::Status addTo(GraphView &view) const;

  // The functions that were called.
  std::vector<std::string> functions() const;

private:
  struct Kernel {
    std::string name;
    double microseconds = 0; // of all calls
  };
  struct Function {
    int64_t calls = 0;
    double microseconds = 0;
    std::map<int64_t, Kernel> kernels; // by number
  };

  std::string path;
  std::map<std::string, Function> called; // by name
};

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_PROFILE_H
