// Swings up a pendulum on a cart and holds it, with the object of pendulum.cc: 4 seconds from where
// it hangs, and 3 more from when somebody strikes it. The status is 0 if it stands at the end of
// both.
//
//   keratin-compile pendulum.ktg --freestanding --emit=obj -o pendulum.o --header=pendulum.h
//   cc -I. pendulum_object.c pendulum.o -o pendulum_object
//
// Nothing of a C library is needed but to begin: where there is none (-ffreestanding) it computes
// the same and shows nothing.
#include "pendulum.h"

#if __STDC_HOSTED__
#include <stdio.h>
#define SHOW(...) printf(__VA_ARGS__)
#else
#define SHOW(...) ((void)0)
#endif

static unsigned char plan[pendulum_STATE_BYTES] __attribute__((aligned(pendulum_ALIGNMENT)));
static unsigned char memory[pendulum_control_WORKSPACE_BYTES]
    __attribute__((aligned(pendulum_ALIGNMENT)));
static unsigned char cart_memory[pendulum_cart_WORKSPACE_BYTES]
    __attribute__((aligned(pendulum_ALIGNMENT)));

// The place of the cart, the angle of the pole from the vertical, and the speeds of both.
static float now[4] = {0, 3.14159265f, 0, 0};

// So many intervals of 40 milliseconds. The controller takes the pole for lighter than it is.
static int32_t run(int count) {
  const float mass = 0.33f, supposed = 0.3f;
  for (int i = 0; i < count; ++i) {
    float force, next[4];
    int32_t result = pendulum_control(plan, now, &supposed, &force, memory);
    if (result != 0) {
      SHOW("error: %s\n", pendulum_control_message(result));
      return result;
    }
    if (i % 10 == 0)
      SHOW("%5.2f s  place %7.3f  angle %7.3f  force %7.2f\n", 0.04 * i, now[0], now[1], force);
    result = pendulum_cart(now, &force, &mass, next, cart_memory);
    if (result != 0)
      return result;
    for (int k = 0; k < 4; ++k)
      now[k] = next[k];
  }
  return 0;
}

static int isNear(float x, float limit) { return x > -limit && x < limit; }

static int stands(void) {
  SHOW("at the end  place %.4f  angle %.4f\n", now[0], now[1]);
  return isNear(now[0], 0.05f) && isNear(now[1], 0.02f) && isNear(now[2], 0.1f) &&
         isNear(now[3], 0.1f);
}

int main(void) {
  SHOW("a call: %d operations at most, %d bytes of memory\n", pendulum_control_OPERATIONS,
       pendulum_control_WORKSPACE_BYTES);
  if (pendulum_state_init(plan) != 0 || run(100) != 0 || !stands())
    return 1;
  SHOW("struck: 2 radians a second\n");
  now[3] += 2;
  return run(75) != 0 || !stands();
}
