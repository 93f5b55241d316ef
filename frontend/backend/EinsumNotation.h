// The text of K::einsum: "ij,jk->ik".
#ifndef KERATIN_FRONTEND_BACKEND_EINSUMNOTATION_H
#define KERATIN_FRONTEND_BACKEND_EINSUMNOTATION_H

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace keratin::frontend {

// A term: the labels of the dimensions of an operand, and where "..." stands for further ones.
struct EinsumTerm {
  std::string text; // as written, without spaces
  std::vector<char> labels;
  std::optional<size_t> ellipsis; // before this many labels
};

struct EinsumNotation {
  std::vector<EinsumTerm> operands;
  EinsumTerm result; // the implicit one where none is written
  bool isExplicit = false;
};

// What is wrong with the text, and at which of its characters, counted from 1.
class EinsumError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// NumPy's notation: letters, "..." once a term, "," between terms, "->" before the result's; spaces
// count for nothing. Without "->" the result has the dimensions of the ellipsis and then, in
// alphabetical order, the labels that stand there once. Throws EinsumError.
EinsumNotation parseEinsum(const std::string &text);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_EINSUMNOTATION_H
