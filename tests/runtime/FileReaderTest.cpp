// What the reader of files reads, what it refuses, and for whom it waits.
#include "runtime/files/FileBytes.h"
#include "tests/support/NoExit.h"
#include "tests/support/TemporaryFile.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using keratin::runtime::FileKinds;
using keratin::runtime::FileReader;
using keratin::runtime::readFile;

static constexpr uint64_t most = 1 << 20;

static const std::string &content() {
  static const std::string text = [] {
    std::string bytes;
    while (bytes.size() < 300000)
      bytes += std::to_string(bytes.size()) + "\n";
    return bytes;
  }();
  return text;
}

static void writeTo(int file, const std::string &bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t count = ::write(file, bytes.data() + done, std::min<size_t>(bytes.size() - done, 9999));
    if (count < 0)
      break;
    done += size_t(count);
  }
  ::close(file);
}

// What reading the path gives, or why it gives nothing.
static std::string read(const std::string &path, FileKinds kinds, uint64_t limit = most) {
  std::string bytes;
  std::string problem = readFile(path, kinds, limit, bytes);
  return problem.empty() ? bytes : "error: " + problem;
}

// A pipe without a name, under the name that a shell gives it.
struct Pipe {
  Pipe() { REQUIRE(::pipe2(ends, O_CLOEXEC) == 0); }
  ~Pipe() { ::close(ends[0]); }
  std::string path() const { return "/dev/fd/" + std::to_string(ends[0]); }
  int ends[2];
};

TEST_CASE("regular files are read to their end, and no further than a limit", "[reader]") {
  keratin::tests::TemporaryFile file;
  std::ofstream(file.path, std::ios::binary) << content();
  for (FileKinds kinds : {FileKinds::Regular, FileKinds::RegularOrPipe}) {
    CHECK(read(file.path, kinds) == content());
    CHECK(read(file.path, kinds, content().size()) == content());
    CHECK(read(file.path, kinds, 1000) == "error: this has more than 1000 bytes");
  }
  FileReader reader;
  REQUIRE(reader.open(file.path.c_str()));
  CHECK(reader.size() == content().size());
  std::string part(7, '\0');
  CHECK(reader.read(part.data(), 7) == 7);
  CHECK(part == content().substr(0, 7));
  std::string rest(content().size(), '\0');
  CHECK(reader.read(rest.data(), rest.size()) == ptrdiff_t(content().size() - 7));
  CHECK(reader.read(rest.data(), 1) == 0);
  std::ofstream(file.path, std::ios::binary | std::ios::trunc);
  CHECK(read(file.path, FileKinds::Regular) == "");
  // A file that does not say how long it is.
  CHECK(read("/proc/self/status", FileKinds::Regular).substr(0, 5) == "Name:");
}

TEST_CASE("how long a file may be can follow from its beginning", "[reader]") {
  keratin::tests::TemporaryFile file;
  for (size_t length : {0, 3, 8, 100000}) {
    std::ofstream(file.path, std::ios::binary) << content().substr(0, length);
    FileReader reader;
    REQUIRE(reader.open(file.path.c_str()));
    std::string bytes = "what was there before";
    REQUIRE(keratin::runtime::readBeginning(reader, 8, bytes) == "");
    CHECK(bytes == content().substr(0, std::min<size_t>(length, 8)));
    CHECK(keratin::runtime::readRest(reader, 100000, bytes) == "");
    CHECK(bytes == content().substr(0, length));
  }
  FileReader reader;
  REQUIRE(reader.open(file.path.c_str()));
  std::string bytes;
  REQUIRE(keratin::runtime::readBeginning(reader, 8, bytes) == "");
  CHECK(keratin::runtime::readRest(reader, 99999, bytes) == "this has more than 99999 bytes");
  FileReader missing;
  CHECK(!missing.open("/nowhere/at all"));
  CHECK(keratin::runtime::readBeginning(missing, 8, bytes) == "No such file or directory");
}

TEST_CASE("who is told of the bytes may end the reading", "[reader]") {
  keratin::tests::TemporaryFile file;
  const std::string text(5 << 20, 'x');
  std::ofstream(file.path, std::ios::binary) << text;
  for (size_t most : {size_t(0), size_t(1) << 20, size_t(3) << 20, 2 * text.size()}) {
    size_t told = 0;
    std::string bytes;
    const std::string problem = readFile(file.path, FileKinds::Regular, text.size(), bytes,
                                         [&](size_t more) { return (told += more) < most; });
    INFO(most);
    CHECK(problem == (most > text.size() ? "" : "the reading was ended"));
    CHECK(told < text.size());
    CHECK(bytes == text.substr(0, most > text.size() ? most : told));
  }
}

TEST_CASE("what is not there, and what is no file, is refused", "[reader]") {
  CHECK(read("/nowhere/at all", FileKinds::Regular) == "error: No such file or directory");
  for (const char *path : {"/dev/zero", "/dev/null", "/dev/full"}) {
    INFO(path);
    CHECK(read(path, FileKinds::Regular) == "error: this is not a regular file");
    CHECK(read(path, FileKinds::RegularOrPipe) ==
          "error: this is neither a regular file nor a pipe");
  }
  CHECK(read("/tmp", FileKinds::Regular) == "error: this is a folder");
  CHECK(read("/tmp", FileKinds::RegularOrPipe) == "error: this is a folder");
}

TEST_CASE("a pipe is refused at once, or read for as long as it is written to", "[reader]") {
  keratin::tests::TemporaryFile file;
  REQUIRE(::mkfifo(file.path.c_str(), 0600) == 0);
  CHECK(read(file.path, FileKinds::Regular) == "error: this is not a regular file");
  // Whoever writes comes later, and pauses.
  ssize_t written = 0;
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    int end = ::open(file.path.c_str(), O_WRONLY);
    written = ::write(end, "first ", 6);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    writeTo(end, content());
  });
  CHECK(read(file.path, FileKinds::RegularOrPipe) == "first " + content());
  writer.join();
  CHECK(written == 6);

  Pipe pipe;
  std::thread other([&] { writeTo(pipe.ends[1], content()); });
  CHECK(read(pipe.path(), FileKinds::RegularOrPipe) == content());
  other.join();
  Pipe empty;
  ::close(empty.ends[1]);
  CHECK(read(empty.path(), FileKinds::RegularOrPipe) == "");
}

TEST_CASE("a pipe that never ends is read as far as the limit", "[reader]") {
  Pipe pipe;
  std::thread writer([&] { writeTo(pipe.ends[1], content()); });
  CHECK(read(pipe.path(), FileKinds::RegularOrPipe, 1000) ==
        "error: this has more than 1000 bytes");
  CHECK(read(pipe.path(), FileKinds::RegularOrPipe).size() < content().size()); // lets it end
  writer.join();
}

TEST_CASE("nobody waits forever for a pipe", "[reader]") {
  keratin::tests::TemporaryFile file;
  REQUIRE(::mkfifo(file.path.c_str(), 0600) == 0);
  auto readsNothing = [](const std::string &path) {
    FileReader reader;
    REQUIRE(reader.open(path.c_str(), FileKinds::RegularOrPipe, /*waitSeconds=*/0));
    char byte;
    CHECK(reader.read(&byte, 1) == -1);
    CHECK(std::string(reader.refusal()) == "is a pipe that nothing comes out of");
    CHECK(reader.read(&byte, 1) == -1);
  };
  readsNothing(file.path); // that nobody has opened
  Pipe silent;             // that somebody has, and does not write to
  readsNothing(silent.path());
  ::close(silent.ends[1]);
}
