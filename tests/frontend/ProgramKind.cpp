// Chooses between the compiler and the interpreter before the first test.
#include "tests/frontend/InterpretedProgram.h"

#include <cstdlib>
#include <string_view>

static const bool chosen = [] {
  const char *kind = std::getenv("KERATIN_TEST_PROGRAM");
  if (kind && std::string_view(kind) == "interpreter")
    keratin::frontend::setProgramFactory(keratin::test::interpretedProgram);
  return true;
}();
