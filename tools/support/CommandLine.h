// Command lines of the tools: --name=value, --name value, -o value, flags, positional arguments.
//
// Not llvm::cl, whose options are global to the process: the shared library of LLVM registers
// hundreds of its own, some under the names that users expect here.
#ifndef KERATIN_TOOLS_SUPPORT_COMMANDLINE_H
#define KERATIN_TOOLS_SUPPORT_COMMANDLINE_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keratin::tools {

using NamedNumbers = std::vector<std::pair<std::string, int64_t>>;

class CommandLine {
public:
  // "NAME <model> [options]" and what the tool does, for --help.
  CommandLine(std::string usage, std::string overview)
      : usage(std::move(usage)), overview(std::move(overview)) {}

  // The targets must outlive parse(). `spelling` has the dashes; `value` names the value in --help.
  void flag(const char *spelling, bool &target, const char *help);
  void text(const char *spelling, std::string &target, const char *value, const char *help);
  void texts(const char *spelling, std::vector<std::string> &target, const char *value,
             const char *help); // may be given several times
  // OLD=NEW, may be given several times.
  void pairs(const char *spelling, std::vector<std::pair<std::string, std::string>> &target,
             const char *value, const char *help);
  // NAME=N with a number of at least 0, may be given several times.
  void namedNumbers(const char *spelling, NamedNumbers &target, const char *value,
                    const char *help);
  void number(const char *spelling, int64_t &target, int64_t least, const char *value,
              const char *help);
  // --name or --name=N; `plain` is what the former means.
  void optionalNumber(const char *spelling, std::optional<uint64_t> &target, uint64_t plain,
                      const char *value, const char *help);
  // A number of at least 1 with or without KiB, MiB or GiB.
  void bytes(const char *spelling, int64_t &target, const char *value, const char *help);
  // A time of more than 0: seconds, or a number with ms, s, min.
  void duration(const char *spelling, std::chrono::nanoseconds &target, const char *value,
                const char *help);
  // One of these values.
  void choice(const char *spelling, std::string &target, std::vector<std::string> values,
              const char *help);
  // Arguments without dashes; a tool takes at least and at most so many.
  void positional(std::vector<std::string> &target, size_t least, size_t most);

  // What is wrong with the line, or "". With --help or --version that is printed and `helped` set.
  std::string parse(int argc, char **argv, bool &helped);

private:
  struct Option {
    std::string spelling, value, help;                   // value empty: a flag
    std::function<std::string(const std::string &)> set; // gives what is wrong
    std::optional<std::string> plain;                    // the value if none is given
  };
  void add(const char *spelling, std::string value, std::string help,
           std::function<std::string(const std::string &)> set);
  std::string helpText() const;

  std::string usage, overview;
  std::vector<Option> options;
  std::vector<std::string> *arguments = nullptr;
  size_t least = 0, most = 0;
};

// "10", "10s", "500ms", "1.5min"; nothing if the text is no time of more than 0.
std::optional<std::chrono::nanoseconds> parseDuration(const std::string &text);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_SUPPORT_COMMANDLINE_H
