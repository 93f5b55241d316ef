#include "frontend/graph/FunctionContext.h"

#include "frontend/graph/AtThreadEnd.h"

#include <exception>
#include <new>
#include <system_error>
#include <thread>

using namespace keratin;

namespace {

// Whether the objects that MLIR keeps for this thread are gone: those of the main thread are
// destroyed before objects with static storage.
thread_local bool isThreadOver = false;
void noteThreadEnd() { isThreadOver = true; }

} // namespace

void frontend::withThreadObjects(llvm::function_ref<void()> work) {
  // Made before MLIR's, so it goes after them.
  thread_local AtThreadEnd<noteThreadEnd> end;
  (void)&end;
  if (!isThreadOver)
    return work();
  std::exception_ptr failure;
  auto guarded = [&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  try {
    std::thread(guarded).join();
  } catch (const std::system_error &) {
    throw std::bad_alloc(); // what a thread is made of is not to be had
  }
  if (failure)
    std::rethrow_exception(failure);
}
