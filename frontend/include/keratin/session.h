// Keras's sessions, for programs that name one.
#ifndef KERATIN_SESSION_H
#define KERATIN_SESSION_H

#include "keratin/function.h"

#include <utility>
#include <vector>

namespace keratin {

namespace frontend {

// How fetches become one list of tensors, and their values the structure of the fetches again.
template <typename T> struct Fetched;

template <> struct Fetched<Tensor> {
  using Values = Array;
  static void list(const Tensor &fetch, std::vector<Tensor> &all) { all.push_back(fetch); }
  static Values take(const Tensor &, Array *&next) { return std::move(*next++); }
};

template <typename T> struct Fetched<std::vector<T>> {
  using Values = std::vector<typename Fetched<T>::Values>;
  static void list(const std::vector<T> &fetches, std::vector<Tensor> &all) {
    for (const T &fetch : fetches)
      Fetched<T>::list(fetch, all);
  }
  static Values take(const std::vector<T> &fetches, Array *&next) {
    Values values;
    for (const T &fetch : fetches)
      values.push_back(Fetched<T>::take(fetch, next));
    return values;
  }
};

template <typename A, typename B> struct Fetched<std::pair<A, B>> {
  using Values = std::pair<typename Fetched<A>::Values, typename Fetched<B>::Values>;
  static void list(const std::pair<A, B> &fetches, std::vector<Tensor> &all) {
    Fetched<A>::list(fetches.first, all);
    Fetched<B>::list(fetches.second, all);
  }
  static Values take(const std::pair<A, B> &fetches, Array *&next) {
    auto first = Fetched<A>::take(fetches.first, next);
    return {std::move(first), Fetched<B>::take(fetches.second, next)};
  }
};

} // namespace frontend

// Has no state of its own: variables belong to the process, and there is one graph.
class Session {
public:
  // Placeholders with an array or a sparse matrix each.
  using Feeds = std::vector<std::pair<Tensor, Feed>>;

  // The values of tensors and update ops, all of one moment. ValueError for a placeholder that is
  // needed and not fed.
  std::vector<Array> run(const std::vector<Tensor> &fetches, const Feeds &feeds = {},
                         SourceLocation location = SourceLocation::current());
  // A tensor, or vectors and pairs of such nested in any way: the values have the same structure.
  template <typename T>
  typename frontend::Fetched<T>::Values run(const T &fetches, const Feeds &feeds = {},
                                            SourceLocation location = SourceLocation::current()) {
    std::vector<Tensor> all;
    frontend::Fetched<T>::list(fetches, all);
    std::vector<Array> values = run(all, feeds, location);
    Array *next = values.data();
    return frontend::Fetched<T>::take(fetches, next);
  }
  void close() {}
};

} // namespace keratin

#endif // KERATIN_SESSION_H
