/* A libzmq that is compiled into the program. cmd/zvendor generates its package, which this
 * file is the interface to: the generated code declares the same structure again, because a
 * package in another module cannot include this header. */
#ifndef GOZMQ_VENDORED_H
#define GOZMQ_VENDORED_H

/* The value of layout. It changes with the structure, but the first three fields stay. */
enum { GZ_VENDORED_LAYOUT = 1 };

typedef struct gozmq_vendored {
  int layout;
  struct gozmq_vendored *next;
  const char *package; /* its import path */
  /* The address of a function of libzmq's API, by its name in C, or NULL. */
  void *(*function)(const char *name);
  /* The address of the variable that holds a function of the C library, through which this
   * libzmq calls that function. NULL if it calls the function directly. */
  void *(*import)(const char *name);
} gozmq_vendored;

/* The list of these libraries. The linker makes one variable of this one and those of the
 * generated packages, because all are common symbols: without such a package it is NULL, and
 * neither side needs the other. Constructors fill it before Go's main starts. */
extern gozmq_vendored *gozmq_vendored_list;

/* The library whose functions fill the table, or NULL. */
extern const gozmq_vendored *gz_taken;

/* Fills the table with the functions of v. Returns the name of a function that is missing,
 * or NULL. */
const char *gz_take(const gozmq_vendored *v);

#endif
