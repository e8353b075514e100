package zmq

// Context options. The thread options and MaxSockets must be set before the context has its
// first socket, so pass them to NewContext. The others apply to sockets created afterwards.
var (
	// IOThreads is the number of threads that serve the connections of the context's
	// sockets. One thread suffices up to about a gigabyte per second. 0 to 256; default 1.
	// With 0, sockets can only use inproc. It must be set before the first socket is
	// created.
	//
	// Implements: zmq_ctx_set(ZMQ_IO_THREADS).
	IOThreads = knownContext[int]("IO_THREADS")

	// MaxSockets is the maximum number of open sockets in the context. 1 to 65535, but not
	// above SocketLimit; default 1023. It must be set before the first socket is created.
	//
	// Implements: zmq_ctx_set(ZMQ_MAX_SOCKETS).
	MaxSockets = knownContext[int]("MAX_SOCKETS")

	// SocketLimit is the largest possible value of MaxSockets. Read-only.
	//
	// Implements: zmq_ctx_get(ZMQ_SOCKET_LIMIT).
	SocketLimit = knownContext[int]("SOCKET_LIMIT")

	// ThreadPriority is the priority of the context's threads. With the policies fifo and
	// round robin it is 1 to 99. With other policies any value lowers the nice value of the
	// threads by 20, which gives them the highest priority. It needs a privilege
	// (CAP_SYS_NICE on Linux); without it, the first NewSocket fails. It must be set before
	// the first socket is created. Write-only.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_PRIORITY).
	ThreadPriority = knownContext[int]("THREAD_PRIORITY")

	// ThreadSchedPolicy is the scheduling policy of the context's threads, as the system's
	// number. On Linux: 0 other, 1 fifo, 2 round robin, 3 batch, 5 idle. Default -1, the
	// system's policy; -1 itself cannot be set. Fifo and round robin need ThreadPriority and
	// a privilege; without them, the first NewSocket fails. It must be set before the first
	// socket is created.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_SCHED_POLICY).
	ThreadSchedPolicy = knownContext[int]("THREAD_SCHED_POLICY")

	// ThreadAffinityCPUAdd lets the context's threads run on the CPU with this number.
	// Once a CPU has been added, the threads run only on CPUs that were added. The
	// process must be allowed to use the CPU. It must be set before the first socket is
	// created. Write-only.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_AFFINITY_CPU_ADD).
	ThreadAffinityCPUAdd = knownContext[int]("THREAD_AFFINITY_CPU_ADD")

	// ThreadAffinityCPURemove removes a CPU that ThreadAffinityCPUAdd has added. It must be
	// set before the first socket is created. Write-only.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_AFFINITY_CPU_REMOVE).
	ThreadAffinityCPURemove = knownContext[int]("THREAD_AFFINITY_CPU_REMOVE")

	// ThreadNamePrefix is a number that precedes the names of the context's threads. It
	// distinguishes the threads of several contexts in ps and in debuggers. Default 0: no
	// prefix. It must be set before the first socket is created.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_NAME_PREFIX).
	ThreadNamePrefix = knownContext[int]("THREAD_NAME_PREFIX")

	// ContextMaxMessageSize is the longest part that a socket of the context may send. Unit:
	// bytes; default 2147483647. MaxMessageSize is the limit for received parts.
	//
	// Implements: zmq_ctx_set(ZMQ_MAX_MSGSZ).
	ContextMaxMessageSize = knownContext[int]("MAX_MSGSZ")

	// MessageStructSize is the size of libzmq's zmq_msg_t. Unit: bytes. Read-only.
	//
	// Implements: zmq_ctx_get(ZMQ_MSG_T_SIZE).
	MessageStructSize = knownContext[int]("MSG_T_SIZE")

	// ContextIPv6 is the initial value of IPv6 on new sockets. Default false.
	//
	// Implements: zmq_ctx_set(ZMQ_IPV6).
	ContextIPv6 = knownContext[bool]("IPV6")

	// Blocky decides whether new sockets linger if their Linger is not set. With true, the
	// default, they linger for one second, or until the deadline of CloseContext. Linger.Get
	// then returns libzmq's -1. With false they behave as if Linger were 0: unsent messages
	// are dropped at once. Existing sockets do not change.
	//
	// Implements: zmq_ctx_set(ZMQ_BLOCKY).
	Blocky = knownContext[bool]("BLOCKY")

	// ZeroCopyRecv lets received parts of 33 bytes to 8 KiB share the buffer into which
	// libzmq read them. That is faster, but one small Message can keep 18 KiB in memory.
	// Default true. With false each part has memory of its own.
	//
	// Implements: zmq_ctx_set(ZMQ_ZERO_COPY_RECV), draft API.
	ZeroCopyRecv = knownContext[bool]("ZERO_COPY_RECV")
)
