"""The other side of python_test.go, with pyzmq, written from the format alone.

    peer.py publish PUB ROUTER COUNT     binds, publishes and answers requests until its input ends
    peer.py subscribe PUB ROUTER COUNT   connects, drops every fifth live message, asks for what is missing
"""

import struct
import sys
import threading
import time

import zmq

TOPIC = b"kv@pod@model"
END = struct.pack(">q", -1)


def payload(n):
    return b"run 0, message %d" % n


def publish(ctx, pub_endpoint, router_endpoint, count):
    pub, router = ctx.socket(zmq.PUB), ctx.socket(zmq.ROUTER)
    pub.bind(pub_endpoint)
    router.bind(router_endpoint)
    print(pub.last_endpoint.decode(), router.last_endpoint.decode(), flush=True)
    kept, ended = [], threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    while not ended.is_set():
        if len(kept) < count:
            n = len(kept)
            kept.append((struct.pack(">Q", n), payload(n)))
            if n % 7:  # the others are lost on the way
                pub.send_multipart([TOPIC, *kept[n]])
        elif not router.poll(20):
            continue
        if router.poll(0):
            client, empty, start = router.recv_multipart()
            assert empty == b"", empty
            for seq, data in kept[struct.unpack(">Q", start)[0] :]:
                router.send_multipart([client, b"", TOPIC, seq, data])
            router.send_multipart([client, b"", b"", END, b""])


def subscribe(ctx, pub_endpoint, router_endpoint, count):
    sub, dealer = ctx.socket(zmq.SUB), ctx.socket(zmq.DEALER)
    sub.rcvhwm = dealer.rcvhwm = 0
    sub.subscribe(TOPIC)
    sub.connect(pub_endpoint)
    dealer.connect(router_endpoint)
    got, deadline = {}, time.monotonic() + 60
    while len(got) < count:
        assert time.monotonic() < deadline, len(got)
        while sub.poll(50):
            topic, seq, data = sub.recv_multipart()
            assert topic == TOPIC, topic
            n = struct.unpack(">Q", seq)[0]
            if n % 5:
                got[n] = data
        missing = min(set(range(count)) - got.keys(), default=None)
        if missing is None:
            break
        dealer.send_multipart([b"", struct.pack(">Q", missing)])
        while True:
            empty, topic, seq, data = dealer.recv_multipart()
            assert empty == b"", empty
            if seq == END:
                assert topic == b"" and data == b"", (topic, data)
                break
            assert topic == TOPIC, topic
            got[struct.unpack(">Q", seq)[0]] = data
    assert got == {n: payload(n) for n in range(count)}
    print("done", flush=True)


if __name__ == "__main__":
    role = {"publish": publish, "subscribe": subscribe}[sys.argv[1]]
    context = zmq.Context()
    context.linger = 0
    role(context, sys.argv[2], sys.argv[3], int(sys.argv[4]))
    context.destroy()
