// The compiled functions of this process, so that equal ones are compiled once.
#ifndef KERATIN_COMPILER_STORE_FUNCTIONSTORE_H
#define KERATIN_COMPILER_STORE_FUNCTIONSTORE_H

#include "compiler/store/LoadedCode.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace keratin::compiler {

// Code lives as long as a function that has it. A few that were used last live on without: who
// makes a function again and again, as in a notebook or for each call, finds it, and what they keep
// is bounded. Any number of threads.
//
// Nothing of LLVM or MLIR is asked for anything in here: a compilation may be left in the middle
// (codegen/llvm/Recovery.h), but never with the lock in hands.
class FunctionStore {
public:
  using Key = std::shared_ptr<const GraphKey>;
  using Code = std::shared_ptr<const LoadedCode>;
  using Time = std::chrono::steady_clock::time_point;

  // What is kept without being in use.
  static constexpr size_t kMostKept = 64;
  static constexpr size_t kMostKeptBytes = size_t(64) << 20;
  // Of which hasOthersOf() knows. Then it begins anew.
  static constexpr size_t kMostForms = 4096;

  FunctionStore() = default;
  FunctionStore(const FunctionStore &) = delete;
  FunctionStore &operator=(const FunctionStore &) = delete;
  static FunctionStore &ofProcess();

  // The right to make the code of a key, for which others wait. It must be used in the end: by
  // keep(), or given back when this goes, and then another may try.
  class Claim {
  public:
    Claim(Claim &&other) noexcept
        : store(std::exchange(other.store, nullptr)), key(std::move(other.key)) {}
    Claim &operator=(Claim &&) = delete;
    ~Claim();
    // The code, which has the key, is there for others.
    void keep(const Code &code) &&;

  private:
    friend class FunctionStore;
    Claim(FunctionStore &store, Key key) : store(&store), key(std::move(key)) {}
    FunctionStore *store;
    Key key;
  };

  struct Answer {
    Code code;                  // or null, and
    std::optional<Claim> claim; // none where the time is over, or nobody wants it any more
  };
  // How long somebody waits without being asked whether he still wants to.
  static constexpr std::chrono::milliseconds kPatience{50};
  // Code of the key, that of full effort if there is such, or a claim to make it. Where somebody
  // makes it with the effort asked for, waits for that, but no longer than until the time given, or
  // until goesOn, which is asked now and then in this thread without the lock, says no.
  Answer find(const Key &key, std::optional<Time> until,
              const std::function<bool()> &goesOn = nullptr);

  // A function comes whose key is one with scalars. Whether one has come before that had others.
  bool hasOthersOf(const GraphKey &form);

  // What is kept without being in use goes, and what is known of forms.
  void clear();
  // For tests: functions are looked up by so many bits of their digests, and told apart by
  // comparison.
  void setDigestBits(unsigned bits) { digestBits = bits; }

private:
  struct Slot {
    std::weak_ptr<const LoadedCode> code;
    Key claimed; // while there is a claim
  };
  using Slots = std::multimap<uint64_t, Slot>;

  uint64_t bucketOf(const GraphKey &key) const;
  bool waitForChange(std::unique_lock<std::mutex> &lock, std::optional<Time> until,
                     const std::function<bool()> &goesOn);
  // What goes for it is added to `going`, to be destroyed without the lock.
  void touch(const Code &code, std::list<Code> &going);
  void dropDead();
  void give(const Key &key, const Code &code);

  std::mutex mutex;
  std::condition_variable changed;
  Slots slots;
  size_t slotsAfterDrop = 0;
  std::list<Code> kept; // used last, first
  size_t keptBytes = 0;
  std::map<Digest, std::vector<std::string>> forms; // with the scalars of the first that came
  unsigned digestBits = 64;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_STORE_FUNCTIONSTORE_H
