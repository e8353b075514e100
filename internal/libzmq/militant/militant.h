/* A libzmq that was built with ZMQ_ACT_MILITANT ends the process when an option that it
 * knows is given a value that it does not bear. */
#ifndef GOZMQ_MILITANT_H
#define GOZMQ_MILITANT_H

#include "../api.h"

/* From now on the table's setsockopt is such a one. */
void militant_begin(gz_api *table);

/* How many options it was asked to set. */
int64_t militant_calls(void);

#endif
