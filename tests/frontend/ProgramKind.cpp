// Chooses between the compiler and the interpreter before the first test, and makes the plain
// device known.
#include "tests/frontend/InterpretedProgram.h"
#include "tests/support/PlainTarget.h"

#include <cstdlib>
#include <string_view>

static const bool chosen = [] {
  keratin::tests::registerPlainTarget();
  const char *kind = std::getenv("KERATIN_TEST_PROGRAM");
  if (kind && std::string_view(kind) == "interpreter")
    keratin::frontend::setProgramFactory(keratin::test::interpretedProgram);
  return true;
}();
