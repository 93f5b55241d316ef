// Sets of elements of one tensor, each stored once: what elements of other tensors depend on.
//
// Values have millions of elements and few different sets among them, most of which are made of
// others by a union. So a set is a number, equal sets have equal numbers, and a value's sets are a
// tensor of integers, which whatever moves elements moves as well.
#ifndef KERATIN_PASSES_SPARSITY_INDEXSETS_H
#define KERATIN_PASSES_SPARSITY_INDEXSETS_H

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace keratin::passes {

class IndexSets {
public:
  // 0 is the empty set.
  using Id = int64_t;

  // Of elements 0 to count - 1, which are at most 2^31. Members beyond `most`, of all sets
  // together, are not stored: see isFull().
  IndexSets(int64_t count, int64_t most);
  IndexSets(const IndexSets &) = delete;
  IndexSets &operator=(const IndexSets &) = delete;

  static Id single(int64_t element) { return element + 1; }
  Id unionOf(Id a, Id b);
  // Of any number, in any order, which it may change.
  Id unionOf(std::vector<Id> &ids);
  // Ascending. Valid until the next union.
  std::span<const uint32_t> members(Id id) const {
    return {pool.data() + starts[id], size_t(starts[id + 1] - starts[id])};
  }
  // Some union was not made for want of room, and unions mean nothing from there on.
  bool isFull() const { return full; }

private:
  struct Hash {
    const IndexSets *sets;
    size_t operator()(uint32_t id) const;
  };
  struct Equal {
    const IndexSets *sets;
    bool operator()(uint32_t a, uint32_t b) const;
  };

  // The set that was appended to the pool: itself, or the one that was there before.
  Id intern();
  bool hasRoom(size_t members);

  const int64_t count, most;
  bool full = false;
  std::vector<uint32_t> pool;
  std::vector<int64_t> starts; // of each set in the pool, and the end
  std::unordered_set<uint32_t, Hash, Equal> known;
  std::unordered_map<uint64_t, uint32_t> pairs; // unions of two
  std::vector<uint64_t> bits;                   // of elements; zeros between calls
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SPARSITY_INDEXSETS_H
