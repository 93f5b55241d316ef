// What collectives give, for numbers of ranks and sizes of tensors.
#include "tests/runtime/comm/Ranks.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace keratin::tests;

namespace {

// Element i of what a rank has.
int32_t element(int rank, int64_t i) { return int32_t(i * 7 + rank * 1000003); }

std::vector<int32_t> elements(int rank, int64_t count) {
  std::vector<int32_t> made(count);
  for (int64_t i = 0; i < count; ++i)
    made[i] = element(rank, i);
  return made;
}

// Around windows of shared memory (1 MiB) and pieces of reductions (8 MiB).
const std::vector<int64_t> counts = {0, 1, 5, 1023, 262144, 262145, 2200001};

// Whether each rank got what it says itself that it should.
bool all(const std::vector<int> &results) {
  return std::all_of(results.begin(), results.end(), [](int result) { return result == 1; });
}

} // namespace

TEST_CASE("all_reduce adds up what all ranks have") {
  for (int size : {1, 2, 3, 5})
    for (int64_t count : counts)
      CHECK(all(onRanks<int>(size, [&](keratin_group_t *group, int rank) {
        std::vector<int32_t> send = elements(rank, count), receive(count, -1);
        if (run(group, collective(KERATIN_ALL_REDUCE, KERATIN_DTYPE_INT32, send.data(), count,
                                  receive.data(), count))
                .code)
          return 0;
        for (int64_t i = 0; i < count; ++i) {
          uint32_t sum = 0;
          for (int other = 0; other < size; ++other)
            sum += uint32_t(element(other, i));
          if (receive[i] != int32_t(sum))
            return 0;
        }
        return 1;
      })));
}

TEST_CASE("what the ranks before have") {
  for (int64_t count : {1, 5000, 2200001})
    CHECK(all(onRanks<int>(3, [&](keratin_group_t *group, int rank) {
      std::vector<int32_t> send = elements(rank, count), receive(count, -1);
      keratin_collective_t wanted = collective(KERATIN_ALL_REDUCE, KERATIN_DTYPE_INT32, send.data(),
                                               count, receive.data(), count);
      wanted.reduction = KERATIN_REDUCE_BEFORE;
      if (run(group, wanted).code)
        return 0;
      for (int64_t i = 0; i < count; ++i) {
        uint32_t sum = 0;
        for (int other = 0; other < rank; ++other)
          sum += uint32_t(element(other, i));
        if (receive[i] != int32_t(sum))
          return 0;
      }
      return 1;
    })));
}

TEST_CASE("all_reduce may write where it reads") {
  for (int64_t count : {3, 700000})
    CHECK(all(onRanks<int>(3, [&](keratin_group_t *group, int rank) {
      std::vector<int32_t> data = elements(rank, count);
      run(group, collective(KERATIN_ALL_REDUCE, KERATIN_DTYPE_INT32, data.data(), count,
                            data.data(), count));
      for (int64_t i = 0; i < count; ++i)
        if (data[i] != int32_t(3 * uint32_t(i * 7) + 3 * 1000003u))
          return 0;
      return 1;
    })));
}

TEST_CASE("all_gather puts parts of different lengths one behind the other") {
  for (int size : {1, 2, 4})
    for (int64_t count : counts)
      CHECK(all(onRanks<int>(size, [&](keratin_group_t *group, int rank) {
        auto length = [&](int other) { return count / (other + 1); };
        int64_t total = 0;
        for (int other = 0; other < size; ++other)
          total += length(other);
        std::vector<int32_t> send = elements(rank, length(rank)), receive(total, -1), wanted;
        for (int other = 0; other < size; ++other) {
          std::vector<int32_t> part = elements(other, length(other));
          wanted.insert(wanted.end(), part.begin(), part.end());
        }
        run(group, collective(KERATIN_ALL_GATHER, KERATIN_DTYPE_INT32, send.data(), send.size(),
                              receive.data(), total));
        return int(receive == wanted);
      })));
}

TEST_CASE("reduce_scatter gives each rank its part of the sum") {
  for (int size : {1, 2, 4})
    for (int64_t count : counts)
      CHECK(all(onRanks<int>(size, [&](keratin_group_t *group, int rank) {
        auto length = [&](int other) { return count / (other + 1); };
        int64_t total = 0, begin = 0;
        for (int other = 0; other < size; ++other) {
          begin += other < rank ? length(other) : 0;
          total += length(other);
        }
        std::vector<int32_t> send = elements(rank, total), receive(length(rank), -1);
        run(group, collective(KERATIN_REDUCE_SCATTER, KERATIN_DTYPE_INT32, send.data(), total,
                              receive.data(), receive.size()));
        for (int64_t i = 0; i < length(rank); ++i) {
          uint32_t sum = 0;
          for (int other = 0; other < size; ++other)
            sum += uint32_t(element(other, begin + i));
          if (receive[i] != int32_t(sum))
            return 0;
        }
        return 1;
      })));
}

TEST_CASE("broadcast gives all ranks what one has") {
  for (int from : {0, 2})
    for (int64_t count : counts)
      CHECK(all(onRanks<int>(3, [&](keratin_group_t *group, int rank) {
        std::vector<int32_t> data = elements(rank, count);
        keratin_collective_t wanted = collective(KERATIN_BROADCAST, KERATIN_DTYPE_INT32,
                                                 data.data(), count, data.data(), count);
        wanted.from = from;
        run(group, wanted);
        return int(data == elements(from, count));
      })));
}

TEST_CASE("all_to_all sends part r to rank r") {
  for (int64_t each : {0, 1, 1000, 300001})
    CHECK(all(onRanks<int>(3, [&](keratin_group_t *group, int rank) {
      std::vector<int32_t> send = elements(rank, 3 * each), receive(3 * each, -1);
      run(group, collective(KERATIN_ALL_TO_ALL, KERATIN_DTYPE_INT32, send.data(), 3 * each,
                            receive.data(), 3 * each));
      for (int other = 0; other < 3; ++other)
        for (int64_t i = 0; i < each; ++i)
          if (receive[other * each + i] != element(other, rank * each + i))
            return 0;
      return 1;
    })));
}

TEST_CASE("permute sends along a ring, and ends of a line have no neighbour") {
  for (int64_t count : {0, 1, 600000}) {
    CHECK(all(onRanks<int>(3, [&](keratin_group_t *group, int rank) {
      std::vector<int32_t> send = elements(rank, count), receive(count, -1);
      keratin_collective_t wanted = collective(KERATIN_PERMUTE, KERATIN_DTYPE_INT32, send.data(),
                                               count, receive.data(), count);
      wanted.to = (rank + 1) % 3;
      wanted.from = (rank + 2) % 3;
      run(group, wanted);
      return int(receive == elements((rank + 2) % 3, count));
    })));
    CHECK(all(onRanks<int>(3, [&](keratin_group_t *group, int rank) {
      std::vector<int32_t> send = elements(rank, count), receive(count, -1);
      keratin_collective_t wanted = collective(KERATIN_PERMUTE, KERATIN_DTYPE_INT32, send.data(),
                                               count, receive.data(), count);
      wanted.to = rank + 1 < 3 ? rank + 1 : -1;
      wanted.from = rank - 1;
      run(group, wanted);
      return int(receive == (rank ? elements(rank - 1, count) : std::vector<int32_t>(count, -1)));
    })));
  }
}

TEST_CASE("collectives among the ranks of an axis of a mesh") {
  // 2 x 3 ranks: along the first axis 0 and 3 and so on, along the second 0 to 2 and 3 to 5.
  for (keratin_axis_t axis : {keratin_axis_t{2, 3}, {3, 1}, {6, 1}, {1, 1}})
    for (int64_t count : {1, 300001})
      CHECK(all(onRanks<int>(6, [&](keratin_group_t *group, int rank) {
        const int place = rank / axis.stride % axis.count;
        auto number = [&](int other) { return rank + (other - place) * axis.stride; };
        auto ask = [&](int32_t kind, int64_t sent, std::vector<int32_t> &receive,
                       int neighbour = 0) {
          const std::vector<int32_t> send = elements(rank, sent);
          keratin_collective_t wanted = collective(kind, KERATIN_DTYPE_INT32, send.data(), sent,
                                                   receive.data(), int64_t(receive.size()));
          wanted.axis = axis;
          wanted.to = (place + neighbour) % axis.count;
          wanted.from = (place + axis.count - neighbour) % axis.count;
          return run(group, wanted).code == KERATIN_OK;
        };
        std::vector<int32_t> sums(count), sum(count), parts, gathered;
        for (int other = 0; other < axis.count; ++other) {
          const std::vector<int32_t> has = elements(number(other), count);
          parts.insert(parts.end(), has.begin(), has.end());
          for (int64_t i = 0; i < count; ++i)
            sums[i] = int32_t(uint32_t(sums[i]) + uint32_t(has[i]));
        }
        gathered.resize(parts.size());
        if (!ask(KERATIN_ALL_REDUCE, count, sum) || sum != sums)
          return 0;
        if (!ask(KERATIN_ALL_GATHER, count, gathered) || gathered != parts)
          return 0;
        if (!ask(KERATIN_PERMUTE, count, sum, 1) ||
            sum != elements(number((place + axis.count - 1) % axis.count), count))
          return 0;
        // And all of them again.
        return int(barrier(group).code == KERATIN_OK);
      })));
}

TEST_CASE("ranks of an axis may have more than those beside it") {
  CHECK(all(onRanks<int>(4, [&](keratin_group_t *group, int rank) {
    const int64_t count = rank < 2 ? 900000 : 3;
    std::vector<int32_t> send = elements(rank, count), receive(count);
    keratin_collective_t wanted = collective(KERATIN_ALL_REDUCE, KERATIN_DTYPE_INT32, send.data(),
                                             count, receive.data(), count);
    wanted.axis = {2, 1};
    wanted.reduction = KERATIN_REDUCE_MAX;
    return int(run(group, wanted).code == KERATIN_OK && receive == elements(rank | 1, count));
  })));
}

namespace {

// What all_reduce makes of one element a rank, as it is stored.
template <typename Stored>
Stored reduceOne(int32_t dtype, int32_t reduction, const std::vector<Stored> &values) {
  std::vector<Stored> results =
      onRanks<Stored>(int(values.size()), [&](keratin_group_t *group, int rank) {
        // Many, so that each rank has a share.
        std::vector<Stored> send(5000, values[rank]), receive(5000);
        keratin_collective_t wanted =
            collective(KERATIN_ALL_REDUCE, dtype, send.data(), 5000, receive.data(), 5000);
        wanted.reduction = reduction;
        run(group, wanted);
        return std::all_of(receive.begin(), receive.end(),
                           [&](Stored value) {
                             return std::memcmp(&value, &receive[0], sizeof(value)) == 0;
                           })
                   ? receive[0]
                   : Stored();
      });
  for (const Stored &result : results)
    CHECK(std::memcmp(&result, &results[0], sizeof(result)) == 0);
  return results[0];
}

} // namespace

TEST_CASE("sums are rounded once") {
  CHECK(reduceOne<float>(KERATIN_DTYPE_FLOAT32, KERATIN_REDUCE_SUM, {1e8f, 3, 3, -1e8f}) == 6);
  CHECK(reduceOne<double>(KERATIN_DTYPE_FLOAT64, KERATIN_REDUCE_SUM, {1e16, 1, 1, -1e16}) == 2);
  // 2048 + 1 + 1 in float16, where 2049 is none; 256 + 1 + 1 in bfloat16.
  CHECK(reduceOne<uint16_t>(KERATIN_DTYPE_FLOAT16, KERATIN_REDUCE_SUM, {0x6800, 0x3c00, 0x3c00}) ==
        0x6801);
  CHECK(reduceOne<uint16_t>(KERATIN_DTYPE_BFLOAT16, KERATIN_REDUCE_SUM, {0x4380, 0x3f80, 0x3f80}) ==
        0x4381);
}

TEST_CASE("means are rounded once") {
  CHECK(reduceOne<float>(KERATIN_DTYPE_FLOAT32, KERATIN_REDUCE_MEAN, {3e38f, 3e38f}) == 3e38f);
  CHECK(reduceOne<double>(KERATIN_DTYPE_FLOAT64, KERATIN_REDUCE_MEAN, {1e16, 1, 1, -1e16}) == 0.5);
  CHECK(reduceOne<uint16_t>(KERATIN_DTYPE_FLOAT16, KERATIN_REDUCE_MEAN, {0x3c00, 0x4000, 0x4200}) ==
        0x4000);
}

TEST_CASE("sums that are not finite are those of plain addition") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(reduceOne<double>(KERATIN_DTYPE_FLOAT64, KERATIN_REDUCE_SUM, {1, infinity, 2}) == infinity);
  CHECK(std::isnan(
      reduceOne<double>(KERATIN_DTYPE_FLOAT64, KERATIN_REDUCE_SUM, {infinity, -infinity})));
}

TEST_CASE("integers wrap around, booleans are ored") {
  CHECK(reduceOne<int8_t>(KERATIN_DTYPE_INT8, KERATIN_REDUCE_SUM, {127, 2}) == -127);
  CHECK(reduceOne<uint64_t>(KERATIN_DTYPE_UINT64, KERATIN_REDUCE_SUM, {~uint64_t(0), 3}) == 2);
  CHECK(reduceOne<uint8_t>(KERATIN_DTYPE_BOOL, KERATIN_REDUCE_SUM, {0, 1, 1}) == 1);
}

TEST_CASE("the largest and the smallest, NaN before all") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(reduceOne<float>(KERATIN_DTYPE_FLOAT32, KERATIN_REDUCE_MAX, {-3, 7, 2}) == 7);
  CHECK(reduceOne<float>(KERATIN_DTYPE_FLOAT32, KERATIN_REDUCE_MIN, {-3, 7, 2}) == -3);
  CHECK(std::isnan(reduceOne<float>(KERATIN_DTYPE_FLOAT32, KERATIN_REDUCE_MAX, {1, nan, 2})));
  CHECK(std::isnan(reduceOne<float>(KERATIN_DTYPE_FLOAT32, KERATIN_REDUCE_MIN, {nan, 1, 2})));
  CHECK(reduceOne<uint8_t>(KERATIN_DTYPE_UINT8, KERATIN_REDUCE_MAX, {3, 200}) == 200);
  CHECK(reduceOne<double>(KERATIN_DTYPE_FLOAT64, KERATIN_REDUCE_MIN, {3, 200}) == 3);
}

TEST_CASE("collectives that were started go on beside the caller, in their order") {
  CHECK(all(onRanks<int>(3, [&](keratin_group_t *group, int rank) {
    constexpr int many = 20;
    std::vector<std::vector<int32_t>> data;
    std::vector<keratin_request_t *> requests(many);
    for (int i = 0; i < many; ++i)
      data.push_back(elements(rank, 1000 * i));
    for (int i = 0; i < many; ++i) {
      keratin_collective_t wanted =
          collective(KERATIN_ALL_REDUCE, KERATIN_DTYPE_INT32, data[i].data(), data[i].size(),
                     data[i].data(), data[i].size());
      wanted.reduction = KERATIN_REDUCE_MAX;
      if (keratin_group_start(group, &wanted, &requests[i], nullptr))
        return 0;
    }
    for (int i = many - 1; i >= 0; --i) // waited for in another order on purpose
      if (keratin_group_wait(group, requests[i], nullptr) || data[i] != elements(2, 1000 * i))
        return 0;
    return 1;
  })));
}

TEST_CASE("a collective that is started takes place without being waited for") {
  // Rank 0 waits for rank 1's before it waits for anything itself.
  std::atomic<bool> isOver{false};
  CHECK(all(onRanks<int>(2, [&](keratin_group_t *group, int rank) {
    keratin_collective_t wanted = collective(KERATIN_BARRIER, 0, nullptr, 0, nullptr, 0);
    keratin_request_t *request = nullptr;
    if (rank == 1) {
      int code = barrier(group).code;
      isOver = true;
      return int(code == KERATIN_OK);
    }
    keratin_group_start(group, &wanted, &request, nullptr);
    while (!isOver)
      std::this_thread::yield();
    return int(keratin_group_wait(group, request, nullptr) == KERATIN_OK);
  })));
}
