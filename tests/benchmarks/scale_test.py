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


def test_buckets_hold_what_nothing_waits_for():
    events = [("start", 1, 1), ("wait", 1, 2), ("start", 2, 3), ("start", 3, 4), ("start", 4, 5), ("wait", 2, 6), ("wait", 3, 6), ("wait", 4, 6)]
    merged = scale.bucketed(scale.Schedule("step", 7, {1: 4, 2: 10, 3: 10, 4: 10}, events), most=20)
    assert merged.bytes == {1: 4, 2: 20, 4: 10}
    assert merged.events == [("start", 1, 1), ("wait", 1, 2), ("start", 2, 4), ("start", 4, 5), ("wait", 2, 6), ("wait", 4, 6)]
