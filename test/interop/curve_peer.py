"""The other side of curve_test.go: keys, certificates and authentication, in pyzmq.

    curve_peer.py ROLE ARGUMENT...

Talks with the test line by line, as peer.py does: "ready ENDPOINT" when its socket
is bound or connected, then what a role says about itself below, then "done".
"""

import logging
import sys

import zmq
import zmq.auth
from zmq.auth.thread import ThreadAuthenticator
from zmq.utils import z85

TIMEOUT_MS = 240_000


def say(*words):
    print(*words, flush=True)


def open_socket(context, kind):
    s = context.socket(kind)
    s.rcvtimeo = s.sndtimeo = s.linger = TIMEOUT_MS
    return s


def client(endpoint, mechanism, *credentials):
    """Connects, sends "from python", and waits for the answer; or, "refused", for a line."""
    with zmq.Context() as context, open_socket(context, zmq.DEALER) as s:
        if mechanism == "curve":
            server_key, public, secret = credentials
            s.curve_serverkey = server_key.encode()
            s.curve_publickey, s.curve_secretkey = public.encode(), secret.encode()
        elif mechanism == "plain":
            s.plain_username, s.plain_password = (c.encode() for c in credentials)
        s.connect(endpoint)
        say("ready", endpoint)
        try:
            s.send(b"from python", zmq.DONTWAIT)
        except zmq.Again:
            pass  # it was refused by now, and libzmq does not connect again
        if sys.stdin.readline() == "refused\n":
            s.linger = 0
        else:
            assert s.recv() == b"from go"


def server(mechanism, *arguments):
    """Lets in who authenticates, and answers "from python USER-ID" to each message."""
    with zmq.Context() as context, open_socket(context, zmq.REP) as s:
        authenticator = ThreadAuthenticator(context)
        authenticator.start()
        try:
            if mechanism == "curve":
                secret, directory = arguments
                authenticator.configure_curve(domain="*", location=directory)
                s.curve_server, s.curve_secretkey = True, secret.encode()
            else:
                user, password = arguments
                authenticator.configure_plain(domain="*", passwords={user: password})
                s.plain_server = True
            s.bind("tcp://127.0.0.1:*")
            say("ready", s.last_endpoint.decode())
            request = s.recv(copy=False)
            assert request.bytes == b"from go", request.bytes
            s.send(b"from python " + request.get("User-Id").encode())
            sys.stdin.readline()  # the reply has arrived
        finally:
            authenticator.stop()


def create(directory, name):
    zmq.auth.create_certificates(directory, name, metadata={"name": "Ada", "team": "blue sky"})


def load(path, public, secret):
    got = zmq.auth.load_certificate(path)
    want = (public.encode(), secret.encode() or None)
    assert got == want, f"{path}: other keys"


def load_all(directory, *publics):
    got = zmq.auth.load_certificates(directory)
    assert set(got) == {p.encode() for p in publics}, f"{directory}: {sorted(got)}"


def codec():
    """Encodes and decodes what it is given in hexadecimal, and checks keys, line by line."""
    for line in sys.stdin:
        word, argument = line.split()
        if word == "encode":
            say(z85.encode(bytes.fromhex(argument)).decode())
        elif word == "public":
            say(zmq.curve_public(bytes.fromhex(argument)).decode())


logging.basicConfig(level=logging.ERROR)
role, *arguments = sys.argv[1:]
{"client": client, "server": server, "create": create, "load": load, "load_all": load_all, "codec": codec}[role](*arguments)
say("done", zmq.zmq_version())
