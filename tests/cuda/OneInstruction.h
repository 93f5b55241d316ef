// Runs one instruction over many operands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace keratin::ptx {

// `mnemonic` with registers of these sizes in bytes: the result's, then the operands'. 1 stands for
// a predicate, which is 0 or 1 in the values. `last` is put after the operands, as the table of
// lop3. Each operand has as many values as the others. With `wide` false the lanes are those for
// any processor.
std::vector<uint64_t> evaluate(const std::string &mnemonic, const std::vector<int> &sizes,
                               const std::vector<std::vector<uint64_t>> &operands,
                               const std::string &last = "", bool wide = true);

// Every pair of values as two lists, every triple as three.
std::vector<std::vector<uint64_t>> combinations(const std::vector<uint64_t> &values, int count);

// Values that find mistakes, as bits.
std::vector<uint64_t> specialIntegers(int bytes);
std::vector<uint64_t> specialFloats(); // f32
std::vector<uint64_t> specialDoubles();
std::vector<uint64_t> specialHalves();
std::vector<uint64_t> specialBfloats();

} // namespace keratin::ptx
