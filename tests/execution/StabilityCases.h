// A table of formulas in several spellings with values at inputs where they overflow or cancel; for
// whatever runs IR.
#ifndef KERATIN_TESTS_EXECUTION_STABILITYCASES_H
#define KERATIN_TESTS_EXECUTION_STABILITYCASES_H

#include <string>
#include <vector>

namespace keratin::tests {

struct StabilityCase {
  std::string name;
  // Ops that compute %y from %x, both T, which stands for the type of the input. %zero, %half,
  // %one, %two and %minus are constants of that type.
  std::string body;
  std::vector<double> input;
  std::vector<double> value;
  // Of sum(y); empty: not looked at.
  std::vector<double> gradient;
  // Also the formula as it is gives the value (only its gradient is at stake, or a clip is kept).
  bool stableAsWritten = false;
};

const std::vector<StabilityCase> &stabilityCases();

// Module whose @main gives y, and one that gives the gradient, for an element type.
std::string valueModule(const StabilityCase &test, const std::string &element);
std::string gradientModule(const StabilityCase &test, const std::string &element);

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_STABILITYCASES_H
