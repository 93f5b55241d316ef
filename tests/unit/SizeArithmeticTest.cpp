// Sizes in cases, and conditions on them.
#include "codegen/elements/SizeArithmetic.h"

#include <catch2/catch.hpp>

using namespace keratin::codegen;
using keratin::ir::DimExpr;

namespace {

const SizeCases rows = DimExpr::symbol(0), columns = DimExpr::symbol(1);

std::optional<int64_t> at(const SizeCases &size, int64_t rows, int64_t columns) {
  return size.evaluate([=](int64_t id) { return std::optional(id == 0 ? rows : columns); });
}

} // namespace

TEST_CASE("both of two conditions") {
  SizeArithmetic a;
  const SizeCases one = a.equal(rows, 1), wide = a.less(31, columns);
  const SizeCases both = a.logicalAnd(wide, one), turned = a.logicalAnd(one, wide);
  for (int64_t m = 0; m < 4; ++m)
    for (int64_t n : {0, 30, 31, 32, 33}) {
      const int64_t expected = m == 1 && n > 31;
      CHECK(at(both, m, n) == expected);
      CHECK(at(turned, m, n) == expected);
      CHECK(at(a.select(both, rows, columns), m, n) == (expected ? m : n));
    }
  CHECK(a.select(both, 7, rows).str() == "d0 where d1 < 32, else 7 where d0 = 1, else d0");
  // What is known.
  CHECK(a.logicalAnd(1, one).str() == one.str());
  CHECK(a.logicalAnd(one, 1).str() == one.str());
  CHECK(a.logicalAnd(0, one).str() == "0");
  CHECK(a.logicalAnd(one, 0).str() == "0");
  CHECK(a.logicalAnd(one, one).str() == one.str());
  CHECK_FALSE(a.logicalAnd(one, SizeCases()).isKnown());
  CHECK_FALSE(a.logicalAnd(SizeCases(), one).isKnown());
}

TEST_CASE("a condition decides another, on whichever side its number is") {
  SizeArithmetic a;
  const SizeCases few = a.less(columns, 9), wide = a.less(31, columns);
  CHECK(wide.str() == "0 where d1 < 32, else 1");
  CHECK(a.logicalAnd(few, wide).str() == "0");
  CHECK(a.select(few, 1, a.select(wide, 2, 3)).str() ==
        "1 where d1 < 9, else 3 where d1 < 32, else 2");
  CHECK(a.less(3, 4).str() == "1");
  CHECK(a.less(INT64_MAX, columns).isKnown());
}
