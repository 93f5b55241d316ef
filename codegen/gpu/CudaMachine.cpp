#include "codegen/gpu/CudaMachine.h"

using namespace keratin::codegen;

MachineTarget keratin::codegen::cudaMachine() {
  MachineTarget machine;
  machine.triple = "nvptx64-nvidia-cuda";
  machine.cpu = "sm_80";
  machine.features = "+ptx80";
  machine.vectorBits = 0;
  machine.hasScratch = false;
  machine.hasFma = true;
  machine.hasRoundInstruction = true;
  machine.hasF16c = true;
  return machine;
}
