"""Checks what a compiled model needs and exports: check_object.py READELF OBJECT PREFIX [sharded]."""

import re
import subprocess
import sys

# What the runtime in a model may take from the C library: <= 40 names (docs/ahead-of-time.md).
ALLOWED = set("""
  __errno_location __tls_get_addr clock_gettime exp fflush free fwrite getenv getpid
  madvise memcpy memset posix_memalign pthread_cond_broadcast pthread_cond_destroy pthread_cond_wait
  pthread_create pthread_join pthread_mutex_destroy pthread_mutex_lock pthread_mutex_unlock
  pthread_sigmask sched_getaffinity sched_yield sigdelset snprintf stdout strcmp strlen strstr strtod strtof strtol syscall
  vsnprintf""".split())
# What sharded models take besides: the memory of one machine's ranks, a file of /dev/shm, and who holds locks on it;
# an MPI, by name; texts of launchers and of errors.
OF_RANKS = set("""
  close fcntl fstat geteuid mmap munmap nanosleep open posix_fallocate sysconf unlink
  dlerror dlopen dlsym
  memchr memmove strerror strspn""".split())
NEEDED = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def main(readelf, path, prefix, sharded=""):
    def read(*flags):
        return subprocess.run([readelf, *flags, "-W", path], check=True, capture_output=True, text=True).stdout

    problems = []
    assert len(ALLOWED) <= 40
    dynamic = read("-d")
    needed = set(re.findall(r"Shared library: \[(.*?)\]", dynamic))
    if not needed or needed - NEEDED:
        problems.append(f"needs the libraries {sorted(needed)}")
    for tag in ("INIT_ARRAY", "FINI_ARRAY", "INIT)", "TEXTREL", "RPATH", "RUNPATH"):
        if tag in dynamic:
            problems.append(f"has {tag}")
    if "BIND_NOW" not in dynamic:
        problems.append("binds lazily")
    segments = read("-l")
    if "GNU_RELRO" not in segments:
        problems.append("has no RELRO")
    if not re.search(r"GNU_STACK.*RW ", segments):
        problems.append("its stack is executable")
    allowed = ALLOWED | OF_RANKS if sharded else ALLOWED
    undefined, defined = set(), set()
    for line in read("--dyn-symbols").splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0].rstrip(":").isdigit():
            (undefined if fields[6] == "UND" else defined).add(fields[7].split("@")[0])
    if undefined - allowed:
        problems.append(f"takes {sorted(undefined - allowed)} from other libraries")
    if sharded and OF_RANKS - undefined:
        problems.append(f"does not take {sorted(OF_RANKS - undefined)}, which it may")
    foreign = [name for name in defined if not name.startswith(prefix + "_") and name != "keratin_model_metadata"]
    if not defined or foreign:
        problems.append(f"exports {sorted(defined)}")
    for problem in problems:
        print(f"{path}: {problem}")
    return bool(problems)


sys.exit(main(*sys.argv[1:]))
