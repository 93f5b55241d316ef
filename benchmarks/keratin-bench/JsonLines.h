// One JSON object a line, as measurements are written and read. Reading and writing are compiled
// once, as they take seconds.
#ifndef KERATIN_BENCHMARKS_JSONLINES_H
#define KERATIN_BENCHMARKS_JSONLINES_H

#include <nlohmann/json.hpp>

#include <string>

namespace keratin::bench {

using Json = nlohmann::ordered_json;

// Throws Json::exception.
Json parseLine(const std::string &line);
// To standard output, at once.
void printLine(const Json &object);

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_JSONLINES_H
