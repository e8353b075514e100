#ifndef GOZMQ_BYSTANDER_H
#define GOZMQ_BYSTANDER_H

/* The size of the next datagram, which stays where it is, or -errno. */
int by_next_size(int fd);

/* Cancels a thread that waits in recvfrom (0), accept4 (1) or epoll_wait (2). 1: it
 * ended. 0: it goes on waiting. -errno: there was no such thread. */
int by_cancel(int in);

#endif
