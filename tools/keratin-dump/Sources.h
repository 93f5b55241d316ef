// The user's lines that ops were written at.
#ifndef KERATIN_TOOLS_DUMP_SOURCES_H
#define KERATIN_TOOLS_DUMP_SOURCES_H

#include "absl/status/statusor.h"

#include <map>
#include <set>
#include <string>

namespace keratin::dump {

// For places "dir/net.cc:57" the text of the line, where a file of that path lies in the folder.
// Nothing outside the folder is read, whatever a model names: its dump may be shown to others.
// Fails if there is no such folder, or no file in it that any of the places names.
absl::StatusOr<std::map<std::string, std::string>> sourceLines(const std::set<std::string> &places,
                                                               const std::string &folder);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_SOURCES_H
