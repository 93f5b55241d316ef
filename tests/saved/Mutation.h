// Damages saved graphs, and says whether the reader keeps its word on the result.
#ifndef KERATIN_TESTS_SAVED_MUTATION_H
#define KERATIN_TESTS_SAVED_MUTATION_H

#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace keratin::tests {

// Changes bytes, or fields of the messages: then the result is a message of the schema, with
// something wrong in it.
std::string mutate(const std::string &bytes, std::mt19937_64 &random);

// "" if the reader refuses the bytes with one clear line, or accepts them and what it made can be
// written and read again; else what is wrong.
std::string complaint(std::string_view bytes, mlir::MLIRContext &context, bool *accepted = nullptr);

} // namespace keratin::tests

#endif // KERATIN_TESTS_SAVED_MUTATION_H
