#include "compiler/store/DiskStore.h"

#include "compiler/artifact/SavedDescription.h"
#include "compiler/driver/ReportPattern.h"
#include "compiler/store/CodeFile.h"
#include "compiler/store/Producer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace keratin;
using namespace keratin::compiler;
using codegen::Effort;
using llvm::StringRef;

bool DiskStore::isOff() const { return folder.isOff() || codeProducer().empty(); }

std::string DiskStore::nameOf(const GraphKey &key, const char *kind) const {
  StringRef digest(reinterpret_cast<const char *>(key.digest.data()), key.digest.size());
  return codegen::CacheFolder::nameOf({codeProducer(), digest}, kind);
}

static const char *kindOf(Effort effort) { return effort == Effort::Full ? "code" : "quick"; }

// Objects are read where they are aligned as what is in them.
static std::vector<std::unique_ptr<llvm::MemoryBuffer>> copied(llvm::ArrayRef<StringRef> objects) {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> result;
  for (StringRef object : objects)
    result.push_back(llvm::MemoryBuffer::getMemBufferCopy(object));
  return result;
}

static bool hasSizes(const keratin_function_desc_t &function, const CodeFile &file,
                     const GraphKey &key) {
  for (auto [i, bytes] : llvm::enumerate(file.constants)) {
    int64_t scalar = file.scalarOfConstant.empty() ? -1 : file.scalarOfConstant[i];
    size_t size = scalar < 0 ? bytes.size() : key.scalars[size_t(scalar)].size();
    if (int64_t(size) != function.constants[i].bytes)
      return false;
  }
  return true;
}

std::shared_ptr<LoadedCode> DiskStore::find(const std::shared_ptr<const GraphKey> &key) const {
  if (isOff())
    return nullptr;
  std::shared_ptr<LoadedCode> code = find(key, Effort::Full);
  return code || key->effort == Effort::Full ? code : find(key, key->effort);
}

std::shared_ptr<LoadedCode> DiskStore::find(const std::shared_ptr<const GraphKey> &key,
                                            Effort effort) const {
  std::optional<std::string> bytes = folder.find(nameOf(*key, kindOf(effort)));
  std::optional<CodeFile> file = bytes ? CodeFile::of(*bytes) : std::nullopt;
  if (!file || file->producer != codeProducer() || file->structure != key->structure)
    return nullptr;
  std::vector<std::shared_ptr<const char>> constants;
  for (StringRef constant : file->constants) {
    std::shared_ptr<char> memory = constantMemory(constant.size());
    if (!memory)
      return nullptr;
    std::memcpy(memory.get(), constant.data(), constant.size());
    constants.push_back(std::move(memory));
  }
  if (!putScalars(constants, file->scalarOfConstant, *key))
    return nullptr;
  std::shared_ptr<FunctionDescription> description =
      loadDescription(file->description, key->said, constants);
  if (!description || !hasSizes(description->descriptor, *file, *key))
    return nullptr;
  auto code = std::make_shared<LoadedCode>();
  std::string error;
  code->library = codegen::JitLibrary::load(copied(file->objects), &error);
  void *entry = code->library ? code->library->lookup(kEntryName) : nullptr;
  if (!entry)
    return nullptr;
  description->descriptor.entry = reinterpret_cast<keratin_entry_fn_t>(entry);
  code->description = std::move(description);
  code->key = key;
  if (effort != key->effort) {
    auto own = std::make_shared<GraphKey>(*key);
    own->effort = effort;
    code->key = std::move(own);
  }
  code->savedDescription = file->description.str();
  code->scalarOfConstant = std::move(file->scalarOfConstant);
  code->memoryPlanPattern = file->memoryPlanPattern.str();
  code->report.kernels = file->kernels;
  code->report.uniqueKernels = file->uniqueKernels;
  code->report.arenaBytes = file->arenaBytes;
  code->report.maxLiveBytes = file->maxLiveBytes;
  code->report.memoryPlan = memoryReportOf(code->memoryPlanPattern, key->said);
  code->bytes = bytes->size();
  return code;
}

void DiskStore::keep(const LoadedCode &code, const std::vector<std::string> &objects) const {
  if (isOff() || code.savedDescription.empty() || code.bytes > kMostBytes)
    return;
  CodeFile file;
  file.producer = codeProducer();
  file.structure = code.key->structure;
  file.description = code.savedDescription;
  file.memoryPlanPattern = code.memoryPlanPattern;
  file.scalarOfConstant = code.scalarOfConstant;
  file.kernels = code.report.kernels;
  file.uniqueKernels = code.report.uniqueKernels;
  file.arenaBytes = code.report.arenaBytes;
  file.maxLiveBytes = code.report.maxLiveBytes;
  const keratin_function_desc_t &descriptor = code.description->descriptor;
  for (const keratin_constant_desc_t &constant :
       llvm::ArrayRef(descriptor.constants, size_t(descriptor.num_constants)))
    file.constants.emplace_back(static_cast<const char *>(constant.data), size_t(constant.bytes));
  file.objects.assign(objects.begin(), objects.end());
  const std::string head = file.head();
  std::vector<StringRef> parts = {head};
  parts.insert(parts.end(), file.constants.begin(), file.constants.end());
  parts.insert(parts.end(), file.objects.begin(), file.objects.end());
  folder.keep(nameOf(*code.key, kindOf(code.key->effort)), parts);
}

bool DiskStore::hasOthersOf(const GraphKey &form) const {
  if (isOff())
    return false;
  const std::string name = nameOf(form, "form"), scalars = llvm::join(form.scalars, "");
  if (std::optional<std::string> first = folder.find(name))
    return *first != scalars;
  folder.keep(name, {scalars});
  return false;
}
