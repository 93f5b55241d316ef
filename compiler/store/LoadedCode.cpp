#include "compiler/store/LoadedCode.h"

#include "compiler/artifact/SavedDescription.h"
#include "compiler/driver/ReportPattern.h"

#include <cstring>

using namespace keratin::compiler;

bool LoadedCode::saysTheSame(const GraphKey &other) const {
  return key->said.texts == other.said.texts && key->scalars == other.scalars;
}

bool LoadedCode::serves(const GraphKey &other) const {
  return *key == other && (isOfFullEffort() || key->effort == other.effort) &&
         (!savedDescription.empty() || saysTheSame(other));
}

std::shared_ptr<const FunctionDescription> LoadedCode::descriptionOf(const GraphKey &other) const {
  if (saysTheSame(other))
    return description;
  std::vector<std::shared_ptr<const char>> constants = description->constantElements();
  if (!putScalars(constants, scalarOfConstant, other))
    return nullptr;
  std::shared_ptr<FunctionDescription> own =
      loadDescription(savedDescription, other.said, constants);
  if (own)
    own->descriptor.entry = description->descriptor.entry;
  return own;
}

std::string LoadedCode::memoryPlanOf(const GraphKey &other) const {
  return saysTheSame(other) ? report.memoryPlan : memoryReportOf(memoryPlanPattern, other.said);
}

std::shared_ptr<LoadedCode> LoadedCode::withScalarsOf(const GraphKey &other) const {
  std::shared_ptr<const FunctionDescription> own = descriptionOf(other);
  if (!own)
    return nullptr;
  auto code = std::make_shared<LoadedCode>();
  code->library = library;
  code->kernels = kernels;
  code->description = std::move(own);
  code->report = report;
  code->report.memoryPlan = memoryPlanOf(other);
  return code;
}

bool keratin::compiler::putScalars(std::vector<std::shared_ptr<const char>> &constants,
                                   llvm::ArrayRef<int64_t> scalarOfConstant, const GraphKey &key) {
  if (!scalarOfConstant.empty() && scalarOfConstant.size() != constants.size())
    return false;
  for (auto [constant, number] : llvm::zip(constants, scalarOfConstant)) {
    if (number < 0)
      continue;
    if (size_t(number) >= key.scalars.size())
      return false;
    const std::string &bytes = key.scalars[size_t(number)];
    std::shared_ptr<char> memory = constantMemory(bytes.size());
    if (!memory)
      return false;
    std::memcpy(memory.get(), bytes.data(), bytes.size());
    constant = std::move(memory);
  }
  return true;
}
