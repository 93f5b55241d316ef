// The images of a function for several architectures, one after the other on the same device: each
// that suits it gives what the CPU computes, and of the others the runtime says that they do not.
#include "tests/execution/device/DeviceProgram.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace keratin::tests;

namespace {

// Products whose form is another one on sm_90a, with a sum whose blocks meet.
std::string product(const char *type) {
  std::string text = R"(
func.func @product(%a: tensor<$nx64xf32> {keratin.kind = "input", keratin.name = "a"},
                   %b: tensor<64x$nxf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<$nx$nxf32> {keratin.kind = "output"}, tensor<f32> {keratin.kind = "output"}) {
  %0 = keratin.cast %a : (tensor<$nx64xf32>) -> tensor<$nx64x$t>
  %1 = keratin.cast %b : (tensor<64x$nxf32>) -> tensor<64x$nx$t>
  %2 = keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [0] : (tensor<$nx64x$t>, tensor<64x$nx$t>) -> tensor<$nx$nx$t>
  %3 = keratin.cast %2 : (tensor<$nx$nx$t>) -> tensor<$nx$nxf32>
  %4 = keratin.reduce_sum %3 axes = [0, 1] : (tensor<$nx$nxf32>) -> tensor<f32>
  return %3, %4 : tensor<$nx$nxf32>, tensor<f32>
})";
  // Warpgroups multiply where there are enough large tiles.
  for (auto [name, value] : {std::pair("$t", type), std::pair("$n", "1024")})
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, 2, value);
  return text;
}

} // namespace

TEST_CASE("code for several architectures gives the same results on one device",
          "[device][variants]") {
  Watchdog watchdog("variants");
  const keratin_device_t &device = testedDevice();
  for (const char *type : {"f16", "bf16", "f32"}) {
    const std::string text = product(type);
    DeviceProgram program(text, "cuda:sm_80,sm_90,sm_90a");
    Inputs inputs(device, program.descriptor());
    const Outputs expected = onCpu(text);
    int64_t run = 0;
    std::vector<std::string> images = program.images();
    CHECK((std::string(type) == "f32") ==
          (std::find(images.begin(), images.end(), "ptx:sm_90a") == images.end()));
    for (const std::string &image : images) {
      INFO(type << " by " << image);
      Executable executable = program.make({0, {image}});
      if (!executable) {
        // Machine code of another architecture, or any on the emulator.
        INFO(program.error);
        CHECK(program.error.find("function 'product'") != std::string::npos);
        CHECK(image != KERATIN_CUDA_IMAGE_PTX);
        say(std::string(type) + " by " + image + ": refused");
        continue;
      }
      ++run;
      std::string error;
      double difference = 0;
      for (int again = 0; again < 4; ++again)
        difference = std::max(difference,
                              largestDifference(program.descriptor(),
                                                call(executable.get(), inputs, &error), expected));
      INFO(error);
      CHECK(difference < 2e-3);
      say(std::string(type) + " by " + image + ": ran");
    }
    CHECK(run > 0);
  }
}
