// What is made once in a process, before compilations that may be left.
#ifndef KERATIN_CODEGEN_LLVM_BEGINNING_H
#define KERATIN_CODEGEN_LLVM_BEGINNING_H

#include <atomic>
#include <mutex>

namespace keratin::codegen {

// What LLVM and MLIR make once in a process they make under locks, or as variables of functions,
// which have guards. A compilation that is left for want of memory (Recovery.h) would leave those
// locked for all that follow, so such things are made before. If the memory ends within that, no
// code is made in this process any more, which every attempt says.
class Beginning {
public:
  explicit constexpr Beginning(void (*work)()) : work(work) {}
  Beginning(const Beginning &) = delete;
  Beginning &operator=(const Beginning &) = delete;

  // Returns when the work has been done, by whoever came first. Where it was not, leaves the
  // recover() that this is in.
  void await();

private:
  enum State { New, Done, Broken };
  void (*const work)();
  std::atomic<State> state{New};
  std::mutex mutex;
};

// One object for the life of the process, made by whoever asks first; others who ask at the same
// time make one too, and take back theirs. It needs no guard.
template <typename T> class Lasting {
public:
  template <typename Make> T &get(Make make) {
    if (T *found = object.load(std::memory_order_acquire))
      return *found;
    T *made = make(), *none = nullptr;
    if (object.compare_exchange_strong(none, made, std::memory_order_acq_rel))
      return *made;
    delete made;
    return *none;
  }

private:
  std::atomic<T *> object{nullptr};
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_BEGINNING_H
