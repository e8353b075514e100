/* The four programs that libzmq's own perf directory has, as one: what any user of
 * the C library does. It loads the libzmq that is named, so that it needs neither
 * headers nor anything to link with.
 *
 *   perf LIBZMQ remote_thr|local_thr|remote_lat|local_lat ENDPOINT SIZE COUNT
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REQ = 3, REP = 4, PULL = 7, PUSH = 8 };

static void *(*ctx_new)(void);
static int (*ctx_term)(void *);
static void *(*new_socket)(void *, int);
static int (*close_socket)(void *);
static int (*bind_to)(void *, const char *);
static int (*connect_to)(void *, const char *);
static int (*send_to)(void *, const void *, size_t, int);
static int (*recv_from)(void *, void *, size_t, int);

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "perf: %s failed\n", what);
        exit(1);
    }
}

static void *symbol(void *library, const char *name)
{
    void *p = dlsym(library, name);
    must(p != NULL, name);
    return p;
}

static void load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    must(library != NULL, path);
    ctx_new = symbol(library, "zmq_ctx_new");
    ctx_term = symbol(library, "zmq_ctx_term");
    new_socket = symbol(library, "zmq_socket");
    close_socket = symbol(library, "zmq_close");
    bind_to = symbol(library, "zmq_bind");
    connect_to = symbol(library, "zmq_connect");
    send_to = symbol(library, "zmq_send");
    recv_from = symbol(library, "zmq_recv");
}

int main(int argc, char **argv)
{
    must(argc == 6, "reading five arguments");
    load(argv[1]);
    const char *role = argv[2], *endpoint = argv[3];
    int size = atoi(argv[4]), count = atoi(argv[5]), throughput = strstr(role, "thr") != NULL;
    int local = strncmp(role, "local", 5) == 0;
    char *message = calloc(1, size + 1);
    must(message != NULL, "calloc");

    void *ctx = ctx_new();
    void *s = new_socket(ctx, throughput ? (local ? PULL : PUSH) : (local ? REP : REQ));
    must(s != NULL, "zmq_socket");
    must((local ? bind_to : connect_to)(s, endpoint) == 0, "zmq_bind or zmq_connect");
    for (int i = 0; i < count; i++) {
        if (!local)
            must(send_to(s, message, size, 0) == size, "zmq_send");
        if (local || !throughput)
            must(recv_from(s, message, size + 1, 0) == size, "zmq_recv of the size that was sent");
        if (local && !throughput)
            must(send_to(s, message, size, 0) == size, "zmq_send");
    }
    printf("%s: %d messages of %d bytes\n", role, count, size);
    must(close_socket(s) == 0 && ctx_term(ctx) == 0, "closing");
    free(message);
    return 0;
}
