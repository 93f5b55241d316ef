#!/usr/bin/env bash
# examples/pendulum: the object of a controller, in a C program that needs no C library, and the same as C99.
#   pendulum.sh BUILD SOURCE WORK CC NM
set -euo pipefail
build=$1 source=$2 work=$3 cc=$4 nm=$5
rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$build/examples/pendulum" pendulum.ktg
"$build/bin/keratin-compile" pendulum.ktg --freestanding --emit=obj -o pendulum.o --header=pendulum.h --strip-locations
"$cc" -std=c99 -O2 -Wall -Wextra -Werror -I. "$source/examples/pendulum_object.c" pendulum.o -o pendulum_object
./pendulum_object

# Without a C library: what the program takes from outside is the object's alone, which takes nothing.
"$cc" -std=c99 -O2 -Wall -Wextra -Werror -ffreestanding -fno-builtin -I. -c "$source/examples/pendulum_object.c" -o bare.o
"$cc" -r -nostdlib bare.o pendulum.o -o whole.o
undefined=$("$nm" --undefined-only whole.o)
[ -z "$undefined" ] || { echo "needs $undefined"; exit 1; }

"$build/bin/keratin-compile" pendulum.ktg --freestanding --emit=c -o pendulum.c --header=pendulum.h
"$cc" -std=c99 -O2 -Wall -Wextra -Werror -I. "$source/examples/pendulum_object.c" pendulum.c -o pendulum_c
./pendulum_c
