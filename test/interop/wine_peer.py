"""The Linux side of wine_test.go, in pyzmq.

    wine_peer.py echo SECRET
    wine_peer.py ask ENDPOINT SERVER-KEY PUBLIC SECRET

The roles are those of testdata/windows/main.go.
"""

import sys

import zmq

MESSAGES = 300
TIMEOUT_MS = 240_000


def say(*words):
    print(*words, flush=True)


def open_socket(context, kind):
    s = context.socket(kind)
    s.rcvtimeo = s.sndtimeo = s.linger = TIMEOUT_MS
    return s


def echo(secret):
    with zmq.Context() as context, open_socket(context, zmq.REP) as s:
        s.curve_server, s.curve_secretkey = True, secret.encode()
        s.bind("tcp://127.0.0.1:*")
        say("ready", s.last_endpoint.decode())
        parts = []
        while parts != [b"end"]:
            parts = s.recv_multipart()
            s.send_multipart(parts)


def content(size, seed):
    return bytes((seed + i) % 251 for i in range(size))


def ask(endpoint, server_key, public, secret):
    with zmq.Context() as context, open_socket(context, zmq.REQ) as s:
        s.curve_serverkey = server_key.encode()
        s.curve_publickey, s.curve_secretkey = public.encode(), secret.encode()
        s.connect(endpoint)
        for i in range(MESSAGES + 1):
            parts = [b"end"] if i == MESSAGES else [b"", content(33, i), content(i * 500, i)]
            s.send_multipart(parts)
            assert s.recv_multipart() == parts, i


if __name__ == "__main__":
    {"echo": echo, "ask": ask}[sys.argv[1]](*sys.argv[2:])
    say("done")
