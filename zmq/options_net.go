package zmq

import "time"

// TCP and IP.
var (
	// IPv6 lets the socket use IPv6 addresses in addition to IPv4 addresses. Default false,
	// or the value of ContextIPv6. Without it, Bind and Connect refuse IPv6 addresses with
	// EINVAL.
	//
	// Implements: zmq_setsockopt(ZMQ_IPV6).
	IPv6 = define[bool](optionSpec{number: numIPv6, name: "IPV6", goName: "IPv6", kind: kindBool, access: setGet, def: false})

	// TCPKeepalive turns the kernel's keep-alive probes on (1) or off (0). Default -1: the
	// system's setting.
	//
	// Implements: zmq_setsockopt(ZMQ_TCP_KEEPALIVE).
	TCPKeepalive = define[int](optionSpec{number: 34, name: "TCP_KEEPALIVE", goName: "TCPKeepalive", kind: kindInt, access: setGet, def: -1, min: -1, max: 1})

	// TCPKeepaliveCount is how many probes may go unanswered before the kernel closes the
	// connection: 1 to 127. Default -1: the system's setting.
	//
	// Implements: zmq_setsockopt(ZMQ_TCP_KEEPALIVE_CNT).
	TCPKeepaliveCount = define[int](optionSpec{number: 35, name: "TCP_KEEPALIVE_CNT", goName: "TCPKeepaliveCount", kind: kindInt, access: setGet, unit: "probes", def: -1, min: -1, max: 127, alsoCheck: checkKeepalive})

	// TCPKeepaliveIdle is how long a connection must be idle before the first probe. It is
	// rounded up to whole seconds, at most 32767 s; 0 is refused with EINVAL. A negative
	// duration, the default, means the system's setting.
	//
	// Implements: zmq_setsockopt(ZMQ_TCP_KEEPALIVE_IDLE).
	TCPKeepaliveIdle = define[time.Duration](optionSpec{number: 36, name: "TCP_KEEPALIVE_IDLE", goName: "TCPKeepaliveIdle", kind: kindSeconds, access: setGet, def: forEver, min: -1, max: 32767, alsoCheck: checkKeepalive})

	// TCPKeepaliveInterval is the time between two probes. It is rounded up to whole
	// seconds, at most 32767 s; 0 is refused with EINVAL. A negative duration, the default,
	// means the system's setting.
	//
	// Implements: zmq_setsockopt(ZMQ_TCP_KEEPALIVE_INTVL).
	TCPKeepaliveInterval = define[time.Duration](optionSpec{number: 37, name: "TCP_KEEPALIVE_INTVL", goName: "TCPKeepaliveInterval", kind: kindSeconds, access: setGet, def: forEver, min: -1, max: 32767, alsoCheck: checkKeepalive})

	// TCPMaxRT is how long the kernel retransmits unacknowledged data before it closes the
	// connection. Default 0: the system's setting.
	//
	// Implements: zmq_setsockopt(ZMQ_TCP_MAXRT).
	TCPMaxRT = define[time.Duration](optionSpec{number: 80, name: "TCP_MAXRT", goName: "TCPMaxRT", kind: kindMillis, access: setGet, def: millis(0), max: maxInt})

	// TOS is the type-of-service byte of outgoing packets (DSCP and ECN): 0 to 255.
	// Default 0.
	//
	// Implements: zmq_setsockopt(ZMQ_TOS).
	TOS = define[int](optionSpec{number: 57, name: "TOS", goName: "TOS", kind: kindInt, access: setGet, def: 0, max: 255})

	// BindToDevice restricts the connections of the socket to the network interface with
	// this name, at most 15 bytes. Default "": no restriction. It needs Linux, and before
	// Linux 5.7 also CAP_NET_RAW. If the system refuses it, Bind fails; Connect does not
	// fail, but libzmq retries the connection without limit.
	//
	// Implements: zmq_setsockopt(ZMQ_BINDTODEVICE).
	BindToDevice = define[string](optionSpec{number: 92, name: "BINDTODEVICE", goName: "BindToDevice", kind: kindString, access: setGet, unit: "bytes", def: "", max: 15})

	// UseFD makes the next Bind to a tcp or ipc endpoint use a socket that already listens,
	// such as one inherited from a supervisor. The Bind ignores the address in its endpoint.
	// A second Bind needs another UseFD. Setting -1, the default, cancels it.
	//
	// The descriptor is duplicated: the caller keeps the original and may close it at any
	// time. The listener that both descriptors share becomes non-blocking. A descriptor
	// that is not a listening TCP or UNIX domain socket is refused. Until a Bind has used
	// it, Get returns the number of the duplicate, which the caller must not touch. The
	// option is not supported on Windows.
	//
	// Implements: zmq_setsockopt(ZMQ_USE_FD).
	UseFD = define[int](optionSpec{number: numUseFD, name: "USE_FD", goName: "UseFD", kind: kindInt, access: setGet, unit: "file descriptor", def: -1, min: -1, max: maxInt, setWith: setUseFD})

	// SocksProxy is the host:port of a SOCKS5 proxy through which the socket connects over
	// TCP, at most 1024 bytes. The proxy resolves the host names in endpoints. Default "":
	// no proxy.
	//
	// Warning: libzmq aborts the process if such a socket is closed or disconnected while it
	// waits for its next attempt to connect. It waits whenever the proxy or the peer behind
	// it cannot be reached. All versions up to 4.3.5 do this.
	//
	// Implements: zmq_setsockopt(ZMQ_SOCKS_PROXY).
	SocksProxy = define[string](optionSpec{number: numSocksProxy, name: "SOCKS_PROXY", goName: "SocksProxy", kind: kindString, access: setGet, unit: "bytes", def: "", max: 1024})

	// SocksUsername is the user name for the SOCKS5 proxy, at most 255 bytes. Default "": no
	// authentication. It needs libzmq 4.3.2 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_SOCKS_USERNAME), draft API.
	SocksUsername = define[string](optionSpec{number: 99, name: "SOCKS_USERNAME", goName: "SocksUsername", kind: kindString, access: setGet, unit: "bytes", def: "", max: 255, needs: "4.3.2"})

	// SocksPassword is the password for the SOCKS5 proxy, at most 255 bytes. Default "". It
	// needs libzmq 4.3.2 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_SOCKS_PASSWORD), draft API.
	SocksPassword = define[string](optionSpec{number: numSocksPassword, name: "SOCKS_PASSWORD", goName: "SocksPassword", kind: kindString, access: setGet, unit: "bytes", def: "", max: 255, needs: "4.3.2"})

	// ReconnectStop selects the events after which the socket stops reconnecting. The
	// value is the sum of the numbers of these events: 1 (the connection was refused), 2
	// (the handshake failed) and 4 (a Disconnect; since libzmq 4.3.5). Default 0: the
	// socket never stops. It needs libzmq 4.3.3 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_RECONNECT_STOP), draft API.
	ReconnectStop = define[int](optionSpec{number: 109, name: "RECONNECT_STOP", goName: "ReconnectStop", kind: kindInt, access: setGet, unit: "bits", def: 0, max: 7, needs: "4.3.3"})

	// Metadata adds a property to the handshake, in the form "X-name:value". Peers read it
	// with Message.Property("X-name"). Each setting adds one property; a name that is
	// already set keeps its value. The text has 5 to 4096 bytes. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_METADATA), draft API.
	Metadata = define[string](optionSpec{number: 95, name: "METADATA", goName: "Metadata", kind: kindString, access: canSet, unit: "bytes", min: 5, max: 4096, alsoCheck: checkMetadata})

	// LoopbackFastPath makes connections within the machine faster on Windows. It has no
	// effect elsewhere. Default false.
	//
	// Implements: zmq_setsockopt(ZMQ_LOOPBACK_FASTPATH), draft API.
	LoopbackFastPath = define[bool](optionSpec{number: 94, name: "LOOPBACK_FASTPATH", goName: "LoopbackFastPath", kind: kindBool, access: setGet, def: false})

	// InBatchSize is how much libzmq reads from a connection at once. Unit: bytes, 1024 to
	// 64 MiB; default 8192. Larger values, such as 128 KiB, make small and medium messages
	// much faster. Each connection allocates this much. It needs a libzmq with the draft
	// API.
	//
	// Implements: zmq_setsockopt(ZMQ_IN_BATCH_SIZE), draft API.
	InBatchSize = define[int](optionSpec{number: 101, name: "IN_BATCH_SIZE", goName: "InBatchSize", kind: kindInt, access: setGet, unit: "bytes", def: 8192, min: minBatch, max: maxBatch, needs: needsDraft})

	// OutBatchSize is how much libzmq writes to a connection at once. Unit: bytes, 1024 to
	// 64 MiB; default 8192. Larger values, such as 128 KiB, make small and medium messages
	// much faster. Each connection allocates this much. It needs a libzmq with the draft
	// API.
	//
	// Implements: zmq_setsockopt(ZMQ_OUT_BATCH_SIZE), draft API.
	OutBatchSize = define[int](optionSpec{number: 102, name: "OUT_BATCH_SIZE", goName: "OutBatchSize", kind: kindInt, access: setGet, unit: "bytes", def: 8192, min: minBatch, max: maxBatch, needs: needsDraft})
)

// Multicast (pgm, epgm, norm, udp).
var (
	// Rate is the maximum rate at which multicast is sent or received. Unit: kilobits per
	// second; default 100.
	//
	// Implements: zmq_setsockopt(ZMQ_RATE).
	Rate = define[int](optionSpec{number: 8, name: "RATE", goName: "Rate", kind: kindInt, access: setGet, unit: "kilobits per second", def: 100, min: 1, max: maxInt})

	// RecoveryInterval is how long a receiver may be absent before it loses data. The sender
	// keeps the data of this period in memory. Default 10 s.
	//
	// Implements: zmq_setsockopt(ZMQ_RECOVERY_IVL).
	RecoveryInterval = define[time.Duration](optionSpec{number: 9, name: "RECOVERY_IVL", goName: "RecoveryInterval", kind: kindMillis, access: setGet, def: seconds(10), max: maxInt})

	// MulticastHops is how many networks a packet may cross (its time to live): 1 to 255.
	// Default 1, the local network.
	//
	// Implements: zmq_setsockopt(ZMQ_MULTICAST_HOPS).
	MulticastHops = define[int](optionSpec{number: 25, name: "MULTICAST_HOPS", goName: "MulticastHops", kind: kindInt, access: setGet, unit: "hops", def: 1, min: 1, max: 255})

	// MulticastMaxTPDU is the size of the largest packet. Unit: bytes; default 1500.
	//
	// Implements: zmq_setsockopt(ZMQ_MULTICAST_MAXTPDU).
	MulticastMaxTPDU = define[int](optionSpec{number: 84, name: "MULTICAST_MAXTPDU", goName: "MulticastMaxTPDU", kind: kindInt, access: setGet, unit: "bytes", def: 1500, min: 1, max: maxInt})

	// MulticastLoop also delivers multicast packets to sockets on the sending machine.
	// Default true.
	//
	// Implements: zmq_setsockopt(ZMQ_MULTICAST_LOOP), draft API.
	MulticastLoop = define[bool](optionSpec{number: 96, name: "MULTICAST_LOOP", goName: "MulticastLoop", kind: kindBool, access: setGet, def: true})
)

// VMCI, which connects virtual machines and their host. These options return
// ErrNotSupported unless libzmq was built with VMCI. Write-only.
var (
	// VMCIBufferSize is the buffer size of a connection. Unit: bytes.
	//
	// Implements: zmq_setsockopt(ZMQ_VMCI_BUFFER_SIZE).
	VMCIBufferSize = define[uint64](optionSpec{number: 85, name: "VMCI_BUFFER_SIZE", goName: "VMCIBufferSize", kind: kindUint64, access: canSet, unit: "bytes", needs: "vmci"})

	// VMCIBufferMinSize is the smallest buffer size that a connection may have. Unit:
	// bytes.
	//
	// Implements: zmq_setsockopt(ZMQ_VMCI_BUFFER_MIN_SIZE).
	VMCIBufferMinSize = define[uint64](optionSpec{number: 86, name: "VMCI_BUFFER_MIN_SIZE", goName: "VMCIBufferMinSize", kind: kindUint64, access: canSet, unit: "bytes", needs: "vmci"})

	// VMCIBufferMaxSize is the largest buffer size that a connection may have. Unit: bytes.
	//
	// Implements: zmq_setsockopt(ZMQ_VMCI_BUFFER_MAX_SIZE).
	VMCIBufferMaxSize = define[uint64](optionSpec{number: 87, name: "VMCI_BUFFER_MAX_SIZE", goName: "VMCIBufferMaxSize", kind: kindUint64, access: canSet, unit: "bytes", needs: "vmci"})

	// VMCIConnectTimeout is how long one attempt to connect may take. A negative duration,
	// the default, means no limit.
	//
	// Implements: zmq_setsockopt(ZMQ_VMCI_CONNECT_TIMEOUT).
	VMCIConnectTimeout = define[time.Duration](optionSpec{number: 88, name: "VMCI_CONNECT_TIMEOUT", goName: "VMCIConnectTimeout", kind: kindMillis, access: canSet, min: -1, max: maxInt, needs: "vmci"})
)
