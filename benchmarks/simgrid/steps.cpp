// A step of many ranks in SimGrid, a simulator of networks: steps RANKS LATENCY OVERHEAD BYTE ADD
// NOISE < events
//
// Numbers are microseconds, as in ../scale.py, which builds and runs this: L of a move, o of each
// message that a rank sends, G of a byte, what adding up a byte takes, and how late kernels are (a
// share of their time: the mean of an exponential distribution, drawn for each rank between any two
// events). An event is a line: "start BYTES AFTER" begins the next all_reduce, AFTER microseconds
// of kernels behind the event before; "wait MESSAGE AFTER" waits for one; "end AFTER" ends. Prints
// when the last rank has ended.
//
// Ranks hang on a switch, each by a link with a lane in each direction, which its messages share. A
// rank is two actors: one runs kernels, the other sends messages one after the other, as
// runtime/comm does.
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

namespace {

struct Event {
  enum Kind { Start, Wait, End } kind;
  size_t message; // of those that have been started, from 0 on
  double after;
};

struct Job {
  int ranks;
  double latency, overhead, byte, add, noise;
  std::vector<Event> events;
  std::vector<double> sizes; // of messages
  std::vector<sg::Mailbox *> mailboxes;

  sg::Mailbox *mailbox(int from, int to) const { return mailboxes[size_t(from) * ranks + to]; }
};

constexpr double kMicrosecond = 1e-6;
// As scale.py has them.
constexpr int kGathered = 16;
constexpr double kHashed = 16, kAnnounced = 256, kSmall = 4 << 10, kPiece = 8 << 20;

int payload; // SimGrid sends addresses; the bytes are a number

// To the ranks so far behind this one, and from those so far before it, `bytes` each.
void move(const Job &job, int rank, const std::vector<int> &distances, double bytes) {
  std::vector<sg::CommPtr> all;
  std::vector<void *> received(distances.size());
  for (size_t i = 0; i < distances.size(); ++i)
    all.push_back(job.mailbox((rank - distances[i] + job.ranks) % job.ranks, rank)
                      ->get_async<void>(&received[i]));
  for (int distance : distances) {
    all.push_back(
        job.mailbox(rank, (rank + distance) % job.ranks)->put_async(&payload, uint64_t(bytes)));
    sg::this_actor::sleep_for(job.overhead * kMicrosecond);
  }
  for (sg::CommPtr &each : all)
    each->wait();
}

void allReduce(const Job &job, int rank, double bytes) {
  std::vector<int> others;
  for (int distance = 1; distance < job.ranks; ++distance)
    others.push_back(distance);
  if (job.ranks <= kGathered)
    move(job, rank, others, kAnnounced);
  else
    for (int distance = 1; distance < job.ranks; distance *= 2)
      move(job, rank, {distance}, kHashed);
  if (bytes * job.ranks <= kSmall) {
    move(job, rank, others, bytes);
    sg::this_actor::sleep_for(bytes * job.ranks * job.add * kMicrosecond);
    return;
  }
  for (double left = bytes; left > 0; left -= kPiece) {
    const double piece = std::min(left, kPiece);
    move(job, rank, others, piece / job.ranks);
    sg::this_actor::sleep_for(piece * job.add * kMicrosecond);
    move(job, rank, others, piece / job.ranks);
  }
}

void runKernels(const Job &job, int rank, const std::vector<sg::SemaphorePtr> &started,
                const std::vector<sg::SemaphorePtr> &finished) {
  std::mt19937 random(unsigned(rank) + 1);
  std::exponential_distribution<double> late(1);
  for (const Event &event : job.events) {
    sg::this_actor::sleep_for(event.after * (1 + job.noise * late(random)) * kMicrosecond);
    if (event.kind == Event::Start)
      started[event.message]->release();
    else if (event.kind == Event::Wait)
      finished[event.message]->acquire();
  }
}

void runRank(const Job &job, int rank) {
  auto semaphores = [&] {
    std::vector<sg::SemaphorePtr> all;
    for (size_t i = 0; i < job.sizes.size(); ++i)
      all.push_back(sg::Semaphore::create(0));
    return all;
  };
  auto started = semaphores(), finished = semaphores();
  sg::Actor::create("messages", sg::this_actor::get_host(), [&job, rank, started, finished] {
    for (size_t i = 0; i < job.sizes.size(); ++i) {
      started[i]->acquire();
      allReduce(job, rank, job.sizes[i]);
      finished[i]->release();
    }
  });
  runKernels(job, rank, started, finished);
}

} // namespace

int main(int argc, char **argv) {
  sg::Engine engine(&argc, argv);
  if (argc != 7) {
    std::fprintf(stderr, "usage: steps RANKS LATENCY OVERHEAD BYTE ADD NOISE < events\n");
    return 2;
  }
  // Links as they are said to be: no factors fitted to a cluster of 2008, no cross traffic, no
  // windows of TCP.
  for (const char *option : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
                             "network/weight-S:0"})
    sg::Engine::set_config(option);
  Job job{std::atoi(argv[1]),
          std::atof(argv[2]),
          std::atof(argv[3]),
          std::atof(argv[4]),
          std::atof(argv[5]),
          std::atof(argv[6]),
          {},
          {},
          {}};
  std::string kind;
  while (std::cin >> kind) {
    double number = 0, after = 0;
    if (kind != "end")
      std::cin >> number;
    std::cin >> after;
    if (kind == "start") {
      job.events.push_back({Event::Start, job.sizes.size(), after});
      job.sizes.push_back(number);
    } else {
      job.events.push_back({kind == "wait" ? Event::Wait : Event::End, size_t(number), after});
    }
  }

  auto *zone = sg::create_star_zone("network");
  for (int rank = 0; rank < job.ranks; ++rank) {
    const std::string name = "rank " + std::to_string(rank);
    const sg::Host *host = zone->create_host(name, 1e9);
    const sg::Link *link = zone->create_split_duplex_link(name, 1 / (job.byte * kMicrosecond))
                               ->set_latency(job.latency / 2 * kMicrosecond)
                               ->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                    {{link, sg::LinkInRoute::Direction::UP}}, true);
  }
  zone->seal();
  for (int from = 0; from < job.ranks; ++from)
    for (int to = 0; to < job.ranks; ++to)
      job.mailboxes.push_back(
          sg::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(to)));
  for (int rank = 0; rank < job.ranks; ++rank)
    sg::Actor::create("kernels", sg::Host::by_name("rank " + std::to_string(rank)),
                      [&job, rank] { runRank(job, rank); });
  engine.run();
  std::printf("%.9g\n", sg::Engine::get_clock() / kMicrosecond);
  return 0;
}
