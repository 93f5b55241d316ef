// What LLVM dies of, as a failure of what was being done.
//
// LLVM ends the process where it finds no memory, and where it meets what it cannot handle ("cannot
// select", "do not know how to split"). Work inside recover() is left instead, by a long jump:
// nothing in between is destroyed, since most of it, in LLVM's libraries, was compiled without
// exceptions, and a half-made structure is better leaked than taken apart. So whatever the work had
// in hands, MLIR contexts above all, is never to be touched again, its destructor included.
//
// Entering costs as much as a few calls. docs/compile-time.md says what was weighed.
#ifndef KERATIN_CODEGEN_LLVM_RECOVERY_H
#define KERATIN_CODEGEN_LLVM_RECOVERY_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace keratin::codegen {

// From here on, which is the beginning of the first recover() otherwise, LLVM throws std::bad_alloc
// where it finds no memory outside of one, too.
void expectNoMemory();

enum class Ending { Done, NoMemory, FatalError };

// The message is that of a fatal error. Exceptions other than std::bad_alloc pass. May be nested,
// and used in any number of threads at once; each thread needs its own.
Ending recover(llvm::function_ref<void()> work, std::string &message);

// Whether this thread is inside one.
bool isRecovering();

// Memory for work that cannot be left: what MLIR was making when it found none stays in pieces, and
// a context that lives as long as the process must not hold any.
class Reserve {
public:
  // Whether it is all there, and memory beside it.
  static bool fill();
  // From here to the end operator new of this thread takes from it, outside of recover(), before it
  // fails.
  static void begin();
  static void end();

  // For work within recover() that is not to be left either: while this lives operator new takes
  // from the reserve first. Where there is none to begin with the recover() is left at once.
  class Work {
  public:
    Work();
    ~Work();
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;
  };
};

// Leaves the innermost recover() of this thread as the failure would have, which happened in
// another thread; where there is none, fails as LLVM does.
[[noreturn]] void leave(Ending ending, const std::string &message);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_RECOVERY_H
