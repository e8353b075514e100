"""A worker of a task.Queue in Python: worker.py ENDPOINT [fail]

It prints each payload, and acknowledges the task. With "fail", it refuses the first
attempt of every task. It ends when it gets a task with the payload "stop".
"""
import struct
import sys
import time

import zmq

context = zmq.Context()
dealer = context.socket(zmq.DEALER)
dealer.connect(sys.argv[1])
fail = "fail" in sys.argv[2:]
window, heartbeat = 10, 1.0
announced = 0.0
running = True
while running:
    if time.monotonic() - announced >= heartbeat:
        dealer.send(b"R" + struct.pack(">I", window))
        announced = time.monotonic()
    if not dealer.poll(int(heartbeat * 1000)):
        continue
    message = dealer.recv_multipart()
    head = message[0]
    if head[:1] != b"T":
        continue
    receipt, (attempt, lease) = head[1:13], struct.unpack(">II", head[13:])
    if fail and attempt == 1:
        dealer.send_multipart([b"N" + receipt, b"not the first time"])
        continue
    running = message[1] != b"stop"
    print(message[1].decode(), flush=True)
    dealer.send(b"A" + receipt)
dealer.send(b"B")
dealer.close()
context.term()  # sends what is left
