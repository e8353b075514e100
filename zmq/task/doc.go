// Package task distributes work that is not lost with a worker. A [Queue] keeps its tasks in
// memory, delivers them over a ROUTER socket, and delivers a task again until a [Worker], which
// has a DEALER socket, acknowledges it. PUSH and PULL distribute work as well, but what a PULL
// has received is lost if its process ends.
//
//	queue, err := task.NewQueue(router, task.QueueConfig{Lease: time.Minute})
//	...
//	err = queue.Push(ctx, payload)
//
//	worker, err := task.NewWorker(dealer, task.WorkerConfig{Prefetch: 10})
//	...
//	for t, err := range worker.Tasks(ctx) {
//		...
//		err = t.Ack()
//	}
//
// # What is promised
//
// Delivery is at least once: a task that Push accepted ends up acknowledged, given to Dead, or
// in the error of Close, unless the queue's process ends. A task is delivered again if its worker refuses it, lets its lease
// end, or leaves, and the first worker may have done it by then. So workers must be able to
// handle a task twice. Tasks are delivered in the order of Push, except for those that are
// delivered again, and workers with room get one each in turn.
//
// The queue keeps its tasks in memory, so they are lost with its process, and there is no
// second queue that takes over. If work must outlive the process, keep it in a database or
// use a broker with a log on disk, such as NATS JetStream, RabbitMQ or Kafka.
//
// Every peer that can connect to the ROUTER can take tasks, so use CURVE on networks that you
// do not trust. A peer can acknowledge only tasks that it was given. What it sends otherwise
// is counted and ignored.
//
// # On the wire
//
// A worker can be any DEALER. The first byte of a message is a letter that says what it is,
// and integers are big-endian. A receipt is 12 bytes, which a worker gets with a delivery and
// sends back unchanged. In the messages A, G and E there may be up to 65,535 of them.
//
//	from a worker to the queue
//	R  window (4 bytes)                    gives me tasks, until I have this many unacknowledged
//	A  receipts                            I have done these
//	N  receipt; second part: the reason    I failed to do it, deliver it again later
//	G  receipts                            I have not begun these, take them back
//	E  milliseconds (4 bytes), receipts    let these leases end so much later from now
//	B                                      goodbye, I am leaving
//
//	from the queue to a worker
//	T  receipt, attempt (4 bytes), lease in milliseconds (4 bytes); second part: the payload
//	H                                      hello, the answer to R and sometimes sent unasked
//	B                                      goodbye, I am closing
//
// The attempt counts from 1. A worker sends R when it connects, and repeats it about once a
// second, because the queue may have restarted or the message may have been lost. The
// answer tells it that the queue is alive. The window is an absolute number, which the queue
// compares with the number of deliveries that the worker has not answered yet. Lost messages
// therefore do not put the two out of step: when the lease of a lost delivery or
// acknowledgment ends, the worker has room for another task. A worker may leave without
// goodbye.
package task
