"""The other side of interop_test.go: one role of a messaging pattern, in pyzmq.

    peer.py ROLE bind|connect ENDPOINT HEARTBEAT_MS MECHANISM [CREDENTIAL...]

Talks with the test line by line: it prints "ready ENDPOINT" when its socket is
bound or connected, what a role says about itself below, and "done" when all
messages were there and right. Whatever is wrong ends it with a traceback.
testdata/peer.c is the same in C: keep the two equal.
"""

import sys

import zmq
from zmq.auth.thread import ThreadAuthenticator

MESSAGES = 300
MANY, LARGE = 5000, 32 << 20  # parts of the longest message, bytes of the largest
TIMEOUT_MS = 240_000
HEARTBEATS = 40  # that many may stay without an answer

# Both sides make message i from these tables, and check what they get against
# them. Keep them equal to those of interop_test.go.
SHAPES = [
    [0],
    [1],
    [0, 0],
    [32, 33],
    [5, 0, 1000],
    [0, 255, 256, 0],
    [8191, 8192, 8193],
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
    [70_000, 0],
]
TOPICS = [b"alpha", b"beta one", b"beta two,three", b"\x00nul", b"", b"\xff\xfebinary"]
SUBSCRIPTIONS = [b"\x00", b"beta"]  # SYNC comes with the last
SYNC, END = b"beta sync", b"beta end"


def content(size, seed):
    """Bytes of every value, in a period that no buffer size is a multiple of."""
    period = bytes((seed + k) % 251 for k in range(251))
    return (period * (size // 251 + 1))[:size]


def message(i):
    sizes = [1 << 20] if i % 100 == 99 else SHAPES[i % len(SHAPES)]
    return [content(size, i + k) for k, size in enumerate(sizes)]


def published(i):
    return [TOPICS[i % len(TOPICS)]] + message(i)


def expect(got, want, what):
    if got != want:
        sizes = [len(p) for p in got], [len(p) for p in want]
        raise AssertionError(f"{what}: parts of {sizes[0]} bytes, wanted {sizes[1]}, or other content")


def say(*words):
    print(*words, flush=True)


def req(s):
    for i in range(MESSAGES):
        s.send_multipart(message(i))
        expect(s.recv_multipart(), message(i + 1), f"reply {i}")


def rep(s):
    for i in range(MESSAGES):
        expect(s.recv_multipart(), message(i), f"request {i}")
        s.send_multipart(message(i + 1))


def echo(s):
    """Answers requests in whatever order they come."""
    for _ in range(MESSAGES):
        s.send_multipart(s.recv_multipart() + [b"from the peer"])


def dealer(s):
    burst = 50
    for start in range(0, MESSAGES, burst):
        for i in range(start, start + burst):
            s.send_multipart(message(i))
        for i in range(start, start + burst):
            expect(s.recv_multipart(), message(i + 1), f"answer {i}")


def router(s):
    for i in range(MESSAGES):
        peer, *parts = s.recv_multipart()
        expect([peer], [b"go\x00\xff"], "routing id")
        expect(parts, message(i), f"message {i}")
        s.send_multipart([peer] + message(i + 1))


def push(s):
    for i in range(MESSAGES):
        s.send_multipart(message(i))


def pull(s):
    for i in range(MESSAGES):
        expect(s.recv_multipart(), message(i), f"message {i}")


def big(s):
    """A message of many parts, and a large one, each way."""
    expect(s.recv_multipart(), [content(k % 300, k) for k in range(MANY)], "many parts")
    s.send_multipart([content(k % 300, k + 1) for k in range(MANY)])
    expect(s.recv_multipart(), [content(LARGE, 7)], "large message")
    s.send(content(LARGE, 8))


def pub(s):
    """Repeats SYNC until the test has written a line, then publishes."""
    poller = zmq.Poller()
    poller.register(sys.stdin.fileno(), zmq.POLLIN)
    while not poller.poll(1):
        s.send(SYNC)
    publish(s)


def xpub(s):
    """Publishes when the subscriptions are there, and sees them end."""
    wanted = sorted(b"\x01" + topic for topic in SUBSCRIPTIONS)
    expect(sorted(s.recv() for _ in wanted), wanted, "subscriptions")
    publish(s)
    wanted = sorted(b"\x00" + topic for topic in SUBSCRIPTIONS)
    expect(sorted(s.recv() for _ in wanted), wanted, "ends of subscriptions")


def publish(s):
    for i in range(MESSAGES):
        s.send_multipart(published(i))
    s.send(END)


def sub(s):
    """Says "subscribed" at the first SYNC, and ignores them."""
    for topic in SUBSCRIPTIONS:
        s.subscribe(topic)
    parts = s.recv_multipart()
    if parts == [SYNC]:
        say("subscribed")
    while parts == [SYNC]:
        parts = s.recv_multipart()
    expect_publications(s, parts)
    for topic in SUBSCRIPTIONS:
        s.unsubscribe(topic)
    say("unsubscribed")
    sys.stdin.readline()  # the connection stays until the test has seen all


def xsub(s):
    for topic in SUBSCRIPTIONS:
        s.send(b"\x01" + topic)
    expect_publications(s, s.recv_multipart())
    for topic in SUBSCRIPTIONS:
        s.send(b"\x00" + topic)
    say("unsubscribed")
    sys.stdin.readline()


def expect_publications(s, parts):
    """Receives what is published under the subscriptions, parts first, and nothing else."""
    for i in range(MESSAGES):
        if TOPICS[i % len(TOPICS)].startswith(tuple(SUBSCRIPTIONS)):
            expect(parts, published(i), f"publication {i}")
            parts = s.recv_multipart()
    expect(parts, [END], "last publication")


# What runs, on which type of socket.
ROLES = {
    "req": (req, zmq.REQ),
    "rep": (rep, zmq.REP),
    "echo": (echo, zmq.REP),
    "dealer": (dealer, zmq.DEALER),
    "router": (router, zmq.ROUTER),
    "pub": (pub, zmq.PUB),
    "xpub": (xpub, zmq.XPUB),
    "sub": (sub, zmq.SUB),
    "xsub": (xsub, zmq.XSUB),
    "push": (push, zmq.PUSH),
    "pull": (pull, zmq.PULL),
    "pair": (rep, zmq.PAIR),
    "big": (big, zmq.PAIR),
}


class OneKey:
    """Lets in the owner of one key."""

    def __init__(self, key):
        self.key = key  # in Z85, as the authenticator gives it

    def callback(self, domain, key):
        return domain == "interop" and key == self.key


def secure(context, s, server, mechanism, *credentials):
    """Sets what a mechanism takes, and returns the authenticator of a server."""
    credentials = [c.encode() for c in credentials]
    if mechanism == "plain" and not server:
        s.plain_username, s.plain_password = credentials
    elif mechanism == "curve" and not server:
        s.curve_serverkey, s.curve_publickey, s.curve_secretkey = credentials
    if mechanism == "null" or not server:
        return None
    authenticator = ThreadAuthenticator(context)
    authenticator.start()
    s.zap_domain = b"interop"
    if mechanism == "plain":
        user, password = (c.decode() for c in credentials)
        authenticator.configure_plain(domain="interop", passwords={user: password})
        s.plain_server = True
    else:
        secret, client = credentials
        authenticator.configure_curve_callback(domain="interop", credentials_provider=OneKey(client))
        s.curve_server, s.curve_secretkey = True, secret
    return authenticator


def main():
    role, side, endpoint, heartbeat, *security = sys.argv[1:]
    run, kind = ROLES[role]
    with zmq.Context() as context, context.socket(kind) as s:
        s.rcvtimeo = s.sndtimeo = s.linger = TIMEOUT_MS
        s.sndhwm = s.rcvhwm = 0
        if kind in (zmq.DEALER, zmq.ROUTER):
            s.routing_id = b"\x00py\xff"
        if int(heartbeat):
            s.heartbeat_ivl, s.heartbeat_timeout = int(heartbeat), HEARTBEATS * int(heartbeat)
        authenticator = secure(context, s, side == "bind", *security)
        try:
            if side == "bind":
                s.bind(endpoint)
            else:
                s.connect(endpoint)
            say("ready", s.last_endpoint.decode())
            run(s)
            s.close()
        finally:
            if authenticator:
                authenticator.stop()
    say("done", zmq.zmq_version())


main()
