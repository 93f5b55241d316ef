#include "codegen/gpu/ptx/CudaArchitectures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace keratin::codegen;
using llvm::StringRef;

llvm::ArrayRef<StringRef> keratin::codegen::cudaArchitectures() {
  static constexpr StringRef known[] = {"sm_80",  "sm_86",  "sm_89", "sm_90",
                                        "sm_90a", "sm_100", "sm_120"};
  return known;
}

std::optional<std::vector<std::string>> keratin::codegen::cudaArchitecturesOf(StringRef list,
                                                                              std::string *error) {
  llvm::SmallVector<StringRef> names;
  list.split(names, ',');
  std::vector<std::string> found;
  for (StringRef name : names) {
    if (!llvm::is_contained(cudaArchitectures(), name)) {
      *error = "unknown architecture '" + name.str() +
               "'; known architectures: " + llvm::join(cudaArchitectures(), ", ");
      return std::nullopt;
    }
    if (!llvm::is_contained(found, name))
      found.push_back(name.str());
  }
  return found;
}

// 90 of "sm_90"; 0 of names of any other form, such as "sm_90a", whose code one device alone runs.
static unsigned numberOf(StringRef name) {
  unsigned number = 0;
  return name.consume_front("sm_") && !name.getAsInteger(10, number) ? number : 0;
}

StringRef keratin::codegen::cudaArchitectureFor(StringRef device) {
  unsigned wanted = numberOf(device), best = 0;
  StringRef found;
  if (const auto *own = llvm::find(cudaArchitectures(), (device + "a").str());
      own != cudaArchitectures().end())
    return *own;
  for (StringRef name : cudaArchitectures())
    if (unsigned number = numberOf(name);
        number / 10 == wanted / 10 && number <= wanted && number > best) {
      found = name;
      best = number;
    }
  return found;
}
