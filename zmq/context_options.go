package zmq

// Context options. Those about threads and MaxSockets can only be set before the
// context has its first socket: give them to NewContext. The others count for
// sockets that are made after them.
var (
	// IOThreads is how many threads libzmq starts to serve the connections of the
	// context's sockets; one is enough up to about a gigabyte a second. 0 to 256;
	// default 1. With 0, sockets can use inproc only. Before the first socket.
	//
	// libzmq: ZMQ_IO_THREADS.
	IOThreads = knownContext[int]("IO_THREADS")

	// MaxSockets is how many sockets the context can have at a time. 1 to 65535,
	// and not above SocketLimit; default 1023. Before the first socket.
	//
	// libzmq: ZMQ_MAX_SOCKETS.
	MaxSockets = knownContext[int]("MAX_SOCKETS")

	// SocketLimit is the largest value that MaxSockets can have. Read only.
	//
	// libzmq: ZMQ_SOCKET_LIMIT.
	SocketLimit = knownContext[int]("SOCKET_LIMIT")

	// ThreadPriority is the priority of the context's threads: 1 to 99 with the
	// policies fifo and round robin; with the others any value asks for the highest
	// niceness that there is. It needs the right to do so (on Linux CAP_SYS_NICE),
	// otherwise the context does not start. Before the first socket; set only.
	//
	// libzmq: ZMQ_THREAD_PRIORITY.
	ThreadPriority = knownContext[int]("THREAD_PRIORITY")

	// ThreadSchedPolicy is the scheduling policy of the context's threads, by the
	// system's number; on Linux 0 other, 1 fifo, 2 round robin, 3 batch, 5 idle.
	// Fifo and round robin need ThreadPriority and the right to use them, otherwise
	// the context does not start. Default -1: as the system has it; that cannot be
	// set again. Before the first socket.
	//
	// libzmq: ZMQ_THREAD_SCHED_POLICY.
	ThreadSchedPolicy = knownContext[int]("THREAD_SCHED_POLICY")

	// ThreadAffinityCPUAdd allows the context's threads to run on a CPU, by its
	// number; the first CPU that is added forbids all others. It must be one that
	// this process may use. Before the first socket; set only.
	//
	// libzmq: ZMQ_THREAD_AFFINITY_CPU_ADD.
	ThreadAffinityCPUAdd = knownContext[int]("THREAD_AFFINITY_CPU_ADD")

	// ThreadAffinityCPURemove takes back a CPU that ThreadAffinityCPUAdd has added.
	// Before the first socket; set only.
	//
	// libzmq: ZMQ_THREAD_AFFINITY_CPU_REMOVE.
	ThreadAffinityCPURemove = knownContext[int]("THREAD_AFFINITY_CPU_REMOVE")

	// ThreadNamePrefix is a number that is put before the names of the context's
	// threads, to tell contexts apart in ps and in debuggers. Default 0: none.
	// Before the first socket.
	//
	// libzmq: ZMQ_THREAD_NAME_PREFIX.
	ThreadNamePrefix = knownContext[int]("THREAD_NAME_PREFIX")

	// ContextMaxMessageSize is the longest part that a socket of the context may
	// send. Unit: bytes; default 2147483647. The limit for receiving is
	// MaxMessageSize.
	//
	// libzmq: ZMQ_MAX_MSGSZ.
	ContextMaxMessageSize = knownContext[int]("MAX_MSGSZ")

	// MessageStructSize is the size of libzmq's zmq_msg_t. Unit: bytes. Read only.
	//
	// libzmq: ZMQ_MSG_T_SIZE.
	MessageStructSize = knownContext[int]("MSG_T_SIZE")

	// ContextIPv6 is what IPv6 is on new sockets. Default false.
	//
	// libzmq: ZMQ_IPV6.
	ContextIPv6 = knownContext[bool]("IPV6")

	// Blocky says what libzmq's Linger is on new sockets: for ever if true, 0 if
	// false. Default true. See Linger for the sockets that are closed without it.
	//
	// libzmq: ZMQ_BLOCKY.
	Blocky = knownContext[bool]("BLOCKY")

	// ZeroCopyRecv lets received parts of 33 bytes to 8 KiB share the buffer into
	// which they were read: faster, but one small Message that is kept holds 18 KiB.
	// Default true. False gives each its own memory.
	//
	// libzmq: ZMQ_ZERO_COPY_RECV, of the draft API.
	ZeroCopyRecv = knownContext[bool]("ZERO_COPY_RECV")
)
