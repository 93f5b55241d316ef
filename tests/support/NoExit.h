// See NoExit.cpp: part of every test program.
#ifndef KERATIN_TESTS_SUPPORT_NOEXIT_H
#define KERATIN_TESTS_SUPPORT_NOEXIT_H

namespace keratin::tests {

// Ends a process that a test has forked.
[[noreturn]] void endProcess(int status);

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_NOEXIT_H
