// The reference interpreter in the place of the compiler.
#ifndef KERATIN_TESTS_FRONTEND_INTERPRETEDPROGRAM_H
#define KERATIN_TESTS_FRONTEND_INTERPRETEDPROGRAM_H

#include "frontend/graph/Program.h"

#include <string>

namespace keratin::test {

std::shared_ptr<const frontend::Program> interpretedProgram(frontend::FunctionModule module);

// What keratin.print wrote since the last call of this.
std::string takePrinted();

} // namespace keratin::test

#endif // KERATIN_TESTS_FRONTEND_INTERPRETEDPROGRAM_H
