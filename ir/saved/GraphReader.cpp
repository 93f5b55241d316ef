#include "ir/saved/GraphReader.h"

#include "ir/dialect/SourceLine.h"
#include "ir/saved/GraphReading.h"
#include "ir/saved/SavedFormat.h"
#include "ir/saved/WireScan.h"
#include "ir/text/FileKind.h"

#include "mlir/IR/Verifier.h"

#include "llvm/Support/Endian.h"

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

std::string keratin::ir::quoted(StringRef name) {
  std::string text = "'";
  for (char c : name.take_front(80))
    text += uint8_t(c) < 0x20 || c == 0x7f ? '?' : c;
  return text + (name.size() > 80 ? "…'" : "'");
}

// Types in messages may hold expressions of thousands of terms.
static std::string clipped(std::string text) {
  constexpr size_t most = 600;
  if (text.size() > most)
    text = text.substr(0, most) + " …";
  return text;
}

GraphReading::GraphReading(const v1::Graph &graph, MLIRContext &context)
    : graph(graph), context(context), b(&context),
      diagnostics(&context, [this](Diagnostic &diagnostic) {
        if (reported.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          reported = clipped(diagnostic.str());
        return success();
      }) {}

LogicalResult GraphReading::run(SavedGraph &result) {
  if (failed(readLocations()) || failed(readTypes()) || failed(readVariables()) ||
      failed(checkFunctions()))
    return failure();
  result.module = ModuleOp::create(UnknownLoc::get(&context));
  for (const v1::Function &saved : graph.functions()) {
    result.functions.emplace_back();
    if (failed(buildFunction(saved, *result.module, result.functions.back())))
      return failure();
  }
  function = nullptr;
  if (failed(verify(*result.module)))
    return fail(reported);
  result.variables = std::move(variables);
  return success();
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

absl::StatusOr<SavedGraph> keratin::ir::readGraph(std::string_view bytes, MLIRContext &context) {
  if (bytes.size() > kMaxSavedBytes)
    return absl::InvalidArgumentError("a saved graph has at most 2 GiB");
  if (absl::Status status = checkHeader(bytes); !status.ok())
    return status;
  // Half of what is promised; the functions that are built take the rest.
  size_t memory = (24 << 20) + 8 * bytes.size();
  if (absl::Status status = scanWire(bytes, v1::Graph::descriptor(), memory); !status.ok())
    return status;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                int(bytes.size()));
  stream.SetRecursionLimit(int(kMaxSavedDepth));
  v1::Graph graph;
  if (!graph.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return absl::InvalidArgumentError("damaged: not a message of the schema");
  if (graph.magic() != kSavedMagic ||
      graph.version() != llvm::support::endian::read32le(bytes.data() + 10))
    return absl::InvalidArgumentError("damaged: the file has two headers");
  SavedGraph result;
  GraphReading reader(graph, context);
  if (failed(reader.run(result)))
    return absl::InvalidArgumentError(reader.error);
  return result;
}
