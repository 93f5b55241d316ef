#!/bin/sh
# exits.sh CODE COMMAND...: runs the command; succeeds if it exits with this code.
expected=$1
shift
"$@"
found=$?
[ "$found" -eq "$expected" ] || { echo "exit code $found, expected $expected" >&2; exit 1; }
