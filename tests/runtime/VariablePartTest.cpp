// What ranks have of a variable, and the whole made of it again.
#include "runtime/object/VariablePart.h"

#include <catch2/catch.hpp>
#include <limits>
#include <numeric>
#include <vector>

using namespace keratin::runtime;

namespace {

struct Case {
  std::vector<int64_t> dims;
  keratin_object_part_t part;
};

keratin_object_variable_t variableOf(const Case &of) {
  return {{"v", KERATIN_DTYPE_INT32, int32_t(of.dims.size()), of.dims.data(), "", nullptr, {}},
          nullptr,
          &of.part,
          {}};
}

} // namespace

TEST_CASE("parts of all ranks are the whole") {
  const Case cases[] = {{{12}, {KERATIN_PART_ALONG, 0, nullptr, 0, {}}},
                        {{5, 7}, {KERATIN_PART_ALONG, 0, nullptr, 0, {}}},
                        {{5, 7}, {KERATIN_PART_ALONG, 1, nullptr, 0, {}}},
                        {{2, 6, 3}, {KERATIN_PART_ALONG, 1, nullptr, 0, {}}},
                        {{2, 3, 5}, {KERATIN_PART_ALONG, 2, nullptr, 0, {}}},
                        {{2, 3, 5}, {KERATIN_PART_ELEMENTS, 0, nullptr, 0, {}}},
                        {{1}, {KERATIN_PART_ELEMENTS, 0, nullptr, 0, {}}},
                        {{1, 1}, {KERATIN_PART_ALONG, 1, nullptr, 0, {}}}};
  for (const Case &of : cases)
    for (int64_t places : {1, 2, 3, 4, 7, 40}) {
      const keratin_object_variable_t variable = variableOf(of);
      int64_t count = 1;
      for (int64_t size : of.dims)
        count *= size;
      std::vector<int32_t> whole(static_cast<size_t>(count)), found(whole.size(), -1), all;
      std::iota(whole.begin(), whole.end(), 1);
      int64_t next = 0;
      for (int64_t place = 0; place < places; ++place) {
        const VariablePart part(variable, place, places);
        CHECK(part.isWhole() == (places == 1));
        CHECK(part.begin() == next);
        int64_t elements = 1;
        for (int32_t i = 0; i < part.rank(); ++i)
          elements *= part.dims()[i];
        REQUIRE(part.elements() == elements);
        CHECK(part.bytes() == size_t(elements) * 4);
        CHECK(part.wholeBytes() == whole.size() * 4);
        next += part.dims()[part.isOfElements() ? 0 : part.dimension()];
        std::vector<int32_t> own(static_cast<size_t>(elements), -1);
        part.cut(whole.data(), own.data());
        all.insert(all.end(), own.begin(), own.end());
      }
      const VariablePart last(variable, places - 1, places);
      REQUIRE(int64_t(all.size()) == last.elementsOfAll());
      CHECK(last.bytesOfAll() == all.size() * 4);
      if (last.liesInOrder())
        found = all;
      else
        last.join(all.data(), found.data());
      CHECK(found == whole);
      // Behind the last element of a line there are zeros.
      for (size_t i = whole.size(); i < all.size(); ++i)
        CHECK(all[i] == 0);
    }
}

TEST_CASE("a variable that is in no parts is whole") {
  const int64_t dims[] = {3, 2};
  const keratin_object_variable_t variable = {
      {"v", KERATIN_DTYPE_FLOAT64, 2, dims, "", nullptr, {}}, nullptr, nullptr, {}};
  const VariablePart part(variable, 1, 4);
  CHECK((part.isWhole() && part.elements() == 6 && part.bytes() == 48 && part.begin() == 0));
  CHECK((part.rank() == 2 && part.dims()[0] == 3 && part.dims()[1] == 2));
  const keratin_object_variable_t scalar = {
      {"s", KERATIN_DTYPE_INT64, 0, nullptr, "", nullptr, {}}, nullptr, nullptr, {}};
  CHECK(VariablePart(scalar, 0, 1).bytes() == 8);
}

TEST_CASE("where a part begins fits where the size does") {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(partBegin(most, 3, 3) == most);
  CHECK(partBegin(most, 1, 2) == most / 2);
  for (int64_t size = 0; size < 50; ++size)
    for (int64_t places = 1; places < 20; ++places)
      for (int64_t place = 0; place <= places; ++place)
        CHECK(partBegin(size, place, places) == place * size / places);
}
