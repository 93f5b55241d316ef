#!/usr/bin/env bash
# The number that PATTERN stands before, in the last such line of a file, must reach LEAST, or stay below it if that begins with "<":
#   judge.sh PATTERN LEAST FILE
awk -v pattern="$1" -v least="$2" '
  { at = index($0, pattern); if (at) { split(substr($0, at + length(pattern)), rest, " "); found = rest[1] } }
  END {
    if (found == "") { print "no line with \"" pattern "\""; exit 1 }
    good = substr(least, 1, 1) == "<" ? found + 0 < substr(least, 2) + 0 : found + 0 >= least + 0
    print pattern found " against " least
    exit !good
  }' "$3"
