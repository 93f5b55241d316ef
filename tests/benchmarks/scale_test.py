"""scale.py: the model of messages and of a step, on made-up numbers."""

import pytest

numpy = pytest.importorskip("numpy")

import scale  # noqa: E402

NETWORK = scale.Network("made up", 10, 1, 0.002, 0.001)


def lines(network, sizes=(8, 512, 1 << 15, 1 << 21, 1 << 24)):
    return [{"bytes": size, "ranks": ranks, "least": scale.message(network, size, ranks), "processor": 1e9} for size in sizes for ranks in (2, 4)]


def test_a_message_is_its_moves_and_its_bytes():
    # An announcement and a gather; an announcement, and for each piece an exchange and a gather.
    assert scale.message(NETWORK, 8, 2) == pytest.approx(2 * (10 + 1) + (256 + 8) * 0.002 + 16 * 0.001)
    size = 20 << 20
    assert scale.message(NETWORK, size, 4) == pytest.approx(7 * (10 + 3) + (256 * 3 + 2 * size * 3 / 4) * 0.002 + size * 0.001)


def test_the_fit_finds_what_the_times_were_made_of():
    found = scale.fit("found", lines(NETWORK))
    assert numpy.allclose([found.latency, found.overhead, found.byte, found.add], [10, 1, 0.002, 0.001], rtol=1e-6)
    assert numpy.allclose(scale.errors(found, lines(NETWORK)), 1)


def test_no_part_of_a_fit_is_negative():
    spoiled = lines(NETWORK)
    for line in spoiled[::2]:
        line["least"] *= 3
    found = scale.fit("found", spoiled)
    assert min(found.latency, found.overhead, found.byte, found.add) >= 0


def test_a_message_hides_behind_kernels_and_no_further():
    took = scale.message(NETWORK, 1 << 20, 8)
    hidden = scale.Schedule("hidden", 3 * took, {1: 1 << 20}, [("start", 1, took), ("wait", 1, 3 * took)])
    assert scale.step(hidden, NETWORK, 8) == pytest.approx(3 * took)
    bare = scale.Schedule("bare", 3 * took, {1: 1 << 20}, [("start", 1, 3 * took), ("wait", 1, 3 * took)])
    assert scale.step(bare, NETWORK, 8) == pytest.approx(4 * took)
    # Messages go one after the other.
    two = scale.Schedule("two", 2 * took, {1: 1 << 20, 2: 1 << 20}, [("start", 1, took), ("start", 2, took), ("wait", 1, 2 * took), ("wait", 2, 2 * took)])
    assert scale.step(two, NETWORK, 8) == pytest.approx(3 * took)


def test_a_simulator_is_told_what_happens_when(tmp_path):
    program = tmp_path / "simulator"
    program.write_text(f"#!/bin/sh\necho \"$@\" >{tmp_path}/said\ncat >>{tmp_path}/said\necho 12.5\n")
    program.chmod(0o755)
    events = [("start", 3, 1), ("start", 8, 3), ("wait", 8, 4), ("wait", 3, 6)]
    step = scale.Schedule("step", 7, {3: 40, 8: 10}, events)
    assert scale.simulated(program, step, scale.Network("net", 1.5, 0.5, 0.25, 0.125), 64, 0.05) == 12.5
    said = (tmp_path / "said").read_text().split("\n")
    assert said[0].startswith("64 1.5 0.5 0.25 0.125 0.05 ")
    assert said[1:] == ["start 40 1", "start 10 2", "wait 1 1", "wait 0 2", "end 1"]
