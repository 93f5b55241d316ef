#include <keratin/object.h>
#include <keratin/runtime.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  const int64_t dims[] = {2};
  float data[] = {1, 2.5f};
  keratin_tensor_t tensor = {data, KERATIN_DTYPE_FLOAT32, 1, dims, NULL, NULL};
  char text[64];
  size_t length;
  keratin_status_t status;
  if (keratin_format(&tensor, text, sizeof text, &length, &status) != KERATIN_OK)
    return 1;
  puts(text);
  return strcmp(text, "[1.  2.5]") != 0;
}
