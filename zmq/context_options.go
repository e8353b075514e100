package zmq

import "math"

// Context options. The thread options and MaxSockets must be set before the context has its
// first socket, so pass them to NewContext. The others apply to sockets created afterwards.
var (
	// IOThreads is the number of threads that serve the connections of the context's
	// sockets. One thread suffices up to about a gigabyte per second. 0 to 256; default 1.
	// With 0, sockets can only use inproc. It must be set before the first socket is
	// created.
	//
	// Implements: zmq_ctx_set(ZMQ_IO_THREADS).
	IOThreads = defineContext[int](optionSpec{1, "IO_THREADS", "IOThreads", kindInt, setGet, "", 1, anyType, true, 0, maxIOThreads, "", nil})

	// MaxSockets is the maximum number of open sockets in the context. 1 to 65535, but not
	// above SocketLimit; default 1023. It must be set before the first socket is created.
	//
	// Implements: zmq_ctx_set(ZMQ_MAX_SOCKETS).
	MaxSockets = defineContext[int](optionSpec{2, "MAX_SOCKETS", "MaxSockets", kindInt, setGet, "", 1023, anyType, true, 1, 65535, "", nil})

	// SocketLimit is the largest possible value of MaxSockets. Read-only.
	//
	// Implements: zmq_ctx_get(ZMQ_SOCKET_LIMIT).
	SocketLimit = defineContext[int](optionSpec{3, "SOCKET_LIMIT", "SocketLimit", kindInt, canGet, "", 65535, anyType, false, 0, 0, "", nil})

	// ThreadPriority is the priority of the context's threads. With the policies fifo and
	// round robin it is 1 to 99. With other policies any value lowers the nice value of the
	// threads by 20, which gives them the highest priority. It needs a privilege
	// (CAP_SYS_NICE on Linux); without it, the first NewSocket fails. It must be set before
	// the first socket is created. Write-only.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_PRIORITY).
	ThreadPriority = defineContext[int](optionSpec{3, "THREAD_PRIORITY", "ThreadPriority", kindInt, canSet, "", nil, anyType, true, 0, 99, "", nil})

	// ThreadSchedPolicy is the scheduling policy of the context's threads, as the system's
	// number. On Linux: 0 other, 1 fifo, 2 round robin, 3 batch, 5 idle. Default -1, the
	// system's policy; -1 itself cannot be set. Fifo and round robin need ThreadPriority and
	// a privilege; without them, the first NewSocket fails. It must be set before the first
	// socket is created.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_SCHED_POLICY).
	ThreadSchedPolicy = defineContext[int](optionSpec{4, "THREAD_SCHED_POLICY", "ThreadSchedPolicy", kindInt, setGet, "", -1, anyType, true, 0, 5, "", nil})

	// ThreadAffinityCPUAdd lets the context's threads run on the CPU with this number.
	// Once a CPU has been added, the threads run only on CPUs that were added. The
	// process must be allowed to use the CPU. It must be set before the first socket is
	// created. Write-only.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_AFFINITY_CPU_ADD).
	ThreadAffinityCPUAdd = defineContext[int](optionSpec{7, "THREAD_AFFINITY_CPU_ADD", "ThreadAffinityCPUAdd", kindInt, canSet, "", nil, anyType, true, 0, maxCPU - 1, "", nil})

	// ThreadAffinityCPURemove removes a CPU that ThreadAffinityCPUAdd has added. It must be
	// set before the first socket is created. Write-only.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_AFFINITY_CPU_REMOVE).
	ThreadAffinityCPURemove = defineContext[int](optionSpec{numAffinityErase, "THREAD_AFFINITY_CPU_REMOVE", "ThreadAffinityCPURemove", kindInt, canSet, "", nil, anyType, true, 0, maxCPU - 1, "", nil})

	// ThreadNamePrefix is a number that precedes the names of the context's threads. It
	// distinguishes the threads of several contexts in ps and in debuggers. Default 0: no
	// prefix. It must be set before the first socket is created.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_NAME_PREFIX).
	ThreadNamePrefix = defineContext[int](optionSpec{9, "THREAD_NAME_PREFIX", "ThreadNamePrefix", kindInt, setGet, "", 0, anyType, true, 0, math.MaxInt32, "", nil})

	// ContextMaxMessageSize is the longest part that a socket of the context may send. Unit:
	// bytes; default 2147483647. MaxMessageSize is the limit for received parts.
	//
	// Implements: zmq_ctx_set(ZMQ_MAX_MSGSZ).
	ContextMaxMessageSize = defineContext[int](optionSpec{5, "MAX_MSGSZ", "ContextMaxMessageSize", kindInt, setGet, "", math.MaxInt32, anyType, false, 0, math.MaxInt32, "", nil})

	// MessageStructSize is the size of libzmq's zmq_msg_t. Unit: bytes. Read-only.
	//
	// Implements: zmq_ctx_get(ZMQ_MSG_T_SIZE).
	MessageStructSize = defineContext[int](optionSpec{6, "MSG_T_SIZE", "MessageStructSize", kindInt, canGet, "", 64, anyType, false, 0, 0, "", nil})

	// ContextIPv6 is the initial value of IPv6 on new sockets. Default false.
	//
	// Implements: zmq_ctx_set(ZMQ_IPV6).
	ContextIPv6 = defineContext[bool](optionSpec{42, "IPV6", "ContextIPv6", kindBool, setGet, "", false, anyType, false, 0, 1, "", nil})

	// Blocky decides whether new sockets linger if their Linger is not set. With true, the
	// default, they linger for one second, or until the deadline of CloseContext. Linger.Get
	// then returns libzmq's -1. With false they behave as if Linger were 0: unsent messages
	// are dropped at once. Existing sockets do not change.
	//
	// Implements: zmq_ctx_set(ZMQ_BLOCKY).
	Blocky = defineContext[bool](optionSpec{70, "BLOCKY", "Blocky", kindBool, setGet, "", true, anyType, false, 0, 1, "", nil})

	// ZeroCopyRecv lets received parts of 33 bytes to 8 KiB share the buffer into which
	// libzmq read them. That is faster, but one small Message can keep 18 KiB in memory.
	// Default true. With false each part has memory of its own.
	//
	// Implements: zmq_ctx_set(ZMQ_ZERO_COPY_RECV), draft API.
	ZeroCopyRecv = defineContext[bool](optionSpec{10, "ZERO_COPY_RECV", "ZeroCopyRecv", kindBool, setGet, "", true, anyType, false, 0, 1, "", nil})

	// ThreadNamePrefixText is like ThreadNamePrefix, but is a text: it precedes the names of
	// the context's threads. It has 1 to 16 bytes, but not exactly four, because libzmq takes
	// four bytes for a number. The system shows only the first few bytes. Default "0". It
	// must be set before the first socket is created. It returns ErrNotSupported unless
	// libzmq was built with its draft API.
	//
	// Implements: zmq_ctx_set_ext(ZMQ_THREAD_NAME_PREFIX), zmq_ctx_get_ext, draft API.
	ThreadNamePrefixText = defineContext[string](optionSpec{9, "THREAD_NAME_PREFIX", "ThreadNamePrefixText", kindString, setGet, "bytes", nil, anyType, true, 1, 16, needsDraft, nil})
)
