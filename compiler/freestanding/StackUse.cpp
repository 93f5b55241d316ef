#include "compiler/freestanding/StackUse.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/DataExtractor.h"

#include <algorithm>

using namespace keratin;
using namespace keratin::compiler;
using namespace llvm;
using namespace llvm::object;

// A call puts its address there, and frames begin at a multiple of the boundary.
static constexpr int64_t bytesOfCall = 16;

static absl::Status asStatus(Error error) {
  return absl::InternalError("the object cannot be read: " + toString(std::move(error)));
}

namespace {

// Of functions by their section and address in it.
using Places = std::map<std::pair<uint64_t, uint64_t>, std::string>;

class FrameReader {
public:
  explicit FrameReader(const ObjectFile &object) : object(object) {}

  Error run() {
    Places places;
    for (const SymbolRef &symbol : object.symbols()) {
      Expected<SymbolRef::Type> type = symbol.getType();
      if (!type || *type != SymbolRef::ST_Function) {
        consumeError(type.takeError());
        continue;
      }
      Expected<section_iterator> section = symbol.getSection();
      Expected<uint64_t> value = symbol.getValue();
      Expected<StringRef> name = symbol.getName();
      if (!section || !value || !name)
        return joinErrors(joinErrors(section.takeError(), value.takeError()), name.takeError());
      if (*section != object.section_end())
        places[{(*section)->getIndex(), *value}] = name->str();
    }
    // Relocations of a section stand in one of their own.
    for (const SectionRef &section : object.sections()) {
      Expected<section_iterator> target = section.getRelocatedSection();
      if (!target)
        return target.takeError();
      if (*target == object.section_end())
        continue;
      Expected<StringRef> name = (*target)->getName();
      if (!name)
        return name.takeError();
      if (*name == ".stack_sizes")
        if (Error error = readSection(**target, section, places))
          return error;
    }
    return Error::success();
  }

  std::map<std::string, int64_t> frames; // by function

private:
  // Entries of an address, which is relocated, and a number.
  Error readSection(const SectionRef &sizes, const SectionRef &relocations, const Places &places) {
    Expected<StringRef> contents = sizes.getContents();
    if (!contents)
      return contents.takeError();
    DataExtractor data(*contents, object.isLittleEndian(), object.getBytesInAddress());
    for (const RelocationRef &relocation : relocations.relocations()) {
      DataExtractor::Cursor cursor(relocation.getOffset() + object.getBytesInAddress());
      const uint64_t size = data.getULEB128(cursor);
      if (!cursor)
        return cursor.takeError();
      symbol_iterator symbol = relocation.getSymbol();
      Expected<int64_t> addend = ELFRelocationRef(relocation).getAddend();
      Expected<uint64_t> value = symbol->getValue();
      Expected<section_iterator> section = symbol->getSection();
      if (!addend || !value || !section)
        return joinErrors(joinErrors(addend.takeError(), value.takeError()), section.takeError());
      auto function = places.find({(*section)->getIndex(), *value + uint64_t(*addend)});
      if (function != places.end())
        frames[function->second] = int64_t(size);
    }
    return Error::success();
  }

  const ObjectFile &object;
};

class StackWalk {
public:
  StackWalk(const std::map<std::string, int64_t> &frames, int64_t boundary)
      : frames(frames), boundary(boundary) {}

  absl::StatusOr<int64_t> of(const Function &function) {
    if (auto known = totals.find(&function); known != totals.end())
      return known->second;
    auto frame = frames.find(function.getName().str());
    if (frame == frames.end() || !active.insert(&function).second)
      return absl::InternalError("the stack that '" + function.getName().str() +
                                 "' takes is not known");
    int64_t deepest = 0;
    for (const BasicBlock &block : function)
      for (const Instruction &instruction : block) {
        auto *call = dyn_cast<CallBase>(&instruction);
        const Function *callee = call ? call->getCalledFunction() : nullptr;
        if (!call || (callee && callee->isIntrinsic()))
          continue;
        if (!callee)
          return absl::InternalError("'" + function.getName().str() + "' calls by an address");
        absl::StatusOr<int64_t> inside = of(*callee);
        if (!inside.ok())
          return inside;
        deepest = std::max(deepest, *inside);
      }
    active.erase(&function);
    return totals[&function] = frame->second + bytesOfCall + boundary + deepest;
  }

private:
  const std::map<std::string, int64_t> &frames;
  const int64_t boundary;
  std::map<const Function *, int64_t> totals;
  SmallPtrSet<const Function *, 8> active;
};

} // namespace

absl::StatusOr<std::vector<int64_t>> compiler::stackUse(const Module &module,
                                                        MemoryBufferRef object,
                                                        const std::vector<std::string> &names,
                                                        int64_t boundary) {
  Expected<std::unique_ptr<ObjectFile>> file = ObjectFile::createObjectFile(object);
  if (!file)
    return asStatus(file.takeError());
  FrameReader reader(**file);
  if (Error error = reader.run())
    return asStatus(std::move(error));
  StackWalk walk(reader.frames, boundary);
  std::vector<int64_t> result;
  for (const std::string &name : names) {
    absl::StatusOr<int64_t> bytes = walk.of(*module.getFunction(name));
    if (!bytes.ok())
      return bytes.status();
    result.push_back(*bytes);
  }
  return result;
}

absl::StatusOr<std::vector<std::string>> compiler::undefinedSymbols(MemoryBufferRef object) {
  Expected<std::unique_ptr<ObjectFile>> file = ObjectFile::createObjectFile(object);
  if (!file)
    return asStatus(file.takeError());
  std::vector<std::string> names;
  for (const SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return asStatus(joinErrors(flags.takeError(), name.takeError()));
    if ((*flags & SymbolRef::SF_Undefined) && !name->empty())
      names.push_back(name->str());
  }
  return names;
}
