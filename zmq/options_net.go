package zmq

import "time"

// TCP and IP.
var (
	// IPv6 lets the socket use IPv6 addresses in addition to IPv4 addresses. Default false,
	// or the value of ContextIPv6. Without it, Bind and Connect refuse IPv6 addresses with
	// EINVAL.
	//
	// Implements: zmq_setsockopt(ZMQ_IPV6).
	IPv6 = define[bool](optionSpec{numIPv6, "IPV6", "IPv6", kindBool, setGet, "", false, anyType, false, 0, 1, "", nil})

	// TCPKeepalive turns the kernel's keep-alive probes on (1) or off (0). Default -1: the
	// system's setting.
	//
	// Implements: zmq_setsockopt(ZMQ_TCP_KEEPALIVE).
	TCPKeepalive = define[int](optionSpec{34, "TCP_KEEPALIVE", "TCPKeepalive", kindInt, setGet, "", -1, anyType, false, -1, 1, "", nil})

	// TCPKeepaliveCount is how many probes may go unanswered before the kernel closes the
	// connection: 1 to 127. Default -1: the system's setting.
	//
	// Implements: zmq_setsockopt(ZMQ_TCP_KEEPALIVE_CNT).
	TCPKeepaliveCount = define[int](optionSpec{35, "TCP_KEEPALIVE_CNT", "TCPKeepaliveCount", kindInt, setGet, "probes", -1, anyType, false, -1, 127, "", &optionRule{check: checkKeepalive}})

	// TCPKeepaliveIdle is how long a connection must be idle before the first probe. It is
	// rounded up to whole seconds, at most 32767 s; 0 is refused with EINVAL. A negative
	// duration, the default, means the system's setting.
	//
	// Implements: zmq_setsockopt(ZMQ_TCP_KEEPALIVE_IDLE).
	TCPKeepaliveIdle = define[time.Duration](optionSpec{36, "TCP_KEEPALIVE_IDLE", "TCPKeepaliveIdle", kindSeconds, setGet, "", forEver, anyType, false, -1, 32767, "", &optionRule{check: checkKeepalive}})

	// TCPKeepaliveInterval is the time between two probes. It is rounded up to whole
	// seconds, at most 32767 s; 0 is refused with EINVAL. A negative duration, the default,
	// means the system's setting.
	//
	// Implements: zmq_setsockopt(ZMQ_TCP_KEEPALIVE_INTVL).
	TCPKeepaliveInterval = define[time.Duration](optionSpec{37, "TCP_KEEPALIVE_INTVL", "TCPKeepaliveInterval", kindSeconds, setGet, "", forEver, anyType, false, -1, 32767, "", &optionRule{check: checkKeepalive}})

	// TCPMaxRT is how long the kernel retransmits unacknowledged data before it closes the
	// connection. Default 0: the system's setting.
	//
	// Implements: zmq_setsockopt(ZMQ_TCP_MAXRT).
	TCPMaxRT = define[time.Duration](optionSpec{80, "TCP_MAXRT", "TCPMaxRT", kindMillis, setGet, "", millis(0), anyType, false, 0, maxInt, "", nil})

	// TOS is the type-of-service byte of outgoing packets (DSCP and ECN): 0 to 255.
	// Default 0.
	//
	// Implements: zmq_setsockopt(ZMQ_TOS).
	TOS = define[int](optionSpec{57, "TOS", "TOS", kindInt, setGet, "", 0, anyType, false, 0, 255, "", nil})

	// BindToDevice restricts the connections of the socket to the network interface with
	// this name, at most 15 bytes. Default "": no restriction. It needs Linux, and before
	// Linux 5.7 also CAP_NET_RAW. If the system refuses it, Bind fails; Connect does not
	// fail, but libzmq retries the connection without limit.
	//
	// Implements: zmq_setsockopt(ZMQ_BINDTODEVICE).
	BindToDevice = define[string](optionSpec{92, "BINDTODEVICE", "BindToDevice", kindString, setGet, "bytes", "", anyType, false, 0, 15, "", nil})

	// UseFD makes the next Bind to a tcp or ipc endpoint use a socket that already listens,
	// such as one inherited from a supervisor. The Bind ignores the address in its endpoint.
	// A second Bind needs another UseFD. Setting -1, the default, cancels it.
	//
	// The descriptor is duplicated: the caller keeps the original and may close it at any
	// time. The listener that both descriptors share becomes non-blocking. A descriptor that
	// is not a listening TCP or UNIX domain socket is refused. Until a Bind has used it, Get
	// returns the number of the duplicate, which the caller must not touch.
	//
	// Implements: zmq_setsockopt(ZMQ_USE_FD).
	UseFD = define[int](optionSpec{numUseFD, "USE_FD", "UseFD", kindInt, setGet, "file descriptor", -1, anyType, false, -1, maxInt, "", &optionRule{set: setUseFD}})

	// SocksProxy is the host:port of a SOCKS5 proxy through which the socket connects over
	// TCP, at most 1024 bytes. The proxy resolves the host names in endpoints. Default "":
	// no proxy.
	//
	// Warning: libzmq aborts the process if such a socket is closed or disconnected while it
	// waits for its next attempt to connect. It waits whenever the proxy or the peer behind
	// it cannot be reached. All versions up to 4.3.5 do this.
	//
	// Implements: zmq_setsockopt(ZMQ_SOCKS_PROXY).
	SocksProxy = define[string](optionSpec{numSocksProxy, "SOCKS_PROXY", "SocksProxy", kindString, setGet, "bytes", "", anyType, false, 0, 1024, "", nil})

	// SocksUsername is the user name for the SOCKS5 proxy, at most 255 bytes. Default "": no
	// authentication. It needs libzmq 4.3.2 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_SOCKS_USERNAME), draft API.
	SocksUsername = define[string](optionSpec{99, "SOCKS_USERNAME", "SocksUsername", kindString, setGet, "bytes", "", anyType, false, 0, 255, "4.3.2", nil})

	// SocksPassword is the password for the SOCKS5 proxy, at most 255 bytes. Default "". It
	// needs libzmq 4.3.2 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_SOCKS_PASSWORD), draft API.
	SocksPassword = define[string](optionSpec{numSocksPassword, "SOCKS_PASSWORD", "SocksPassword", kindString, setGet, "bytes", "", anyType, false, 0, 255, "4.3.2", nil})

	// ReconnectStop selects the events after which the socket stops reconnecting. The
	// value is the sum of the numbers of these events: 1 (the connection was refused), 2
	// (the handshake failed) and 4 (a Disconnect; since libzmq 4.3.5). Default 0: the
	// socket never stops. It needs libzmq 4.3.3 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_RECONNECT_STOP), draft API.
	ReconnectStop = define[int](optionSpec{109, "RECONNECT_STOP", "ReconnectStop", kindInt, setGet, "bits", 0, anyType, false, 0, 7, "4.3.3", nil})

	// Metadata adds a property to the handshake, in the form "X-name:value". Peers read it
	// with Message.Property("X-name"). Each setting adds one property; a name that is
	// already set keeps its value. At most 4096 bytes; a text of exactly four bytes is
	// refused with EINVAL. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_METADATA), draft API.
	Metadata = define[string](optionSpec{95, "METADATA", "Metadata", kindString, canSet, "bytes", nil, anyType, false, 5, 4096, "", &optionRule{check: checkMetadata}})

	// LoopbackFastPath makes connections within the machine faster on Windows. It has no
	// effect elsewhere. Default false.
	//
	// Implements: zmq_setsockopt(ZMQ_LOOPBACK_FASTPATH), draft API.
	LoopbackFastPath = define[bool](optionSpec{94, "LOOPBACK_FASTPATH", "LoopbackFastPath", kindBool, setGet, "", false, anyType, false, 0, 1, "", nil})

	// InBatchSize is how much libzmq reads from a connection at once. Unit: bytes, 1024 to
	// 64 MiB; default 8192. Larger values, such as 128 KiB, make small and medium messages
	// much faster. Each connection allocates this much. It needs a libzmq with the draft
	// API.
	//
	// Implements: zmq_setsockopt(ZMQ_IN_BATCH_SIZE), draft API.
	InBatchSize = define[int](optionSpec{101, "IN_BATCH_SIZE", "InBatchSize", kindInt, setGet, "bytes", 8192, anyType, false, minBatch, maxBatch, needsDraft, nil})

	// OutBatchSize is how much libzmq writes to a connection at once. Unit: bytes, 1024 to
	// 64 MiB; default 8192. Larger values, such as 128 KiB, make small and medium messages
	// much faster. Each connection allocates this much. It needs a libzmq with the draft
	// API.
	//
	// Implements: zmq_setsockopt(ZMQ_OUT_BATCH_SIZE), draft API.
	OutBatchSize = define[int](optionSpec{102, "OUT_BATCH_SIZE", "OutBatchSize", kindInt, setGet, "bytes", 8192, anyType, false, minBatch, maxBatch, needsDraft, nil})
)

// Multicast (pgm, epgm, norm, udp).
var (
	// Rate is the maximum rate at which multicast is sent or received. Unit: kilobits per
	// second; default 100.
	//
	// Implements: zmq_setsockopt(ZMQ_RATE).
	Rate = define[int](optionSpec{8, "RATE", "Rate", kindInt, setGet, "kilobits per second", 100, anyType, false, 1, maxInt, "", nil})

	// RecoveryInterval is how long a receiver may be absent before it loses data. The sender
	// keeps the data of this period in memory. Default 10 s.
	//
	// Implements: zmq_setsockopt(ZMQ_RECOVERY_IVL).
	RecoveryInterval = define[time.Duration](optionSpec{9, "RECOVERY_IVL", "RecoveryInterval", kindMillis, setGet, "", seconds(10), anyType, false, 0, maxInt, "", nil})

	// MulticastHops is how many networks a packet may cross (its time to live): 1 to 255.
	// Default 1, the local network.
	//
	// Implements: zmq_setsockopt(ZMQ_MULTICAST_HOPS).
	MulticastHops = define[int](optionSpec{25, "MULTICAST_HOPS", "MulticastHops", kindInt, setGet, "hops", 1, anyType, false, 1, 255, "", nil})

	// MulticastMaxTPDU is the size of the largest packet. Unit: bytes; default 1500.
	//
	// Implements: zmq_setsockopt(ZMQ_MULTICAST_MAXTPDU).
	MulticastMaxTPDU = define[int](optionSpec{84, "MULTICAST_MAXTPDU", "MulticastMaxTPDU", kindInt, setGet, "bytes", 1500, anyType, false, 1, maxInt, "", nil})

	// MulticastLoop also delivers multicast packets to sockets on the sending machine.
	// Default true.
	//
	// Implements: zmq_setsockopt(ZMQ_MULTICAST_LOOP), draft API.
	MulticastLoop = define[bool](optionSpec{96, "MULTICAST_LOOP", "MulticastLoop", kindBool, setGet, "", true, anyType, false, 0, 1, "", nil})
)

// VMCI, which connects virtual machines and their host. These options return
// ErrNotSupported unless libzmq was built with VMCI. Write-only.
var (
	// VMCIBufferSize is the buffer size of a connection. Unit: bytes.
	//
	// Implements: zmq_setsockopt(ZMQ_VMCI_BUFFER_SIZE).
	VMCIBufferSize = define[uint64](optionSpec{85, "VMCI_BUFFER_SIZE", "VMCIBufferSize", kindUint64, canSet, "bytes", nil, anyType, false, 0, 0, "vmci", nil})

	// VMCIBufferMinSize is the smallest buffer size that a connection may have. Unit:
	// bytes.
	//
	// Implements: zmq_setsockopt(ZMQ_VMCI_BUFFER_MIN_SIZE).
	VMCIBufferMinSize = define[uint64](optionSpec{86, "VMCI_BUFFER_MIN_SIZE", "VMCIBufferMinSize", kindUint64, canSet, "bytes", nil, anyType, false, 0, 0, "vmci", nil})

	// VMCIBufferMaxSize is the largest buffer size that a connection may have. Unit: bytes.
	//
	// Implements: zmq_setsockopt(ZMQ_VMCI_BUFFER_MAX_SIZE).
	VMCIBufferMaxSize = define[uint64](optionSpec{87, "VMCI_BUFFER_MAX_SIZE", "VMCIBufferMaxSize", kindUint64, canSet, "bytes", nil, anyType, false, 0, 0, "vmci", nil})

	// VMCIConnectTimeout is how long one attempt to connect may take. A negative duration,
	// the default, means no limit.
	//
	// Implements: zmq_setsockopt(ZMQ_VMCI_CONNECT_TIMEOUT).
	VMCIConnectTimeout = define[time.Duration](optionSpec{88, "VMCI_CONNECT_TIMEOUT", "VMCIConnectTimeout", kindMillis, canSet, "", nil, anyType, false, -1, maxInt, "vmci", nil})
)
