// System calls by number, each as the C library's function of that name: -1 and errno on failure.
//
// Models compiled ahead of time hold this code and take few names from the C library
// (docs/ahead-of-time.md), so that they can be read over and loaded anywhere; of these names some
// are younger than the systems that objects run on (fstat: glibc 2.33).
#ifndef KERATIN_RUNTIME_FILES_KERNELCALLS_H
#define KERATIN_RUNTIME_FILES_KERNELCALLS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace keratin::runtime::kernel {

// Again as long as a signal interrupts.
template <class Call> auto uninterrupted(Call call) {
  for (;;)
    if (auto result = call(); result != -1 || errno != EINTR)
      return result;
}

inline int open(int folder, const char *path, int flags, unsigned mode = 0) {
  return uninterrupted([=] { return int(syscall(SYS_openat, folder, path, flags, mode)); });
}
// Never again: the descriptor is free even if a signal interrupts, which is no failure.
inline int close(int file) { return syscall(SYS_close, file) == 0 || errno == EINTR ? 0 : -1; }
inline int duplicate(int file) { return int(syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, 0)); }
inline ptrdiff_t read(int file, void *data, size_t bytes) {
  return uninterrupted([=] { return syscall(SYS_read, file, data, bytes); });
}
// 1 once there is something to read, or nobody left to write it; 0 after so many seconds without,
// if they are not negative.
inline int waitForInput(int file, int seconds) {
  pollfd wanted = {file, POLLIN, 0};
  timespec limit = {seconds, 0};
  return uninterrupted([&] {
    return int(syscall(SYS_ppoll, &wanted, 1, seconds < 0 ? nullptr : &limit, nullptr, 0));
  });
}
inline ptrdiff_t write(int file, const void *data, size_t bytes) {
  return uninterrupted([=] { return syscall(SYS_write, file, data, bytes); });
}
inline int sync(int file) {
  return uninterrupted([=] { return int(syscall(SYS_fsync, file)); });
}
// Some files, and folders of some file systems, cannot be synced, and need not be.
inline bool syncIfPossible(int file) {
  return sync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}
// Of what the path names, through links unless the flags say otherwise; of the file itself with an
// empty path and AT_EMPTY_PATH.
inline int status(int folder, const char *path, int flags, struct statx &result) {
  return int(syscall(SYS_statx, folder, path, flags, STATX_BASIC_STATS, &result));
}
inline int statusOfSystem(int file, struct statfs &result) {
  return int(syscall(SYS_fstatfs, file, &result));
}
inline int changeMode(int file, unsigned mode) { return int(syscall(SYS_fchmod, file, mode)); }
inline int changeOwner(int file, uint32_t user, uint32_t group) {
  return int(syscall(SYS_fchown, file, user, group));
}
inline int lock(int file, int operation) { return int(syscall(SYS_flock, file, operation)); }
inline int unlink(int folder, const char *name) {
  return int(syscall(SYS_unlinkat, folder, name, 0));
}
inline int rename(int folder, const char *from, const char *to) {
  return int(syscall(SYS_renameat2, folder, from, folder, to, 0));
}
// Each gets the other's name.
inline int exchange(int folder, const char *left, const char *right) {
  return int(syscall(SYS_renameat2, folder, left, folder, right, RENAME_EXCHANGE));
}
// The number of bytes; no terminator.
inline ptrdiff_t readLink(int folder, const char *name, char *target, size_t bytes) {
  return syscall(SYS_readlinkat, folder, name, target, bytes);
}
inline ptrdiff_t listFolder(int folder, void *entries, size_t bytes) {
  return syscall(SYS_getdents64, folder, entries, bytes);
}
inline ptrdiff_t randomBytes(void *data, size_t bytes) {
  return uninterrupted([=] { return syscall(SYS_getrandom, data, bytes, 0); });
}

// Sets of signals: signal n is bit n - 1.
using Signals = uint64_t;
inline void changeBlocked(int how, Signals signals, Signals *old) {
  (void)syscall(SYS_rt_sigprocmask, how, &signals, old, sizeof signals);
}
inline Signals pending() {
  Signals signals = 0;
  (void)syscall(SYS_rt_sigpending, &signals, sizeof signals);
  return signals;
}
// Takes one of them off the queue, if one is there.
inline void take(Signals signals) {
  const timespec now = {0, 0};
  (void)syscall(SYS_rt_sigtimedwait, &signals, nullptr, &now, sizeof signals);
}

} // namespace keratin::runtime::kernel

#endif // KERATIN_RUNTIME_FILES_KERNELCALLS_H
