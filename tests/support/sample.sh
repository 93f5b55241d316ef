# Samples of what would take long, as TestEnvironment.h has them: an n-th each day, where KERATIN_TEST_EVERY is n.
# KERATIN_TEST_SEED stands for the day. To be sourced.
sample_every=${KERATIN_TEST_EVERY:-1}
sample_seed=${KERATIN_TEST_SEED:-$(($(date +%s) / 86400 * 100000))}

# is_in_sample NUMBER: whether the part of today has this one.
is_in_sample() {
  ((($1 + sample_seed / 100000) % sample_every == 0))
}

# With these in the environment a program takes the same again.
print_sample() {
  ((sample_every < 2)) || echo "KERATIN_TEST_EVERY=$sample_every KERATIN_TEST_SEED=$sample_seed"
}
