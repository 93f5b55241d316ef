#include "passes/sparsity/IndexSets.h"

#include <algorithm>
#include <bit>

using namespace keratin::passes;

IndexSets::IndexSets(int64_t count, int64_t most)
    : count(count), most(most), known(0, Hash{this}, Equal{this}) {
  starts = {0, 0};
  pool.reserve(count);
  starts.reserve(count + 2);
  known.reserve(count + 1);
  known.insert(0);
  for (int64_t element = 0; element < count; ++element) {
    pool.push_back(uint32_t(element));
    starts.push_back(int64_t(pool.size()));
    known.insert(uint32_t(single(element)));
  }
}

size_t IndexSets::Hash::operator()(uint32_t id) const {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (uint32_t member : sets->members(id)) {
    hash = (hash ^ member) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

bool IndexSets::Equal::operator()(uint32_t a, uint32_t b) const {
  return a == b || std::ranges::equal(sets->members(a), sets->members(b));
}

bool IndexSets::hasRoom(size_t members) {
  full |= int64_t(pool.size() + members) > most + count;
  return !full;
}

IndexSets::Id IndexSets::intern() {
  starts.push_back(int64_t(pool.size()));
  auto [found, isNew] = known.insert(uint32_t(starts.size() - 2));
  if (!isNew) {
    starts.pop_back();
    pool.resize(starts.back());
  }
  return *found;
}

IndexSets::Id IndexSets::unionOf(Id a, Id b) {
  if (a == b || b == 0)
    return a;
  if (a == 0)
    return b;
  auto [pair, isNew] = pairs.try_emplace(uint64_t(std::min(a, b)) << 32 | uint64_t(std::max(a, b)));
  if (!isNew)
    return pair->second;
  if (members(a).size() > members(b).size())
    std::swap(a, b);
  const size_t sizes = members(a).size() + members(b).size();
  // What all elements depend on has most of what each depends on.
  if (members(a).size() * 16 < members(b).size() &&
      std::ranges::all_of(members(a), [&](uint32_t member) {
        return std::ranges::binary_search(members(b), member);
      }))
    return pair->second = uint32_t(b);
  if (!hasRoom(sizes))
    return a;
  // No reference into the pool outlives its growth.
  const size_t begin = pool.size();
  pool.resize(begin + sizes);
  auto of = [&](Id id) { return members(id); };
  auto end =
      std::set_union(of(a).begin(), of(a).end(), of(b).begin(), of(b).end(), pool.begin() + begin);
  pool.erase(end, pool.end());
  return pair->second = uint32_t(intern());
}

IndexSets::Id IndexSets::unionOf(std::vector<Id> &ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (!ids.empty() && ids.front() == 0)
    ids.erase(ids.begin());
  if (ids.empty())
    return 0;
  if (ids.size() <= 2)
    return unionOf(ids.front(), ids.back());
  size_t sizes = 0;
  for (Id id : ids)
    sizes += members(id).size();
  const size_t begin = pool.size();
  // Sorting is for few members; many mark bits, which are then read in order.
  if (const size_t words = size_t(count + 63) / 64; sizes < words / 4) {
    if (!hasRoom(sizes))
      return ids.front();
    for (Id id : ids) {
      const int64_t first = starts[id], last = starts[id + 1];
      for (int64_t i = first; i < last; ++i)
        pool.push_back(pool[i]);
    }
    std::sort(pool.begin() + begin, pool.end());
    pool.erase(std::unique(pool.begin() + begin, pool.end()), pool.end());
    return intern();
  } else {
    if (!hasRoom(std::min(sizes, size_t(count))))
      return ids.front();
    bits.resize(words);
    for (Id id : ids)
      for (uint32_t member : members(id))
        bits[member / 64] |= uint64_t(1) << member % 64;
    for (size_t word = 0; word < words; ++word)
      for (uint64_t &left = bits[word]; left; left &= left - 1)
        pool.push_back(uint32_t(word * 64 + std::countr_zero(left)));
    return intern();
  }
}
