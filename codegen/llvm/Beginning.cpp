#include "codegen/llvm/Beginning.h"

#include "codegen/llvm/Recovery.h"

#include <string>

using namespace keratin::codegen;

void Beginning::await() {
  if (state.load(std::memory_order_acquire) == Done)
    return;
  {
    std::lock_guard lock(mutex);
    std::string message;
    if (state.load(std::memory_order_relaxed) == New)
      state.store(recover(work, message) == Ending::Done ? Done : Broken,
                  std::memory_order_release);
  }
  if (state.load(std::memory_order_acquire) == Broken)
    leave(Ending::FatalError, "no memory while LLVM was started; this process cannot compile");
}
