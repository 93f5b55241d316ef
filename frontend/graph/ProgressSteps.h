// What users are told of the steps of making a function.
#ifndef KERATIN_FRONTEND_GRAPH_PROGRESSSTEPS_H
#define KERATIN_FRONTEND_GRAPH_PROGRESSSTEPS_H

#include "compiler/driver/Compiler.h"
#include "keratin/function.h"

#include <exception>
#include <functional>
#include <utility>

namespace keratin::frontend {

// Of one compilation or the reading of one file, which ends when the user's function throws: no
// exception may pass through LLVM.
class ProgressSteps {
public:
  explicit ProgressSteps(std::function<void(const CompileProgress &)> told)
      : told(std::move(told)) {}
  ProgressSteps(const ProgressSteps &) = delete;

  // For CompileOptions::progress, as long as this lives; empty if nobody is told.
  std::function<bool(const compiler::CompileStep &)> teller() {
    if (!told)
      return nullptr;
    return [this](const compiler::CompileStep &step) {
      return tell([&] {
        return CompileProgress{step.function, step.stage, step.done, step.of, step.next};
      });
    };
  }

  // The step that `make` makes, if anybody is told. False if that or the function throws.
  template <typename Make> bool tell(Make &&make) noexcept {
    try {
      if (told)
        told(make());
    } catch (...) {
      thrown = std::current_exception();
    }
    return !thrown;
  }

  // What the function has thrown, if it has.
  void rethrow() const {
    if (thrown)
      std::rethrow_exception(thrown);
  }

private:
  const std::function<void(const CompileProgress &)> told;
  std::exception_ptr thrown;
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_PROGRESSSTEPS_H
