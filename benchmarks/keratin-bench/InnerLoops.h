// What the inner loops of kernels consist of, from the text of PTX or of machine code.
#ifndef KERATIN_BENCHMARKS_INNERLOOPS_H
#define KERATIN_BENCHMARKS_INNERLOOPS_H

#include <map>
#include <string>

namespace keratin::bench {

struct InnerLoop {
  int instructions = 0;
  int products = 0; // multiply-adds of f32 and products of tensor cores among them
  double share() const { return instructions ? double(products) / instructions : 0; }
};

// By the names of the kernels: the loop without loops in it that has most products, the whole
// kernel where it has no loop.
std::map<std::string, InnerLoop> innerLoopsOfPtx(const std::string &text);
// Of what nvdisasm prints.
std::map<std::string, InnerLoop> innerLoopsOfSass(const std::string &text);

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_INNERLOOPS_H
