// Two models that were linked into this program.
#include "first.h"
#include "second.h"

#include <stdio.h>
#include <string.h>

int main(void) {
  first_state_t *first;
  second_state_t *second;
  keratin_status_t status;
  float x[] = {1, 2, 3}, y[3], z[3];
  if (first_state_create(&first, &status) != KERATIN_OK ||
      second_state_create(&second, &status) != KERATIN_OK ||
      first_double_it(first, 3, x, y, NULL, 0, &status) != KERATIN_OK ||
      second_double_it(second, 3, y, z, NULL, 0, &status) != KERATIN_OK) {
    fprintf(stderr, "%s\n", status.message);
    return 1;
  }
  first_state_destroy(first);
  second_state_destroy(second);
  return z[2] != 12 || !strstr(first_keratin_metadata, "\"model\": \"first\"") ||
         !strstr(second_keratin_metadata, "\"model\": \"second\"");
}
