/* Loads a library and succeeds if its function guard returns true. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  unsigned char (*guard)(void) = library ? (unsigned char (*)(void))dlsym(library, "guard") : NULL;
  if (!guard) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  return !guard();
}
