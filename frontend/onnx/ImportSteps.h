// How far the loading of a model is, for those who may end it (FunctionOptions::progress,
// timeLimit).
#ifndef KERATIN_FRONTEND_ONNX_IMPORTSTEPS_H
#define KERATIN_FRONTEND_ONNX_IMPORTSTEPS_H

#include "frontend/graph/ProgressSteps.h"

#include "third_party/onnx/onnx.pb.h"

#include <chrono>
#include <string>

namespace keratin::frontend::onnx_models {

// Of one file. Whoever waits is asked once in a MiB of it and in so many nodes, those of bodies
// too: small models are loaded without a question.
class ImportSteps {
public:
  // What ends an import, wherever it is: no Error, which an op might answer.
  struct Ended {};

  explicit ImportSteps(const FunctionOptions &options = {})
      : function(options.name), limit(options.timeLimit), progress(options.progress) {}

  // So many bytes of the file were read. False if the loading ends: protobuf is not written for
  // exceptions.
  bool read(uint64_t bytes);
  // The model's graph has so many nodes.
  void begin(int count) { of = count + 1; }
  // A node comes next; Ended. `done`: so many of the graph's own are imported.
  void next(const onnx::NodeProto &node, int done);
  // Whoever was told of it is told of its end.
  void end();
  bool isEnded() const { return ended; }
  // Why it ended.
  [[noreturn]] void fail(const std::string &path, SourceLocation location) const;

private:
  bool goesOn();

  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  const std::string function;
  const double limit; // in seconds; 0: none
  ProgressSteps progress;
  uint64_t bytes = 0, nodes = 0; // since the last question
  int64_t done = 0, of = 1;
  std::string at = "the file";
  bool isTold = false, ended = false;
};

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_IMPORTSTEPS_H
