// A table whose places are used again.
#ifndef KERATIN_FRONTEND_GRAPH_IDTABLE_H
#define KERATIN_FRONTEND_GRAPH_IDTABLE_H

#include <cstdint>
#include <memory>
#include <vector>

namespace keratin::frontend {

// Ids end up in attributes, which live as long as their context, so small ones are reused. Entries
// stay where they are in memory.
template <typename T> class IdTable {
public:
  int64_t add(T value) {
    auto entry = std::make_unique<T>(std::move(value));
    if (unused.empty()) {
      entries.push_back(std::move(entry));
      return int64_t(entries.size()) - 1;
    }
    int64_t id = unused.back();
    unused.pop_back();
    entries[id] = std::move(entry);
    return id;
  }
  // What was there, for the caller to destroy.
  std::unique_ptr<T> remove(int64_t id) {
    unused.push_back(id);
    return std::move(entries[id]);
  }
  T &operator[](int64_t id) { return *entries[id]; }
  const T &operator[](int64_t id) const { return *entries[id]; }
  bool contains(int64_t id) const {
    return id >= 0 && id < int64_t(entries.size()) && entries[id] != nullptr;
  }
  int64_t size() const { return int64_t(entries.size() - unused.size()); }

private:
  std::vector<std::unique_ptr<T>> entries;
  std::vector<int64_t> unused;
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_IDTABLE_H
