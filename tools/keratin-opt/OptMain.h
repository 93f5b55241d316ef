// keratin-opt as a function, so that a test's tool can know passes that the product does not have.
#ifndef KERATIN_TOOLS_KERATINOPT_OPTMAIN_H
#define KERATIN_TOOLS_KERATINOPT_OPTMAIN_H

namespace keratin::tools {

// Passes that are to be known beside Keratin's own have been registered. Gives the exit code: 5
// where --verify-numerics has found a pass that is wrong.
int optMain(int argc, char **argv);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_KERATINOPT_OPTMAIN_H
