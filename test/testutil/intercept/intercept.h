/* Functions that replace entries of libzmq's function table in tests. */
#ifndef GOZMQ_INTERCEPT_H
#define GOZMQ_INTERCEPT_H

#include "../../../internal/libzmq/api.h"

/* On Windows errno is libzmq's, and nothing here changes it. */
#ifdef _WIN32
#define gi_restore_errno(err) ((void)(err))
#else
#define gi_restore_errno(err) (errno = (err))
#endif

/* From this call on, the table's functions count which messages hold which contents. */
void gi_count_messages(gz_api *table);

/* The content of a message: its address, its size, and how many messages hold it. */
typedef struct gi_content {
  void *data;
  int64_t size;
  int64_t holders;
} gi_content;

/* Describes as many contents as there is room for, and returns how many there are. */
int gi_contents(gi_content *list, int room);

/* From this call on, the table's setsockopt aborts the process when libzmq refuses the value of
 * an option that it knows, like a libzmq built with ZMQ_ACT_MILITANT. */
void gi_abort_on_bad_options(gz_api *table);

/* How many options libzmq was asked to set. */
int64_t gi_option_calls(void);

#endif
