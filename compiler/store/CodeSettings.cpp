#include "compiler/store/CodeSettings.h"

#include "codegen/TargetIdentity.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <keratin/cuda.h>

using namespace keratin;
using namespace keratin::compiler;

codegen::TargetChoice keratin::compiler::targetChoice(const CompileOptions &options) {
  codegen::TargetChoice choice;
  choice.name = options.target;
  choice.cpu = options.cpu;
  choice.float32Products = options.float32Products;
  if (const char *known = options.device ? keratin_cuda_architecture(options.device) : nullptr)
    choice.deviceArchitecture = known;
  return choice;
}

bool keratin::compiler::mayReuse(const CompileOptions &options) {
  const char *dumps = std::getenv("KERATIN_DUMP_DIR");
  return options.reuse && !options.verify && !options.printAfterAll &&
         options.dumpDirectory.empty() && !(dumps && *dumps) && options.failBefore < 0;
}

std::string keratin::compiler::codeSettings(const CompileOptions &options) {
  // All of them, so that who adds one comes here. Those that are not in the text do not change the
  // code, or nothing is reused with them (mayReuse), or the key has them (effort).
  [[maybe_unused]] const auto &[target, cpu, device, reuse, verify, profile, printAfterAll,
                                dumpDirectory, isGeneral, maxOps, maxConstantBytes, memoryBudget,
                                timeLimit, progress, beforeWork, checkNumbers, prepareWeights,
                                assumeEqualSizes, sourcePaths, float32Products, effort,
                                writeReproducer, reproducerDirectory, reproducerWithData,
                                failBefore, threads] = options;
  std::string text;
  llvm::raw_string_ostream out(text);
  auto quoted = [&](llvm::StringRef part) { out << part.size() << ':' << part << ' '; };
  quoted(codegen::targetIdentity(targetChoice(options)));
  out << profile << ' ' << maxOps << ' ' << maxConstantBytes << ' ' << memoryBudget << ' '
      << checkNumbers << ' ' << prepareWeights << ' ' << assumeEqualSizes << ' '
      << sourcePaths.strip << ' ';
  for (const auto &[from, to] : sourcePaths.prefixMap) {
    quoted(from);
    quoted(to);
  }
  return text;
}
