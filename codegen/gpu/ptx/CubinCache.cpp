#include "codegen/gpu/ptx/CubinCache.h"

#include "codegen/gpu/ptx/NvJitLink.h"
#include "codegen/gpu/ptx/Ptxas.h"

#include <type_traits>

using namespace keratin::codegen;
using llvm::StringRef;

std::string CubinCache::keyOf(StringRef ptx, StringRef architecture, StringRef assembler) {
  return CacheFolder::nameOf({ptx, architecture, assembler}, "cubin");
}

// Takes one that find() has found.
template <typename Assembler>
static std::optional<std::string> cubinBy(const Assembler &assembler, StringRef ptx,
                                          StringRef architecture, std::string *error) {
  const CubinCache cache(CacheFolder::ofEnvironment());
  const std::string key = CubinCache::keyOf(ptx, architecture, assembler.version());
  if (auto found = cache.find(key))
    return found;
  std::optional<std::string> cubin;
  if constexpr (std::is_same_v<Assembler, Ptxas>) {
    if (auto assembled = assembler.assemble(ptx, architecture, error))
      cubin = std::move(assembled->cubin);
  } else {
    cubin = assembler.assemble(ptx, architecture, error);
  }
  if (cubin)
    cache.keep(key, *cubin);
  return cubin;
}

bool keratin::codegen::canAssemble(std::string *missing) {
  std::string also;
  if (Ptxas::find(missing) || NvJitLink::find(&also))
    return true;
  *missing += "; " + also;
  return false;
}

std::string keratin::codegen::assemblerIdentity() {
  std::string missing;
  if (auto assembler = Ptxas::find(&missing))
    return assembler->identity();
  if (auto library = NvJitLink::find(&missing))
    return library->version();
  return "";
}

std::optional<std::string> keratin::codegen::cubinOf(StringRef ptx, StringRef architecture,
                                                     std::string *error) {
  if (auto assembler = Ptxas::find(error))
    return cubinBy(*assembler, ptx, architecture, error);
  if (auto library = NvJitLink::find(error))
    return cubinBy(*library, ptx, architecture, error);
  return std::nullopt;
}
