#include "benchmarks/keratin-bench/JsonLines.h"

#include <cstdio>

using namespace keratin::bench;

Json keratin::bench::parseLine(const std::string &line) { return Json::parse(line); }

void keratin::bench::printLine(const Json &object) {
  std::printf("%s\n", object.dump().c_str());
  std::fflush(stdout);
}
