#include "tests/cuda/ptx/Types.h"

#include <iterator>

namespace keratin::ptx {

namespace {
using enum TypeClass;
constexpr TypeFacts all[] = {
    {"", Type::None, 0, TypeClass::None}, {".pred", Type::Pred, 4, Predicate},
    {".b8", Type::B8, 1, Bits},           {".b16", Type::B16, 2, Bits},
    {".b32", Type::B32, 4, Bits},         {".b64", Type::B64, 8, Bits},
    {".b128", Type::B128, 16, Bits},      {".u8", Type::U8, 1, Unsigned},
    {".u16", Type::U16, 2, Unsigned},     {".u32", Type::U32, 4, Unsigned},
    {".u64", Type::U64, 8, Unsigned},     {".s8", Type::S8, 1, Signed},
    {".s16", Type::S16, 2, Signed},       {".s32", Type::S32, 4, Signed},
    {".s64", Type::S64, 8, Signed},       {".f16", Type::F16, 2, Float},
    {".f16x2", Type::F16x2, 4, Float},    {".bf16", Type::BF16, 2, Float},
    {".bf16x2", Type::BF16x2, 4, Float},  {".f32", Type::F32, 4, Float},
    {".f64", Type::F64, 8, Float},        {".tf32", Type::TF32, 4, Float},
};
static_assert(std::size(all) == size_t(Type::TF32) + 1);
} // namespace

const TypeFacts &facts(Type type) { return all[size_t(type)]; }

const TypeFacts *typeNamed(std::string_view word) {
  for (const TypeFacts &candidate : all)
    if (candidate.name == word && !word.empty())
      return &candidate;
  return nullptr;
}

} // namespace keratin::ptx
