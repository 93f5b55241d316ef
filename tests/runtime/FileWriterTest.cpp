// Where the writer of files writes to, and what it leaves behind.
#include "runtime/files/FileWriter.h"
#include "tests/support/NoExit.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
using keratin::runtime::commitTogether;
using keratin::runtime::FileOptions;
using keratin::runtime::FileWriter;
using keratin::runtime::writeFile;

namespace {

// A folder of its own, gone afterwards.
struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "keratin-test-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() {
    fs::permissions(path, fs::perms::owner_all);
    fs::remove_all(path);
  }
  std::string operator/(const char *name) const { return path / name; }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const fs::directory_entry &entry : fs::directory_iterator(path))
      result.push_back(entry.path().filename());
    std::sort(result.begin(), result.end());
    return result;
  }
  fs::path path;
};

using Names = std::vector<std::string>;

int write(const std::string &path, const std::string &content, FileOptions options = {}) {
  return writeFile(path.c_str(), content.data(), content.size(), options);
}

void put(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string contents(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

unsigned modeOf(const std::string &path) {
  struct stat about;
  REQUIRE(lstat(path.c_str(), &about) == 0);
  return about.st_mode;
}

// What the function returns in a process of its own, where it may change limits and users.
int inChild(const std::function<int()> &run) {
  pid_t child = fork();
  if (child == 0)
    keratin::tests::endProcess(run());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// As a user who is not allowed everything.
int asNobody(const std::function<int()> &run) {
  return inChild([&] {
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
      return 999;
    return run();
  });
}

// What a writer leaves that is killed before it is done, with some bytes on the disk.
void writeAndDie(const std::string &path) {
  CHECK(inChild([&] {
          static FileWriter writer; // no destructor runs before the signal
          std::string large(100000, 'x');
          if (!writer.open(path.c_str()) || !writer.write(large.data(), large.size()))
            return 1;
          return kill(getpid(), SIGKILL);
        }) == 1000 + SIGKILL);
}

} // namespace

TEST_CASE("a file appears whole, with the mode that the umask leaves") {
  Folder folder;
  std::string path = folder / "new";
  mode_t old = umask(027);
  CHECK(write(path, "text") == 0);
  umask(old);
  CHECK(contents(path) == "text");
  CHECK(modeOf(path) == (S_IFREG | 0640));
  CHECK(write(folder / "program", "", {false, 0777}) == 0);
  CHECK(modeOf(folder / "program") == (S_IFREG | (0777 & ~old)));
  CHECK(folder.names() == Names{"new", "program"});
}

TEST_CASE("what is written by and by arrives in order, nothing of it before the end") {
  Folder folder;
  std::string path = folder / "file", expected;
  put(path, "old");
  FileWriter writer;
  REQUIRE(writer.open(path.c_str()));
  for (size_t bytes : {1, 16383, 16384, 1, 100000, 3, 16380, 2, 0, 7}) {
    std::string part(bytes, char('a' + expected.size() % 26));
    REQUIRE(writer.write(part.data(), bytes));
    expected += part;
    CHECK(contents(path) == "old");
  }
  CHECK(folder.names().size() == 2);
  REQUIRE(writer.commit());
  CHECK(contents(path) == expected);
  CHECK(folder.names() == Names{"file"});
  // Without a commit there is nothing new.
  REQUIRE(writer.open(path.c_str()));
  REQUIRE(writer.write("lost", 4));
  writer.abandon();
  CHECK(contents(path) == expected);
  CHECK(folder.names() == Names{"file"});
}

TEST_CASE("a file that is replaced keeps its mode and its owner") {
  Folder folder;
  std::string path = folder / "file";
  for (unsigned mode : {0600u, 0644u, 0664u, 0755u, 0444u}) {
    put(path, "old");
    REQUIRE(chmod(path.c_str(), mode) == 0);
    CHECK(write(path, "new") == 0);
    CHECK(contents(path) == "new");
    CHECK(modeOf(path) == (S_IFREG | mode));
    fs::remove(path);
  }
  if (getuid() == 0) {
    put(path, "old");
    REQUIRE(chown(path.c_str(), 12345, 23456) == 0);
    CHECK(write(path, "new") == 0);
    struct stat about;
    REQUIRE(stat(path.c_str(), &about) == 0);
    CHECK(about.st_uid == 12345);
    CHECK(about.st_gid == 23456);
    // Who cannot keep the group gives it to no other.
    REQUIRE(chmod(folder.path.c_str(), 0777) == 0);
    REQUIRE(chmod(path.c_str(), 0660) == 0);
    CHECK(asNobody([&] { return write(path, "mine"); }) == 0);
    CHECK(modeOf(path) == (S_IFREG | 0600));
  }
}

TEST_CASE("what takes the place of a secret file is as secret on the way") {
  Folder folder;
  std::string path = folder / "secret";
  put(path, "");
  REQUIRE(chmod(path.c_str(), 0600) == 0);
  FileWriter writer;
  REQUIRE(writer.open(path.c_str()));
  for (const std::string &name : folder.names())
    CHECK((modeOf(folder / name.c_str()) & 077) == 0);
}

TEST_CASE("symbolic links are followed, and stay") {
  Folder folder;
  fs::create_directory(folder.path / "there");
  put(folder / "there/file", "old");
  fs::create_symlink("there/file", folder.path / "link");
  fs::create_symlink(folder.path / "link", folder.path / "linklink");
  CHECK(write(folder / "linklink", "new") == 0);
  CHECK(contents(folder / "there/file") == "new");
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(fs::is_symlink(folder.path / "linklink"));
  // To nothing yet.
  fs::create_symlink("there/later", folder.path / "dangling");
  CHECK(write(folder / "dangling", "first") == 0);
  CHECK(contents(folder / "there/later") == "first");
  CHECK(fs::is_symlink(folder.path / "dangling"));
  // Through a folder that is a link.
  fs::create_symlink("there", folder.path / "folder");
  CHECK(write(folder / "folder/file", "again") == 0);
  CHECK(contents(folder / "there/file") == "again");
  // To a folder that is not there; in a circle; to a folder.
  fs::create_symlink("nowhere/file", folder.path / "lost");
  CHECK(write(folder / "lost", "") == ENOENT);
  fs::create_symlink("round", folder.path / "round");
  CHECK(write(folder / "round", "") == ELOOP);
  CHECK(write(folder / "folder", "") == EISDIR);
  CHECK(fs::is_symlink(folder.path / "round"));
  CHECK(folder.names() ==
        Names{"dangling", "folder", "link", "linklink", "lost", "round", "there"});
}

TEST_CASE("folders and paths that lead nowhere are refused") {
  Folder folder;
  put(folder / "file", "");
  CHECK(write(folder.path, "") == EISDIR);
  CHECK(write(folder / "", "") == EISDIR);
  CHECK(write(folder / ".", "") == EISDIR);
  CHECK(write(folder / "new/", "") == ENOENT);
  CHECK(write(folder / "file/", "") == ENOTDIR);
  CHECK(write(folder / "file/x", "") == ENOTDIR);
  CHECK(write(folder / "nowhere/x", "") == ENOENT);
  CHECK(write("", "") == ENOENT);
  CHECK(write(folder / std::string(300, 'n').c_str(), "") == ENAMETOOLONG);
  CHECK(write(folder / std::string(5000, '/').c_str(), "") == ENAMETOOLONG);
  CHECK(folder.names() == Names{"file"});
}

TEST_CASE("a name as long as names can be is written, and left-overs of it are found") {
  Folder folder;
  std::string name(255, 'n'), path = folder / name.c_str();
  CHECK(write(path, "1") == 0);
  writeAndDie(path);
  CHECK(folder.names().size() == 2);
  CHECK(write(path, "2") == 0);
  CHECK(folder.names() == Names{name});
}

TEST_CASE("devices are written to, never replaced") {
  CHECK(write("/dev/null", std::string(100000, 'x')) == 0);
  CHECK(S_ISCHR(modeOf("/dev/null")));
  CHECK(write("/dev/full", "x") == ENOSPC);
  CHECK(S_ISCHR(modeOf("/dev/full")));
  Folder folder;
  fs::create_symlink("/dev/null", folder.path / "link");
  CHECK(write(folder / "link", "x") == 0);
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(S_ISCHR(modeOf("/dev/null")));
  // One in a folder where it could be replaced.
  if (mknod((folder / "null").c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) {
    CHECK(write(folder / "null", "x", {true}) == 0);
    CHECK(S_ISCHR(modeOf(folder / "null")));
    CHECK(folder.names() == Names{"link", "null"});
  }
}

TEST_CASE("pipes are written to, and whoever reads gets all of it") {
  Folder folder;
  std::string path = folder / "pipe", sent(300000, 'x'), received;
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  std::thread reader([&] { received = contents(path); });
  CHECK(write(path, sent, {true}) == 0);
  reader.join();
  CHECK(received == sent);
  CHECK(S_ISFIFO(modeOf(path)));
  CHECK(folder.names() == Names{"pipe"});
}

TEST_CASE("a reader who goes is an error, not a signal") {
  Folder folder;
  std::string path = folder / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK(inChild([&] {
          signal(SIGPIPE, SIG_DFL);
          int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
          FileWriter writer;
          if (!writer.open(path.c_str()))
            return 1;
          close(reader);
          (void)writer.write("x", 1);
          if (writer.commit() || writer.error() != EPIPE)
            return 2;
          // Neither comes the signal later, nor is one lost that was waiting already.
          sigset_t waiting;
          sigpending(&waiting);
          if (sigismember(&waiting, SIGPIPE))
            return 3;
          sigset_t pipes;
          sigemptyset(&pipes);
          sigaddset(&pipes, SIGPIPE);
          sigprocmask(SIG_BLOCK, &pipes, nullptr);
          raise(SIGPIPE);
          reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
          if (!writer.open(path.c_str()))
            return 4;
          close(reader);
          (void)writer.write("x", 1);
          if (writer.commit() || writer.error() != EPIPE)
            return 5;
          sigpending(&waiting);
          return sigismember(&waiting, SIGPIPE) ? 0 : 6;
        }) == 0);
}

TEST_CASE("a file that is open elsewhere goes on where it ends") {
  Folder folder;
  put(folder / "log", "before\n");
  CHECK(inChild([&] {
          int out = open((folder / "log").c_str(), O_WRONLY | O_APPEND);
          if (dup2(out, STDOUT_FILENO) < 0)
            return 1;
          return write("/dev/stdout", "text\n");
        }) == 0);
  CHECK(contents(folder / "log") == "before\ntext\n");
  // A pipe has no place in any folder.
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  CHECK(write("/proc/self/fd/" + std::to_string(ends[1]), "text") == 0);
  char buffer[8] = "";
  CHECK(read(ends[0], buffer, sizeof buffer) == 4);
  CHECK(std::string(buffer) == "text");
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("a folder that may not be written to is refused, and its files stay") {
  Folder folder;
  put(folder / "file", "old");
  REQUIRE(chmod((folder / "file").c_str(), 0666) == 0);
  REQUIRE(chmod(folder.path.c_str(), 0555) == 0);
  CHECK(asNobody([&] { return write(folder / "file", "new"); }) == EACCES);
  CHECK(asNobody([&] { return write(folder / "other", "new"); }) == EACCES);
  CHECK(contents(folder / "file") == "old");
  CHECK(folder.names() == Names{"file"});
  // One that may not be listed is no reason.
  REQUIRE(chmod(folder.path.c_str(), 0333) == 0);
  CHECK(asNobody([&] { return write(folder / "other", "new", {true}); }) == 0);
  REQUIRE(chmod(folder.path.c_str(), 0755) == 0);
  CHECK(folder.names() == Names{"file", "other"});
}

TEST_CASE("a limit of size is an error, not a signal, and nothing is left") {
  Folder folder;
  put(folder / "file", "old");
  for (size_t bytes : {5000, 40000})
    CHECK(inChild([&] {
            rlimit limit = {4096, 4096};
            setrlimit(RLIMIT_FSIZE, &limit);
            signal(SIGXFSZ, SIG_DFL);
            return write(folder / "file", std::string(bytes, 'x'));
          }) == EFBIG);
  CHECK(contents(folder / "file") == "old");
  CHECK(folder.names() == Names{"file"});
}

TEST_CASE("what a killed writer left, the next one to this path removes, and nothing else") {
  Folder folder;
  std::string path = folder / "file";
  put(path, "old");
  writeAndDie(path);
  writeAndDie(path); // removes what the first one left
  writeAndDie(folder / "file2");
  writeAndDie(folder / "fil");
  CHECK(contents(path) == "old");
  REQUIRE(folder.names().size() == 4);
  // Nearly such names are somebody's files.
  std::string digits(32, 'a');
  Names others = {"file.keratin-" + digits,           "file.keratin-" + digits + ".tmp2",
                  "file.keratin-" + digits + "a.tmp", "file.keratin-A" + digits.substr(1) + ".tmp",
                  "xfile.keratin-" + digits + ".tmp", "file.keratin-.tmp"};
  for (const std::string &name : others)
    put(folder / name.c_str(), name);
  // Another writer to the same place lives.
  FileWriter living;
  REQUIRE(living.open(path.c_str()));
  CHECK(write(path, "new") == 0);
  CHECK(contents(path) == "new");
  Names now = folder.names();
  for (const std::string &name : others)
    CHECK(std::count(now.begin(), now.end(), name) == 1);
  CHECK(now.size() == others.size() + 1 /*file*/ + 2 /*of the others*/ + 1 /*living*/);
  REQUIRE(living.write("last", 4));
  REQUIRE(living.commit());
  CHECK(contents(path) == "last");
  CHECK(write(folder / "file2", "") == 0);
  CHECK(write(folder / "fil", "") == 0);
  CHECK(folder.names().size() == others.size() + 3);
}

TEST_CASE("what lies in wait under the name of a left-over is no reason to harm it") {
  Folder folder;
  std::string digits(32, '0'), name = "file.keratin-" + digits + ".tmp";
  put(folder / "victim", "dear");
  fs::create_symlink("victim", folder.path / name);
  CHECK(write(folder / "file", "new") == 0);
  CHECK(contents(folder / "victim") == "dear");
  fs::remove(folder.path / name);
  REQUIRE(mkfifo((folder / name.c_str()).c_str(), 0600) == 0);
  CHECK(write(folder / "file", "new") == 0);
  CHECK(S_ISFIFO(modeOf(folder / name.c_str())));
  fs::remove(folder.path / name);
  fs::create_directory(folder.path / name);
  CHECK(write(folder / "file", "newer") == 0);
  CHECK(contents(folder / "file") == "newer");
}

// Files with this new content, opened in this order, none of them committed yet.
struct Group {
  explicit Group(const std::vector<std::string> &paths) : writers(paths.size()) {
    for (size_t i = 0; i < paths.size(); ++i) {
      pointers.push_back(&writers[i]);
      (void)(writers[i].open(paths[i].c_str()) && writers[i].write("new", 3));
    }
  }
  size_t commit() { return commitTogether(pointers.data(), pointers.size()); }
  std::deque<FileWriter> writers;
  std::vector<FileWriter *> pointers;
};

TEST_CASE("files that belong together appear together") {
  Folder folder;
  put(folder / "old", "old");
  REQUIRE(chmod((folder / "old").c_str(), 0640) == 0);
  Group group({folder / "first", folder / "old", "/dev/null", folder / "last"});
  CHECK(folder.names().size() == 4);
  CHECK(contents(folder / "old") == "old");
  CHECK(group.commit() == 4);
  CHECK(folder.names() == Names{"first", "last", "old"});
  for (const char *name : {"first", "old", "last"})
    CHECK(contents(folder / name) == "new");
  CHECK(modeOf(folder / "old") == (S_IFREG | 0640));
  CHECK(Group({}).commit() == 0);
}

TEST_CASE("where one cannot be written, none of the files that belong together is") {
  Folder folder;
  fs::create_directory(folder.path / "folder");
  put(folder / "old", "old");
  const std::pair<std::string, int> wrongs[] = {
      {"/dev/full", ENOSPC}, {folder / "folder", EISDIR}, {folder / "nowhere/file", ENOENT}};
  for (const auto &[path, code] : wrongs)
    for (size_t at : {0, 1, 2}) {
      std::vector<std::string> paths = {folder / "old", folder / "new"};
      paths.insert(paths.begin() + ptrdiff_t(at), path);
      Group group(paths);
      CHECK(group.commit() == at);
      CHECK(group.writers[at].error() == code);
      CHECK(folder.names() == Names{"folder", "old"});
      CHECK(contents(folder / "old") == "old");
    }
}

// What only the last step finds out.
TEST_CASE("files that have taken their places give them back where another one cannot") {
  Folder folder;
  fs::permissions(folder.path, fs::perms::all);
  put(folder / "old", "old");
  CHECK(asNobody([&] {
          umask(0);
          fs::create_directory(folder.path / "locked");
          Group group({folder / "old", folder / "new", folder / "locked/file"});
          fs::permissions(folder.path / "locked", fs::perms::owner_read | fs::perms::owner_exec);
          if (group.commit() != 2 || group.writers[2].error() != EACCES)
            return 1;
          fs::permissions(folder.path / "locked", fs::perms::owner_all);
          return fs::remove_all(folder.path / "locked") == 2
                     ? 0
                     : 2; // and the file that could not be removed
        }) == 0);
  CHECK(folder.names() == Names{"old"});
  CHECK(contents(folder / "old") == "old");
  // A folder has come to the place of the last one.
  Group group({folder / "old", folder / "new", folder / "taken"});
  fs::create_directory(folder.path / "taken");
  CHECK(group.commit() == 2);
  CHECK(group.writers[2].error() == EISDIR);
  CHECK(folder.names() == Names{"old", "taken"});
  CHECK(contents(folder / "old") == "old");
  CHECK(fs::is_directory(folder.path / "taken"));
}

TEST_CASE("many writers to one path: one whole file, nothing beside it") {
  Folder folder;
  std::string path = folder / "file";
  std::vector<std::thread> threads;
  std::vector<int> failures(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k)
        failures[size_t(i)] |= write(path, std::string(50000, char('a' + i)));
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(failures == std::vector<int>(8));
  std::string content = contents(path);
  CHECK(content == std::string(50000, content[0]));
  CHECK(folder.names() == Names{"file"});
}
