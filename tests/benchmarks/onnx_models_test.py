"""onnx_models.py on made-up readings: no library and no clock is looked at."""

import onnx_models


def line(library, case, milliseconds):
    return {"peer": f"{library} 1.0+cpu", "name": "net", "case": case, "min_ms": milliseconds}


def test_the_least_of_the_turns_counts_and_facts_of_the_model_stand_once():
    measured, versions = onnx_models.Measured(), {}
    measured.add([line("keratin", "b1", 3.0), line("keratin", "b8", 8.0), line("openvino", "b1", 2.5)], versions)
    measured.add([line("keratin", "b1", 2.0), line("onnxruntime", "b8", 7.0), line("openvino", "b1", 2.6)], versions)
    measured.arena = {"b1": 1 << 20, "b8": 1 << 23}
    measured.compiled = onnx_models.Compiled("79, 31 different", 1.25, 0.9)
    assert list(measured.rows("net")) == [
        ["net", "b1", "2 ms", "", "2.5 ms", "1.25", "1", "79, 31 different", "1.2 s", "0.9 s"],
        ["net", "b8", "8 ms", "7 ms", "", "**0.88**", "8", "", "", ""]]
    assert versions["openvino"] == "1.0"


def test_what_the_tools_say_is_found():
    assert onnx_models.kernels_of("resnet50: 785.25 ms, 79 kernels, 31 of them different\n  2 ms  verify\n") == "79, 31 different"
    assert onnx_models.arena_of("  bytes written   91560512\n  arena bytes     18427904\n  arena at most   2\n") == 18427904
