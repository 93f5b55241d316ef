// Rows of devices as a table in Markdown, or one JSON object a line.
#ifndef KERATIN_BENCHMARKS_DEVICEREPORT_H
#define KERATIN_BENCHMARKS_DEVICEREPORT_H

#include "benchmarks/keratin-bench/DeviceRow.h"

namespace keratin::bench {

class DeviceReport {
public:
  explicit DeviceReport(bool json) : json(json) {}

  // What is assumed, and the head of the table.
  void printBeginning(const std::string &architecture) const;
  void print(const DeviceRow &row) const;

private:
  bool json;
};

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_DEVICEREPORT_H
