#include "ir/saved/GraphReader.h"

#include "ir/dialect/SourceLine.h"
#include "ir/saved/GraphReading.h"
#include "ir/saved/SavedFormat.h"
#include "ir/saved/WireScan.h"
#include "ir/text/FileKind.h"

#include "mlir/IR/Verifier.h"

#include "llvm/Support/Endian.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

// What a file says may be anything; a message is one line.
static char shown(char c) { return uint8_t(c) < 0x20 || c == 0x7f ? '?' : c; }

std::string keratin::ir::quoted(StringRef name) {
  std::string text = "'";
  for (char c : name.take_front(80))
    text += shown(c);
  return text + (name.size() > 80 ? "…'" : "'");
}

// Types in messages may hold expressions of thousands of terms.
static std::string clipped(std::string text) {
  constexpr size_t most = 600;
  if (text.size() > most)
    text = text.substr(0, most) + " …";
  llvm::transform(text, text.begin(), shown);
  return text;
}

GraphReading::GraphReading(const v1::Graph &graph, MLIRContext &context, ReadingSteps &steps)
    : graph(graph), context(context), steps(steps), b(&context),
      diagnostics(&context, [this](Diagnostic &diagnostic) {
        if (reported.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          reported = clipped(diagnostic.str());
        return success();
      }) {}

LogicalResult GraphReading::run(SavedGraph &result) {
  steps.enter(ReadingSteps::Checks);
  if (failed(readLocations()) || failed(readTypes()) || failed(readVariables()) ||
      failed(checkFunctions()))
    return failure();
  steps.enter(ReadingSteps::Ops);
  result.module = ModuleOp::create(UnknownLoc::get(&context));
  for (const v1::Function &saved : graph.functions()) {
    result.functions.emplace_back();
    if (failed(buildFunction(saved, *result.module, result.functions.back())))
      return failure();
  }
  enter(nullptr);
  if (failed(verify(*result.module)))
    return fail(reported);
  result.variables = std::move(variables);
  return success();
}

void GraphReading::enter(const v1::Function *next) {
  function = next;
  steps.function = next ? next->name() : "";
}

uint64_t GraphReading::bytesOf(const v1::Op &op) {
  uint64_t bytes = 0;
  for (const v1::Attribute &attribute : op.attributes())
    if (attribute.has_dense())
      bytes += attribute.dense().data().size();
  return bytes;
}

LogicalResult GraphReading::fail(const Twine &what) {
  std::string text;
  if (function)
    text += "function " + quoted(function->name()) + ": ";
  for (const auto &[op, index] : opPath)
    text += "op " + std::to_string(index) + " (" + quoted(op->name()) + "): ";
  error = text + what.str();
  if (!opPath.empty() && opPath.back().first->location() <= locations.size())
    error = withSourceLine(error, location(opPath.back().first->location()));
  return failure();
}

static absl::Status checkHeader(std::string_view bytes) {
  constexpr char versionTag = 2 << 3 | 5;
  size_t header = kSavedMagicBytes.size() + 1 + 4;
  if (bytes.substr(0, kSavedMagicBytes.size()) != kSavedMagicBytes || bytes.size() < header ||
      bytes[kSavedMagicBytes.size()] != versionTag) {
    std::string kind = fileKind(bytes);
    return absl::InvalidArgumentError(
        "not a saved graph: " + (kind.empty() ? "it does not begin like one" : "this is " + kind));
  }
  uint32_t version = llvm::support::endian::read32le(bytes.data() + kSavedMagicBytes.size() + 1);
  uint32_t major = version >> 16, minor = version & 0xffff;
  auto text = std::to_string(major) + "." + std::to_string(minor);
  auto own = std::to_string(kSavedMajor) + "." + std::to_string(kSavedMinor);
  if (major == 0)
    return absl::InvalidArgumentError("format version " + text + " does not exist");
  if (major != kSavedMajor)
    return absl::InvalidArgumentError("format version " + text +
                                      " is another major version; this Keratin reads 1.x up to " +
                                      own);
  if (minor > kSavedMinor)
    return absl::InvalidArgumentError("format version " + text +
                                      " is newer; this Keratin reads up to " + own);
  return absl::OkStatus();
}

namespace {

// Hands the bytes out in blocks, no more of them once the reading is ended.
class StepwiseInput : public google::protobuf::io::ZeroCopyInputStream {
public:
  StepwiseInput(std::string_view bytes, ReadingSteps &steps)
      : blocks(bytes.data(), int(bytes.size()), 1 << 20), steps(steps) {}

  bool Next(const void **data, int *size) override {
    return blocks.Next(data, size) && steps.advance(uint64_t(*size));
  }
  void BackUp(int count) override { blocks.BackUp(count); }
  bool Skip(int count) override { return blocks.Skip(count); }
  int64_t ByteCount() const override { return blocks.ByteCount(); }

private:
  google::protobuf::io::ArrayInputStream blocks;
  ReadingSteps &steps;
};

} // namespace

absl::StatusOr<SavedGraph> keratin::ir::readGraph(std::string_view bytes, MLIRContext &context) {
  ReadingSteps steps;
  return readGraph(bytes, context, steps);
}

absl::StatusOr<SavedGraph> keratin::ir::readGraph(std::string_view bytes, MLIRContext &context,
                                                  ReadingSteps &steps) {
  steps.enter(ReadingSteps::Messages);
  if (bytes.size() > kMaxSavedBytes)
    return absl::InvalidArgumentError("a saved graph has at most 2 GiB");
  if (absl::Status status = checkHeader(bytes); !status.ok())
    return status;
  const size_t memory = mostMessageBytes(bytes.size());
  if (absl::Status status = scanWire(bytes, v1::Graph::descriptor(), memory, steps); !status.ok())
    return status;
  StepwiseInput input(bytes, steps);
  google::protobuf::io::CodedInputStream stream(&input);
  stream.SetRecursionLimit(int(kMaxSavedDepth));
  v1::Graph graph;
  const bool isWhole = graph.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
  if (steps.isEnded())
    return absl::CancelledError();
  if (!isWhole)
    return absl::InvalidArgumentError("damaged: not a message of the schema");
  if (graph.magic() != kSavedMagic ||
      graph.version() != llvm::support::endian::read32le(bytes.data() + 10))
    return absl::InvalidArgumentError("damaged: the file has two headers");
  SavedGraph result;
  GraphReading reader(graph, context, steps);
  if (failed(reader.run(result)))
    return steps.isEnded() ? absl::CancelledError() : absl::InvalidArgumentError(reader.error);
  return result;
}
