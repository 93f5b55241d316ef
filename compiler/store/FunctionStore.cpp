#include "compiler/store/FunctionStore.h"

#include <algorithm>
#include <cstring>

using namespace keratin::compiler;

FunctionStore &FunctionStore::ofProcess() {
  // Functions may outlive objects with static storage.
  static auto *store = new FunctionStore;
  return *store;
}

uint64_t FunctionStore::bucketOf(const GraphKey &key) const {
  uint64_t word;
  std::memcpy(&word, key.digest.data(), sizeof(word));
  return digestBits < 64 ? word & ((uint64_t(1) << digestBits) - 1) : word;
}

FunctionStore::Answer FunctionStore::find(const Key &key, std::optional<Time> until,
                                          const std::function<bool()> &goesOn) {
  std::list<Code> going;
  std::unique_lock lock(mutex);
  const uint64_t bucket = bucketOf(*key);
  while (true) {
    bool isClaimed = false;
    Code best;
    auto [first, last] = slots.equal_range(bucket);
    for (auto slot = first; slot != last; ++slot) {
      going.push_front(slot->second.code.lock());
      if (const Code &code = going.front();
          code && code->serves(*key) && (!best || code->isOfFullEffort()))
        best = code;
      const Key &claimed = slot->second.claimed;
      isClaimed |= claimed && *claimed == *key && claimed->effort == key->effort;
    }
    if (best) {
      touch(best, going);
      return {std::move(best), std::nullopt};
    }
    if (!isClaimed) {
      slots.emplace(bucket, Slot{{}, key});
      return {nullptr, Claim(*this, key)};
    }
    if (!waitForChange(lock, until, goesOn))
      return {};
  }
}

// False if there is no more waiting.
bool FunctionStore::waitForChange(std::unique_lock<std::mutex> &lock, std::optional<Time> until,
                                  const std::function<bool()> &goesOn) {
  if (goesOn) {
    const Time asked = std::chrono::steady_clock::now() + kPatience;
    if (changed.wait_until(lock, until ? std::min(asked, *until) : asked) ==
        std::cv_status::no_timeout)
      return true;
    lock.unlock();
    const bool isWanted = goesOn();
    lock.lock();
    return isWanted && (!until || std::chrono::steady_clock::now() < *until);
  }
  if (until)
    return changed.wait_until(lock, *until) == std::cv_status::no_timeout;
  changed.wait(lock);
  return true;
}

FunctionStore::Claim::~Claim() {
  if (store)
    store->give(key, nullptr);
}

void FunctionStore::Claim::keep(const Code &code) && {
  std::exchange(store, nullptr)->give(key, code);
}

// The end of a claim, with the code or without. Others are told before anything asks for memory.
void FunctionStore::give(const Key &key, const Code &code) {
  std::list<Code> going;
  std::lock_guard lock(mutex);
  auto [first, last] = slots.equal_range(bucketOf(*key));
  auto slot = std::find_if(first, last, [&](const auto &s) { return s.second.claimed == key; });
  if (code)
    slot->second = {code, nullptr};
  else
    slots.erase(slot);
  changed.notify_all();
  if (code) {
    touch(code, going);
    dropDead();
  }
}

// Code that nobody uses any more leaves its slot behind. They are looked for when there are twice
// as many as after the last time.
void FunctionStore::dropDead() {
  if (slots.size() < 2 * slotsAfterDrop + kMostKept)
    return;
  for (auto slot = slots.begin(); slot != slots.end();)
    slot =
        !slot->second.claimed && slot->second.code.expired() ? slots.erase(slot) : std::next(slot);
  slotsAfterDrop = slots.size();
}

void FunctionStore::touch(const Code &code, std::list<Code> &going) {
  auto found = std::find(kept.begin(), kept.end(), code);
  if (found != kept.end()) {
    kept.splice(kept.begin(), kept, found);
    return;
  }
  if (code->bytes > kMostKeptBytes)
    return;
  kept.push_front(code);
  keptBytes += code->bytes;
  while (kept.size() > kMostKept || keptBytes > kMostKeptBytes) {
    keptBytes -= kept.back()->bytes;
    going.splice(going.end(), kept, std::prev(kept.end()));
  }
}

bool FunctionStore::hasOthersOf(const GraphKey &form) {
  std::lock_guard lock(mutex);
  if (forms.size() == kMostForms && !forms.count(form.digest))
    forms.clear();
  return forms.try_emplace(form.digest, form.scalars).first->second != form.scalars;
}

void FunctionStore::clear() {
  std::list<Code> going;
  std::lock_guard lock(mutex);
  going.swap(kept);
  keptBytes = 0;
  forms.clear();
}
