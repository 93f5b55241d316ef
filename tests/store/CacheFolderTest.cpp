// The files of a cache: damaged ones, those of others, those that go, and several processes.
#include "codegen/llvm/CacheFolder.h"
#include "tests/support/NoExit.h"
#include "tests/support/TemporaryFolder.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using keratin::codegen::CacheFolder;
using keratin::tests::endProcess;
using keratin::tests::TemporaryFolder;
namespace fs = std::filesystem;

static std::string nameOf(const std::string &key) { return CacheFolder::nameOf({key}, "code"); }

static void waitFor(pid_t child, int expected = 0) {
  int end = 0;
  CHECK(waitpid(child, &end, 0) == child);
  CHECK(end == expected);
}

TEST_CASE("Names tell lists of parts apart") {
  CHECK(nameOf("a").size() == 64 + 5);
  CHECK(nameOf("a") == nameOf("a"));
  CHECK(CacheFolder::nameOf({"ab", "c"}, "code") != CacheFolder::nameOf({"a", "bc"}, "code"));
  CHECK(CacheFolder::nameOf({"a"}, "code") != CacheFolder::nameOf({"a"}, "cubin"));
}

TEST_CASE("A cache gives back what it was given, and nothing that is damaged") {
  TemporaryFolder folder;
  const std::string inside = folder.path + "/a/b", name = nameOf("x"),
                    bytes("\x7f"
                          "ELF\0code",
                          9);
  CacheFolder cache(inside);
  CHECK_FALSE(cache.find(name));
  cache.keep(name, {"\x7f"
                    "ELF",
                    llvm::StringRef("\0code", 5)});
  CHECK(cache.find(name) == bytes);
  CHECK_FALSE(cache.find(nameOf("y")));
  const fs::path file = fs::path(inside) / name;
  CHECK((fs::status(inside).permissions() & fs::perms::all) == fs::perms::owner_all);
  for (uintmax_t size = fs::file_size(file), at = 0; at < size; ++at) {
    cache.keep(name, {bytes});
    std::fstream open(file, std::ios::in | std::ios::out | std::ios::binary);
    open.seekg(long(at));
    char old = char(open.get());
    open.seekp(long(at));
    open.put(char(old ^ 1));
    open.close();
    INFO(at);
    CHECK_FALSE(cache.find(name));
  }
  for (uintmax_t size = fs::file_size(file), length = 0; length < size; ++length) {
    cache.keep(name, {bytes});
    fs::resize_file(file, length);
    INFO(length);
    CHECK_FALSE(cache.find(name));
  }
  cache.keep(name, {bytes});
  CHECK(cache.find(name) == bytes);
  fs::rename(file, fs::path(inside) / nameOf("y"));
  CHECK_FALSE(cache.find(nameOf("y")));
}

TEST_CASE("Where nothing can be kept nothing is, and nobody is told") {
  const std::string name = nameOf("x");
  for (const char *path : {"", "/proc/none", "/proc", "/dev/null"}) {
    CacheFolder cache(path);
    cache.keep(name, {"bytes"});
    CHECK_FALSE(cache.find(name));
  }
  TemporaryFolder folder;
  CacheFolder(folder.path, 0).keep(name, {"bytes"});
  CHECK(folder.files().empty());
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
  CacheFolder(folder.path).keep(name, {"bytes"}); // root may
  fs::permissions(folder.path, fs::perms::owner_all);
}

TEST_CASE("The environment says where") {
  const char *had = std::getenv("KERATIN_CACHE");
  const std::string old = had ? had : "";
  auto isOffWith = [](const char *value) {
    setenv("KERATIN_CACHE", value, 1);
    return CacheFolder::ofEnvironment().isOff();
  };
  CHECK(isOffWith(""));
  CHECK(isOffWith("off"));
  CHECK_FALSE(isOffWith("/somewhere"));
  setenv("KERATIN_CACHE_BYTES", "0", 1);
  CHECK(isOffWith("/somewhere"));
  unsetenv("KERATIN_CACHE_BYTES");
  setenv("KERATIN_CACHE", old.c_str(), 1);
}

TEST_CASE("What another user could write is not taken") {
  TemporaryFolder folder;
  CacheFolder cache(folder.path);
  const std::string name = nameOf("x"), file = folder.path + "/" + name;
  auto isTaken = [&] { return cache.find(name).has_value(); };
  cache.keep(name, {"bytes"});
  REQUIRE(isTaken());
  for (mode_t mode : {0620, 0602, 0666}) {
    chmod(file.c_str(), mode);
    CHECK_FALSE(isTaken());
  }
  chmod(file.c_str(), 0600);
  for (mode_t mode : {0770, 0707, 01777}) {
    chmod(folder.path.c_str(), mode);
    CHECK_FALSE(isTaken());
    cache.keep(nameOf("y"), {"bytes"});
  }
  chmod(folder.path.c_str(), 0700);
  CHECK(folder.files().size() == 1);
  CHECK(isTaken());
  fs::rename(file, folder.path + "/elsewhere");
  fs::create_symlink(folder.path + "/elsewhere", file);
  CHECK_FALSE(isTaken());
  fs::remove(file);
  mkfifo(file.c_str(), 0600); // nor waited for
  CHECK_FALSE(isTaken());
  cache.keep(name, {"bytes"});
  CHECK(isTaken());
  if (geteuid() == 0) {
    REQUIRE(chown(file.c_str(), 65534, 65534) == 0);
    CHECK_FALSE(isTaken());
    cache.keep(name, {"bytes"});
    REQUIRE(isTaken());
    REQUIRE(chown(folder.path.c_str(), 65534, 65534) == 0);
    CHECK_FALSE(isTaken());
  }
}

TEST_CASE("A limit on the size of files does not end the process") {
  TemporaryFolder folder;
  pid_t child = fork();
  if (child == 0) {
    rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    CacheFolder(folder.path).keep(nameOf("x"), {std::string(2000, 'x')});
    endProcess(0);
  }
  waitFor(child);
  CHECK(folder.files().empty());
}

TEST_CASE("A full disk keeps nothing, and nothing half") {
  TemporaryFolder folder;
  pid_t child = fork();
  if (child == 0) {
    // A disk of its own. Not everybody may have one.
    if (unshare(CLONE_NEWNS) || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
        mount("none", folder.path.c_str(), "tmpfs", 0, "size=64k,mode=0700"))
      endProcess(0);
    CacheFolder cache(folder.path);
    cache.keep(nameOf("large"), {std::string(100000, 'x')});
    bool isEmpty = folder.files().empty();
    cache.keep(nameOf("small"), {"bytes"});
    endProcess(isEmpty && cache.find(nameOf("small")) == "bytes" ? 0 : 1);
  }
  waitFor(child);
}

TEST_CASE("A process that is killed while it writes leaves nothing half") {
  TemporaryFolder folder;
  const std::string name = nameOf("x"), bytes(8 << 20, 'x');
  for (int i = 0; i < 10; ++i) {
    pid_t child = fork();
    if (child == 0)
      while (true)
        CacheFolder(folder.path).keep(name, {bytes});
    usleep(useconds_t(3000 + 2000 * i));
    kill(child, SIGKILL);
    waitFor(child, SIGKILL);
    auto found = CacheFolder(folder.path).find(name);
    CHECK((!found || *found == bytes));
  }
  // What is left of them goes when there is no room for it.
  CacheFolder(folder.path, bytes.size() / 8)
      .keep(nameOf("y"), {std::string(bytes.size() / 9, 'y')});
  CHECK(folder.files().size() == 1);
}

static void setAge(const std::string &path, int minutes) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
}

TEST_CASE("A cache keeps what was used last, as far as there is room") {
  TemporaryFolder folder;
  const std::string code(1000, 'c');
  CacheFolder cache(folder.path, 3500); // room for three files of 1081 bytes
  int age = 40;
  for (const char *old : {"a", "b", "c"}) {
    cache.keep(nameOf(old), {code});
    setAge(folder.path + "/" + nameOf(old), age -= 10);
  }
  const std::string half = folder.path + "/" + nameOf("b") + ".temp-12-3";
  std::ofstream(half) << code;
  setAge(half, 50);
  const std::string others[] = {"notes.code", std::string(64, 'g') + ".code",
                                nameOf("a").substr(0, 64)};
  for (const std::string &name : others)
    std::ofstream(folder.path + "/" + name) << code;
  CHECK(cache.find(nameOf("a")) == code); // b is the oldest now
  cache.keep(nameOf("d"), {code});
  CHECK_FALSE(cache.find(nameOf("b")));
  CHECK_FALSE(fs::exists(half));
  for (const char *kept : {"a", "c", "d"})
    CHECK(cache.find(nameOf(kept)) == code);
  for (const std::string &name : others)
    CHECK(fs::exists(folder.path + "/" + name));
  // What there is no room for at all puts nothing out.
  cache.keep(nameOf("e"), {std::string(3500, 'e')});
  CHECK_FALSE(cache.find(nameOf("e")));
  CHECK(cache.find(nameOf("d")) == code);
  // Less room, at the next time.
  CacheFolder(folder.path, 1500).keep(nameOf("f"), {code});
  CHECK(cache.find(nameOf("f")) == code);
  for (const char *gone : {"a", "c", "d"})
    CHECK_FALSE(cache.find(nameOf(gone)));
}

// Processes, so that nothing of the memory is shared.
TEST_CASE("Several processes fill and trim one cache") {
  TemporaryFolder folder;
  constexpr int processes = 4, rounds = 60;
  const std::string code(1000, 'c');
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      CacheFolder cache(folder.path, 10 * 1081);
      bool isGood = true;
      for (int i = 0; i < rounds; ++i) {
        const std::string name = nameOf(std::to_string(i));
        auto found = cache.find(name);
        isGood &= !found || *found == code;
        cache.keep(name, {code});
      }
      endProcess(isGood ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children)
    waitFor(child);
  CHECK(folder.files().size() <= 10);
  CHECK(CacheFolder(folder.path).find(nameOf(std::to_string(rounds - 1))));
}
