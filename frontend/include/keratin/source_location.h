// Where in the user's program a graph node was made (C++17 has no std::source_location).
#ifndef KERATIN_SOURCE_LOCATION_H
#define KERATIN_SOURCE_LOCATION_H

namespace keratin {

// As a default argument, current() is the place of the call. file must live as long as the program.
struct SourceLocation {
  const char *file = "";
  int line = 0;

  static constexpr SourceLocation current(const char *file = __builtin_FILE(),
                                          int line = __builtin_LINE()) {
    return {file, line};
  }
};

} // namespace keratin

#endif // KERATIN_SOURCE_LOCATION_H
