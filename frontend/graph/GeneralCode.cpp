#include "frontend/graph/GeneralCode.h"

#include "frontend/graph/FunctionContext.h"
#include "frontend/graph/FunctionModule.h"
#include "frontend/graph/RuntimeStatus.h"

#include "compiler/driver/Attempt.h"
#include "ir/dialect/Keratin.h"
#include "keratin/device.h"

using namespace keratin;
using namespace keratin::frontend;

GeneralCode::~GeneralCode() { keratin_executable_destroy(executable); }

bool GeneralCode::mayBeNeeded(mlir::ModuleOp module) {
  return module
      .walk([](ir::RequireOp op) {
        return op.getKind() == ir::Requirement::Broadcast ? mlir::WalkResult::interrupt()
                                                          : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

void GeneralCode::giveTo(keratin_executable_t *assuming) {
  std::lock_guard<std::mutex> lock(mutex);
  if (executable)
    return;
  withThreadObjects([&] { compile(assuming); });
  const std::string name = code->descriptor().name;
  keratin_status_t status = {};
  keratin_executable_t *made = nullptr;
  keratin_executable_create_on(&code->descriptor(), keratin_executable_device(assuming), &made,
                               &status);
  throwIfFailed(name, status);
  if (keratin_executable_set_general(assuming, made, &status)) {
    keratin_executable_destroy(made);
    throwFailure(name, status);
  }
  executable = made;
  module = {};
}

void GeneralCode::compile(const keratin_executable_t *assuming) {
  FunctionModule work;
  const std::string name = keratin_executable_descriptor(assuming)->name;
  absl::Status status = compiler::attempt("compiling function '" + name + "'", [&] {
    work.context = compiler::makeContext();
    work.module = module.read(*work.context);
  });
  if (status.ok() && !work.module)
    status = absl::InternalError("compiling function '" + name + "': its graph is lost");
  if (status.ok()) {
    auto compiled = compiler::compile(*work.module, options);
    if (compiled.ok()) {
      code = *std::move(compiled);
      return;
    }
    status = compiled.status();
  }
  if (compiler::isAbandoned(status))
    work.abandon();
  throwStatus(status.code(), std::string(status.message()));
}
