#include "tools/support/CommandLine.h"

#include "compiler/driver/Version.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

using namespace keratin;
using namespace keratin::tools;

void CommandLine::add(const char *spelling, std::string value, std::string help,
                      std::function<std::string(const std::string &)> set) {
  options.push_back({spelling, std::move(value), std::move(help), std::move(set), std::nullopt});
}

void CommandLine::flag(const char *spelling, bool &target, const char *help) {
  add(spelling, "", help, [&target](const std::string &) {
    target = true;
    return "";
  });
}

void CommandLine::text(const char *spelling, std::string &target, const char *value,
                       const char *help) {
  add(spelling, value, help, [&target](const std::string &given) {
    target = given;
    return "";
  });
}

void CommandLine::texts(const char *spelling, std::vector<std::string> &target, const char *value,
                        const char *help) {
  add(spelling, value, help, [&target](const std::string &given) {
    target.push_back(given);
    return "";
  });
}

void CommandLine::pairs(const char *spelling,
                        std::vector<std::pair<std::string, std::string>> &target, const char *value,
                        const char *help) {
  add(spelling, value, help, [&target, value](const std::string &given) -> std::string {
    size_t equals = given.find('=');
    if (equals == std::string::npos || equals == 0)
      return std::string("needs ") + value + ", found '" + given + "'";
    target.emplace_back(given.substr(0, equals), given.substr(equals + 1));
    return "";
  });
}

// Nothing if the text is anything else, or more than fits.
template <typename Integer> static std::optional<Integer> parseInteger(std::string_view text) {
  Integer number = 0;
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

// Names may have '='.
void CommandLine::namedNumbers(const char *spelling, NamedNumbers &target, const char *value,
                               const char *help) {
  add(spelling, value, help, [&target, value](const std::string &given) -> std::string {
    size_t equals = given.rfind('=');
    std::optional<int64_t> number;
    if (equals != std::string::npos)
      number = parseInteger<int64_t>(std::string_view(given).substr(equals + 1));
    if (!number || *number < 0)
      return std::string("needs ") + value + ", found '" + given + "'";
    target.emplace_back(given.substr(0, equals), *number);
    return "";
  });
}

void CommandLine::number(const char *spelling, int64_t &target, int64_t least, const char *value,
                         const char *help) {
  add(spelling, value, help, [&target, least](const std::string &given) -> std::string {
    std::optional<int64_t> number = parseInteger<int64_t>(given);
    if (!number || *number < least)
      return "needs a number of at least " + std::to_string(least) + ", found '" + given + "'";
    target = *number;
    return "";
  });
}

void CommandLine::optionalNumber(const char *spelling, std::optional<uint64_t> &target,
                                 uint64_t plain, const char *value, const char *help) {
  add(spelling, value, help, [&target](const std::string &given) -> std::string {
    target = parseInteger<uint64_t>(given);
    return target ? "" : "needs a number, found '" + given + "'";
  });
  options.back().plain = std::to_string(plain);
}

// Nothing if the text is not a number of bytes.
static std::optional<int64_t> parseBytes(const std::string &text) {
  int64_t number = 0;
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, number);
  std::string_view unit(end, size_t(last - end));
  int64_t scale = unit.empty()    ? 1
                  : unit == "KiB" ? int64_t(1) << 10
                  : unit == "MiB" ? int64_t(1) << 20
                  : unit == "GiB" ? int64_t(1) << 30
                                  : 0;
  if (error != std::errc() || number < 1 || scale == 0 ||
      __builtin_mul_overflow(number, scale, &number))
    return std::nullopt;
  return number;
}

void CommandLine::bytes(const char *spelling, int64_t &target, const char *value,
                        const char *help) {
  add(spelling, value, help, [&target](const std::string &given) -> std::string {
    std::optional<int64_t> number = parseBytes(given);
    if (!number)
      return "needs a number of bytes as 500000, 64KiB, 64MiB or 2GiB, found '" + given + "'";
    target = *number;
    return "";
  });
}

std::optional<std::chrono::nanoseconds> keratin::tools::parseDuration(const std::string &text) {
  double number = 0;
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
  std::string_view unit(end, size_t(last - end));
  double seconds = unit.empty() || unit == "s" ? 1 : unit == "ms" ? 1e-3 : unit == "min" ? 60 : 0;
  double nanoseconds = number * seconds * 1e9;
  // Up to a century fits; NaN and infinity are none.
  if (error != std::errc() || !(nanoseconds >= 1) || !(nanoseconds <= 3.2e18))
    return std::nullopt;
  return std::chrono::nanoseconds(int64_t(nanoseconds));
}

void CommandLine::duration(const char *spelling, std::chrono::nanoseconds &target,
                           const char *value, const char *help) {
  add(spelling, value, help, [&target](const std::string &given) -> std::string {
    std::optional<std::chrono::nanoseconds> time = parseDuration(given);
    if (!time)
      return "needs a time as 10, 10s, 500ms or 2min, found '" + given + "'";
    target = *time;
    return "";
  });
}

void CommandLine::choice(const char *spelling, std::string &target, std::vector<std::string> values,
                         const char *help) {
  std::string list;
  for (const std::string &value : values)
    list += (list.empty() ? "" : "|") + value;
  add(spelling, list, help, [&target, values, list](const std::string &given) -> std::string {
    if (std::find(values.begin(), values.end(), given) == values.end())
      return "needs one of " + list + ", found '" + given + "'";
    target = given;
    return "";
  });
}

void CommandLine::positional(std::vector<std::string> &target, size_t atLeast, size_t atMost) {
  arguments = &target;
  least = atLeast;
  most = atMost;
}

std::string CommandLine::helpText() const {
  std::string text = "usage: " + usage + "\n\n" + overview + "\n\n";
  constexpr size_t column = 28;
  for (const Option &option : options) {
    bool isShort = option.spelling[1] != '-';
    std::string value = (isShort ? " " : "=") + option.value;
    std::string left = "  " + option.spelling +
                       (option.value.empty() ? ""
                        : option.plain       ? "[" + value + "]"
                                             : value);
    left += left.size() + 2 > column ? "\n" + std::string(column, ' ')
                                     : std::string(column - left.size(), ' ');
    for (char c : option.help)
      left += c == '\n' ? "\n" + std::string(column, ' ') : std::string(1, c);
    text += left + "\n";
  }
  return text;
}

std::string CommandLine::parse(int argc, char **argv, bool &helped) {
  size_t positionals = 0;
  bool onlyPositionals = false;
  for (int i = 1; i < argc; ++i) {
    std::string given = argv[i];
    if (onlyPositionals || given.size() < 2 || given[0] != '-') {
      if (++positionals > most)
        return "'" + given + "' is one argument too many";
      arguments->push_back(given);
      continue;
    }
    if (given == "--") {
      onlyPositionals = true;
      continue;
    }
    if (given == "--help" || given == "-h") {
      std::fputs(helpText().c_str(), stdout);
      helped = true;
      return "";
    }
    if (given == "--version") {
      std::string name = usage.substr(0, usage.find(' '));
      std::printf("%s %s\n", name.c_str(), compiler::versionText);
      helped = true;
      return "";
    }
    size_t equals = given.find('=');
    std::string spelling = given.substr(0, equals);
    auto found = std::find_if(options.begin(), options.end(),
                              [&](const Option &option) { return option.spelling == spelling; });
    if (found == options.end())
      return "there is no option '" + spelling + "'; --help lists them";
    std::string value;
    if (found->value.empty()) {
      if (equals != std::string::npos)
        return spelling + " takes no value";
    } else if (equals != std::string::npos) {
      value = given.substr(equals + 1);
    } else if (found->plain) {
      value = *found->plain;
    } else if (++i < argc) {
      value = argv[i];
    } else {
      return spelling + " needs a value";
    }
    if (std::string wrong = found->set(value); !wrong.empty())
      return spelling + " " + wrong;
  }
  if (positionals < least)
    return "an argument is missing; usage: " + usage;
  return "";
}
