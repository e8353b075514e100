package zmq

import "math"

// Context options. The thread options and MaxSockets must be set before the context has its
// first socket, so pass them to NewContext. The others apply to sockets created afterwards.
var (
	// IOThreads is the number of threads that serve the connections of the context's
	// sockets. One thread suffices for most programs. 0 to 256; default 1.
	// With 0, sockets can only use inproc. It must be set before the first socket is
	// created.
	//
	// Implements: zmq_ctx_set(ZMQ_IO_THREADS).
	IOThreads = defineContext[int](optionSpec{number: 1, name: "IO_THREADS", goName: "IOThreads", kind: kindInt, access: setGet, def: 1, frozen: true, max: maxIOThreads})

	// MaxSockets is the maximum number of open sockets in the context. 1 to 65535, but not
	// above SocketLimit; default 1023. It must be set before the first socket is created.
	// libzmq releases closed sockets in the background, when they no longer linger. If too
	// many wait for that, NewSocket returns EMFILE.
	//
	// Implements: zmq_ctx_set(ZMQ_MAX_SOCKETS).
	MaxSockets = defineContext[int](optionSpec{number: 2, name: "MAX_SOCKETS", goName: "MaxSockets", kind: kindInt, access: setGet, def: 1023, frozen: true, min: 1, max: 65535})

	// SocketLimit is the largest possible value of MaxSockets. Read-only.
	//
	// Implements: zmq_ctx_get(ZMQ_SOCKET_LIMIT).
	SocketLimit = defineContext[int](optionSpec{number: 3, name: "SOCKET_LIMIT", goName: "SocketLimit", kind: kindInt, access: canGet, def: 65535})

	// ThreadPriority is the priority of the context's threads. With the policies fifo and
	// round robin it is 1 to 99. With other policies any value lowers the nice value of the
	// threads by 20, which gives them the highest priority. It needs a privilege
	// (CAP_SYS_NICE on Linux); without it, the first NewSocket fails. It must be set before
	// the first socket is created. Write-only.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_PRIORITY).
	ThreadPriority = defineContext[int](optionSpec{number: 3, name: "THREAD_PRIORITY", goName: "ThreadPriority", kind: kindInt, access: canSet, frozen: true, max: 99})

	// ThreadSchedPolicy is the scheduling policy of the context's threads, as the system's
	// number. On Linux: 0 other, 1 fifo, 2 round robin, 3 batch, 5 idle. Default -1, the
	// system's policy; -1 itself cannot be set. Fifo and round robin need ThreadPriority and
	// a privilege; without them, the first NewSocket fails. It must be set before the first
	// socket is created.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_SCHED_POLICY).
	ThreadSchedPolicy = defineContext[int](optionSpec{number: 4, name: "THREAD_SCHED_POLICY", goName: "ThreadSchedPolicy", kind: kindInt, access: setGet, def: -1, frozen: true, max: 5})

	// ThreadAffinityCPUAdd lets the context's threads run on the CPU with this number.
	// Once a CPU has been added, the threads run only on CPUs that were added. The
	// process must be allowed to use the CPU. It must be set before the first socket is
	// created. Write-only.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_AFFINITY_CPU_ADD).
	ThreadAffinityCPUAdd = defineContext[int](optionSpec{number: 7, name: "THREAD_AFFINITY_CPU_ADD", goName: "ThreadAffinityCPUAdd", kind: kindInt, access: canSet, frozen: true, max: maxCPU - 1})

	// ThreadAffinityCPURemove removes a CPU that ThreadAffinityCPUAdd has added. It must be
	// set before the first socket is created. Write-only.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_AFFINITY_CPU_REMOVE).
	ThreadAffinityCPURemove = defineContext[int](optionSpec{number: numAffinityErase, name: "THREAD_AFFINITY_CPU_REMOVE", goName: "ThreadAffinityCPURemove", kind: kindInt, access: canSet, frozen: true, max: maxCPU - 1})

	// ThreadNamePrefix is a number that precedes the names of the context's threads. It
	// distinguishes the threads of several contexts in ps and in debuggers. Default 0: no
	// prefix. It must be set before the first socket is created.
	//
	// Implements: zmq_ctx_set(ZMQ_THREAD_NAME_PREFIX).
	ThreadNamePrefix = defineContext[int](optionSpec{number: 9, name: "THREAD_NAME_PREFIX", goName: "ThreadNamePrefix", kind: kindInt, access: setGet, def: 0, frozen: true, max: math.MaxInt32})

	// ContextMaxMessageSize has no effect: libzmq 4.3 stores the value but does not check the
	// size of sent parts. Unit: bytes; default 2147483647. MaxMessageSize limits received
	// parts.
	//
	// Implements: zmq_ctx_set(ZMQ_MAX_MSGSZ).
	ContextMaxMessageSize = defineContext[int](optionSpec{number: 5, name: "MAX_MSGSZ", goName: "ContextMaxMessageSize", kind: kindInt, access: setGet, def: math.MaxInt32, max: math.MaxInt32})

	// MessageStructSize is the size of libzmq's zmq_msg_t. Unit: bytes. Read-only.
	//
	// Implements: zmq_ctx_get(ZMQ_MSG_T_SIZE).
	MessageStructSize = defineContext[int](optionSpec{number: 6, name: "MSG_T_SIZE", goName: "MessageStructSize", kind: kindInt, access: canGet, def: 64})

	// ContextIPv6 is the initial value of IPv6 on new sockets. Default false.
	//
	// Implements: zmq_ctx_set(ZMQ_IPV6).
	ContextIPv6 = defineContext[bool](optionSpec{number: 42, name: "IPV6", goName: "ContextIPv6", kind: kindBool, access: setGet, def: false})

	// Blocky decides whether new sockets linger if their Linger is not set. With true, the
	// default, they linger for one second, or until the deadline of CloseContext. Linger.Get
	// then returns libzmq's -1. With false they behave as if Linger were 0: unsent messages
	// are dropped at once. Existing sockets do not change.
	//
	// Implements: zmq_ctx_set(ZMQ_BLOCKY).
	Blocky = defineContext[bool](optionSpec{number: 70, name: "BLOCKY", goName: "Blocky", kind: kindBool, access: setGet, def: true})

	// ZeroCopyRecv lets received parts of 34 bytes to 8 KiB share the buffer into which
	// libzmq read them. That is faster, but one small Message can keep 18 KiB in memory.
	// Default true. With false each part has memory of its own.
	//
	// Implements: zmq_ctx_set(ZMQ_ZERO_COPY_RECV), draft API.
	ZeroCopyRecv = defineContext[bool](optionSpec{number: 10, name: "ZERO_COPY_RECV", goName: "ZeroCopyRecv", kind: kindBool, access: setGet, def: true})

	// ThreadNamePrefixText is ThreadNamePrefix as text. It has 1 to 16 bytes, but not
	// exactly four, because libzmq interprets four bytes as a number. The system shows
	// only the first few bytes. Default "0". It must be set before the first socket is
	// created. It returns ErrNotSupported unless libzmq was built with its draft API.
	//
	// Implements: zmq_ctx_set_ext(ZMQ_THREAD_NAME_PREFIX), zmq_ctx_get_ext, draft API.
	ThreadNamePrefixText = defineContext[string](optionSpec{number: 9, name: "THREAD_NAME_PREFIX", goName: "ThreadNamePrefixText", kind: kindString, access: setGet, unit: "bytes", frozen: true, min: 1, max: 16, needs: needsDraft})
)
