#include "codegen/TargetIdentity.h"

#include "codegen/cpu/HostFeatures.h"
#include "codegen/gpu/ptx/CubinCache.h"
#include "codegen/llvm/Beginning.h"

#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <map>

using namespace keratin::codegen;

// Asking the processor takes a tenth of a millisecond.
static const std::string &hostIdentity() {
  static constinit Lasting<const std::string> known;
  return known.get([] {
    auto *text =
        new std::string(llvm::sys::getProcessTriple() + " " + llvm::sys::getHostCPUName().str());
    std::map<std::string, bool> features; // in one order
    for (const auto &feature : hostFeatures())
      features[feature.first().str()] = feature.second;
    for (const auto &[name, isThere] : features)
      *text += (isThere ? " +" : " -") + name;
    return text;
  });
}

std::string keratin::codegen::targetIdentity(const TargetChoice &choice) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const bool isNative = choice.cpu.empty() || choice.cpu == "native";
  for (llvm::StringRef part :
       {llvm::StringRef(choice.name), llvm::StringRef(choice.triple), llvm::StringRef(choice.cpu),
        llvm::StringRef(choice.architectures), llvm::StringRef(choice.deviceArchitecture)})
    out << part.size() << ':' << part << ' ';
  out << choice.isPortable << ' ' << int(choice.float32Products) << ' '
      << (isNative ? llvm::StringRef(hostIdentity()) : "");
  if (targetFamily(choice.name) == "cuda")
    out << ' ' << assemblerIdentity();
  return text;
}
