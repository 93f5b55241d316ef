// Rules that the text of every PTX module keeps, whoever made it.
#ifndef KERATIN_TESTS_SUPPORT_PTXLINT_H
#define KERATIN_TESTS_SUPPORT_PTXLINT_H

#include <string>
#include <vector>

namespace keratin::tests {

// The first line that breaks a rule, with the rule; "" if there is none:
//  - instructions are those that kernels are known to use;
//  - float arithmetic says how it rounds, to the nearest, and keeps denormals;
//  - but for powers of two in kernels that multiply by tensor cores, for weights of attention;
//  - memory is global, shared or that of parameters, and said to be so; none is a thread's own;
//  - no high word is taken as ptxas gets it wrong (codegen/gpu/ptx/HighWords.h);
//  - nothing is called.
std::string lintPtx(const std::string &text);

// The kernels of a module, each with its name and its text from `.visible .entry` to its end. What
// stands outside of kernels, as tables do, is in `shared`.
struct PtxParts {
  struct Kernel {
    std::string name, text;
  };
  std::string header, shared;
  std::vector<Kernel> kernels;
};
PtxParts partsOfPtx(const std::string &text);

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_PTXLINT_H
