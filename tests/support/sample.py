"""Samples of what would take long, as TestEnvironment.h has them: an n-th each day, where KERATIN_TEST_EVERY is n.
KERATIN_TEST_SEED stands for the day."""

import os
import time

SEEDS_OF_DAY = 100_000


def is_in_sample(number):
    """Whether the part of today has this one."""
    every = int(os.environ.get("KERATIN_TEST_EVERY") or 1)
    return every < 2 or (number + seed() // SEEDS_OF_DAY) % every == 0


def seed():
    return int(os.environ.get("KERATIN_TEST_SEED") or int(time.time()) // 86400 * SEEDS_OF_DAY)


def print_sample():
    """With these in the environment a program takes the same again."""
    if int(os.environ.get("KERATIN_TEST_EVERY") or 1) > 1:
        print(f"KERATIN_TEST_EVERY={os.environ['KERATIN_TEST_EVERY']} KERATIN_TEST_SEED={seed()}", flush=True)
