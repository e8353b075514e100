/* What the two halves of the guard share: guard_linux.c has the functions, and
 * guard_elf_linux.c makes a loaded libzmq call them. */
#ifndef GOZMQ_GUARD_H
#define GOZMQ_GUARD_H

typedef struct {
  const char *name;
  void *ours, *next; /* next: the address of the pointer that receives the old value */
  int found;
} gz_import;

/* Redirects these imports of the loaded libzmq, all or none. Returns 1 if it did. */
int gz_redirect(gz_import *imports, int count);

#endif
