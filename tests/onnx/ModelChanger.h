// Changes models of ONNX at random: bytes, attributes, sizes, constants, ops.
#ifndef KERATIN_TESTS_ONNX_MODELCHANGER_H
#define KERATIN_TESTS_ONNX_MODELCHANGER_H

#include <cstdint>
#include <string>

namespace keratin::tests {

// The model with some changes, the same for the same seed. `other` is a model too, whose ops may
// come in.
std::string changedModel(const std::string &model, const std::string &other, uint64_t seed);

} // namespace keratin::tests

#endif // KERATIN_TESTS_ONNX_MODELCHANGER_H
