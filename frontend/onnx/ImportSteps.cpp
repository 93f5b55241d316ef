#include "frontend/onnx/ImportSteps.h"

#include "frontend/backend/SavedFunctions.h"
#include "frontend/graph/Printable.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

static constexpr uint64_t kBytesOfQuestion = 1 << 20, kNodesOfQuestion = 64;

bool ImportSteps::goesOn() {
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (limit > 0 && taken.count() > limit && done < of)
    return !(ended = true);
  isTold = true;
  return !(ended = !progress.tell([&] { return CompileProgress{function, "read", done, of, at}; }));
}

bool ImportSteps::read(uint64_t more) {
  bytes += more;
  if (bytes < kBytesOfQuestion)
    return !ended;
  bytes = 0;
  return goesOn();
}

void ImportSteps::next(const onnx::NodeProto &node, int before) {
  if (++nodes < kNodesOfQuestion)
    return;
  nodes = 0;
  done = before;
  at = "node '" + printable(node.name(), 80) + "' (" + printable(node.op_type(), 80) + ")";
  if (!goesOn())
    throw Ended();
}

void ImportSteps::end() {
  done = of;
  at = "";
  if (isTold && !goesOn())
    throw Ended();
}

void ImportSteps::fail(const std::string &path, SourceLocation location) const {
  progress.rethrow();
  std::string message = "reading ";
  llvm::raw_string_ostream(message) << "'" << printable(path) << "' takes longer than "
                                    << llvm::format("%g", limit * 1000) << " ms; stopped at " << at;
  throwFor("load_onnx", location, absl::ResourceExhaustedError(message));
}
