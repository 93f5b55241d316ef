# FileCheck tests: every .mlir under tests/.
import os
import shutil
import lit.formats

config.name = "keratin"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir"]
config.excludes = ["aot", "compat", "Inputs"]  # models for programs to read
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.keratin_build, "tests", "lit")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.keratin_build, "bin"), config.llvm_tools, config.environment.get("PATH", "")])
# NVIDIA's assembler, where it is.
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%{ptxas}", ptxas))
# Nothing is assembled but where a test says so: registers of kernels are not looked at, and there need not be an assembler.
config.environment["KERATIN_PTXAS"] = config.environment["KERATIN_NVJITLINK"] = ""
# Everything is compiled.
config.environment["KERATIN_CACHE"] = "off"
config.substitutions.append(("%{exits}", os.path.join(config.test_source_root, "tools", "exits.sh")))
