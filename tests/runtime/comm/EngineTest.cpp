// Engines that a program brings, and what launchers say.
#include "tests/runtime/comm/Ranks.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace keratin::tests;
using Catch::Matchers::Contains;

namespace {

// An engine of one rank that does what it is asked for and counts it, or fails.
struct OwnEngine {
  keratin_comm_t table = {};
  int moves = 0, closed = 0;
  bool fails = false, saysWhy = true;

  OwnEngine() {
    table.bytes = sizeof(table);
    table.abi_version = KERATIN_COMM_ABI_VERSION;
    table.name = "my own";
    table.user = this;
    table.size = 1;
    table.move = [](void *user, const keratin_move_t *move, keratin_status_t *status) {
      auto *self = static_cast<OwnEngine *>(user);
      ++self->moves;
      if (self->fails) {
        if (self->saysWhy) {
          status->code = KERATIN_INTERNAL;
          std::strcpy(status->message, "the wire is cut");
        }
        return KERATIN_INTERNAL;
      }
      std::memcpy(move->receive, move->send, size_t(move->parts[0]));
      return KERATIN_OK;
    };
    table.close = [](void *user) { ++static_cast<OwnEngine *>(user)->closed; };
  }
};

Outcome create(keratin_comm_t &table) {
  keratin_group_t *group = nullptr;
  keratin_status_t status = {};
  keratin_group_create(&table, &group, &status);
  keratin_group_destroy(group);
  return outcome(status);
}

class Environment {
public:
  explicit Environment(const std::map<std::string, std::string> &values) {
    for (const char *name :
         {"KERATIN_RANK", "KERATIN_RANKS", "KERATIN_JOB", "OMPI_COMM_WORLD_RANK",
          "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMIX_RANK", "SLURM_PROCID",
          "SLURM_NTASKS", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "KERATIN_COLLECTIVE_TIMEOUT",
          "KERATIN_MPI_LIBRARY"})
      unsetenv(name);
    for (const auto &[name, value] : values) {
      setenv(name.c_str(), value.c_str(), 1);
      names.push_back(name);
    }
  }
  ~Environment() {
    for (const std::string &name : names)
      unsetenv(name.c_str());
  }

private:
  std::vector<std::string> names;
};

// "rank/size engine", or the message.
std::string launched(const std::map<std::string, std::string> &values) {
  Environment environment(values);
  keratin_comm_t *comm = nullptr;
  keratin_status_t status = {};
  if (keratin_comm_open(&comm, &status))
    return status.message;
  std::string text =
      std::to_string(comm->rank) + "/" + std::to_string(comm->size) + " " + comm->name;
  if (comm->close)
    comm->close(comm->user);
  return text;
}

} // namespace

TEST_CASE("a program may bring its own engine") {
  OwnEngine own;
  keratin_group_t *group = nullptr;
  REQUIRE(keratin_group_create(&own.table, &group, nullptr) == KERATIN_OK);
  CHECK(std::string(keratin_group_engine(group)) == "my own");
  CHECK(keratin_group_rank(group) == 0);
  CHECK(keratin_group_size(group) == 1);
  float value = 3, result = 0;
  CHECK(run(group, collective(KERATIN_ALL_REDUCE, KERATIN_DTYPE_FLOAT32, &value, 1, &result, 1))
            .code == KERATIN_OK);
  CHECK(result == 3);
  CHECK(own.moves > 0);
  keratin_group_destroy(group);
  CHECK(own.closed == 1);
}

TEST_CASE("an engine that fails breaks the group, and says why each time") {
  OwnEngine own;
  keratin_group_t *group = nullptr;
  REQUIRE(keratin_group_create(&own.table, &group, nullptr) == KERATIN_OK);
  own.fails = true;
  CHECK(barrier(group).message == "barrier on rank 0 of 1: the wire is cut");
  own.fails = false;
  CHECK(barrier(group).message ==
        "the group is broken since an earlier collective: the wire is cut");
  keratin_group_fail(group, "not sent any more");
  CHECK(own.moves == 1);
  keratin_group_destroy(group);
}

TEST_CASE("an engine that fails without a word is named") {
  OwnEngine own;
  own.fails = true;
  own.saysWhy = false;
  keratin_group_t *group = nullptr;
  REQUIRE(keratin_group_create(&own.table, &group, nullptr) == KERATIN_OK);
  CHECK(barrier(group).message == "barrier on rank 0 of 1: my own failed");
  keratin_group_destroy(group);
}

TEST_CASE("tables of engines are checked, and closed if they are not taken") {
  auto check = [](const std::function<void(OwnEngine &)> &spoil, const std::string &message) {
    OwnEngine own;
    spoil(own);
    Outcome made = create(own.table);
    CHECK(made.code == KERATIN_INVALID_ARGUMENT);
    CHECK_THAT(made.message, Contains(message));
    CHECK(own.closed == 1);
  };
  check([](auto &own) { own.table.abi_version = 9; }, "needed are version 1 and 48 bytes");
  check([](auto &own) { own.table.bytes = 8; }, "the engine has version 1 and 8 bytes");
  check([](auto &own) { own.table.name = nullptr; }, "name of the engine is NULL");
  check([](auto &own) { own.table.move = nullptr; }, "move of the engine is NULL");
  check([](auto &own) { own.table.rank = 1; },
        "rank 1 of 1 ranks; a rank is from 0 to their number less 1");
}

TEST_CASE("the time limit of the environment") {
  for (const char *text : {"soon", "-1", "0", "3s"}) {
    Environment environment({{"KERATIN_COLLECTIVE_TIMEOUT", text}});
    OwnEngine own;
    CHECK(create(own.table).message == std::string("KERATIN_COLLECTIVE_TIMEOUT is '") + text +
                                           "'; needed is a number of seconds above 0");
  }
  Environment environment({{"KERATIN_COLLECTIVE_TIMEOUT", "2.5"}});
  OwnEngine own;
  CHECK(create(own.table).code == KERATIN_OK);
}

TEST_CASE("launchers") {
  CHECK(launched({}) == "0/1 one rank");
  CHECK(launched({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}) == "0/1 one rank");
  CHECK(launched({{"KERATIN_RANK", "0"}, {"KERATIN_RANKS", "1"}, {"KERATIN_JOB", newJob()}}) ==
        "0/1 shared memory");
  CHECK_THAT(launched({{"KERATIN_RANK", "0"}, {"KERATIN_RANKS", "1"}}),
             Contains("KERATIN_JOB is not; needed is a name"));
  CHECK(launched({{"KERATIN_RANK", "2"}, {"KERATIN_RANKS", "2"}, {"KERATIN_JOB", "x"}}) ==
        "KERATIN_RANK is '2' and KERATIN_RANKS is '2'; needed are a rank from 0 on, and a larger "
        "number of ranks");
  CHECK_THAT(launched({{"RANK", "one"}, {"WORLD_SIZE", "2"}}), Contains("RANK is 'one'"));
  CHECK_THAT(launched({{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"LOCAL_WORLD_SIZE", "2"}}),
             Contains("torchrun has started 4 ranks, 2 of them on this machine; not implemented"));
}

TEST_CASE("what is not MPI is not taken for it") {
  CHECK_THAT(
      launched(
          {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"KERATIN_MPI_LIBRARY", "/nowhere/libmpi.so"}}),
      Contains("the library that KERATIN_MPI_LIBRARY names cannot be opened"));
  CHECK_THAT(launched({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"KERATIN_MPI_LIBRARY", "libm.so.6"}}),
             Contains("MPI: 'libm.so.6' has no function MPI_Initialized"));
}

TEST_CASE("one rank does all collectives by itself") {
  Environment environment({});
  keratin_comm_t *comm = nullptr;
  REQUIRE(keratin_comm_open(&comm, nullptr) == KERATIN_OK);
  keratin_group_t *group = nullptr;
  REQUIRE(keratin_group_create(comm, &group, nullptr) == KERATIN_OK);
  const std::vector<float> send = {1, 2, 3};
  for (int32_t kind = 0; kind <= KERATIN_BARRIER; ++kind)
    for (int32_t neighbour : {0, -1}) {
      if (neighbour < 0 && kind != KERATIN_PERMUTE)
        continue;
      std::vector<float> receive(3, -1);
      keratin_collective_t wanted =
          collective(kind, KERATIN_DTYPE_FLOAT32, send.data(), 3, receive.data(), 3);
      wanted.from = wanted.to = neighbour;
      CHECK(run(group, wanted).message == "");
      bool isLeft = kind == KERATIN_BARRIER || neighbour < 0;
      CHECK(receive == (isLeft ? std::vector<float>(3, -1) : send));
    }
  keratin_group_destroy(group);
}
