/* Counts who holds the contents of messages: structures that were filled and are to
 * be closed or sent. */
#ifndef GOZMQ_MSGWATCH_H
#define GOZMQ_MSGWATCH_H

#include "../api.h"

/* From now on the functions of the table count. */
void mw_begin(gz_api *table);

/* What somebody holds: where it lies, its size, and by how many structures. */
typedef struct mw_content {
  void *data;
  int64_t size;
  int64_t holders;
} mw_content;

/* Describes as many contents as there is room for, and returns how many there are. */
int mw_contents(mw_content *list, int room);

#endif
