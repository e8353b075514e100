package zmq

import "time"

// TCP and IP.
var (
	// IPv6 lets the socket use IPv6 addresses beside IPv4 ones. Default false,
	// unless ContextIPv6 was set. Endpoints with an IPv6 address are refused
	// without it.
	//
	// libzmq: ZMQ_IPV6.
	IPv6 = known[bool](numIPv6)

	// TCPKeepalive turns the kernel's keep-alive probes on (1) or off (0). Default
	// -1: as the system has it.
	//
	// libzmq: ZMQ_TCP_KEEPALIVE.
	TCPKeepalive = known[int](34)

	// TCPKeepaliveCount is how many probes must stay without an answer before the
	// connection is given up: 1 to 127. Default -1: as the system has it.
	//
	// libzmq: ZMQ_TCP_KEEPALIVE_CNT.
	TCPKeepaliveCount = known[int](numKeepaliveCount)

	// TCPKeepaliveIdle is how long a connection must be idle before the first
	// probe. Here the unit is whole seconds: a duration is rounded up to them, and
	// at most 32767 s are possible; 0 is refused. A negative duration, the default,
	// means as the system has it.
	//
	// libzmq: ZMQ_TCP_KEEPALIVE_IDLE.
	TCPKeepaliveIdle = known[time.Duration](numKeepaliveIdle)

	// TCPKeepaliveInterval is the time from one probe to the next. Here the unit
	// is whole seconds: a duration is rounded up to them, and at most 32767 s are
	// possible; 0 is refused. A negative duration, the default, means as the system
	// has it.
	//
	// libzmq: ZMQ_TCP_KEEPALIVE_INTVL.
	TCPKeepaliveInterval = known[time.Duration](numKeepaliveIvl)

	// TCPMaxRT is how long the kernel sends unacknowledged data again before it
	// gives the connection up. Default 0: as the system has it.
	//
	// libzmq: ZMQ_TCP_MAXRT.
	TCPMaxRT = known[time.Duration](80)

	// TOS is the type-of-service byte of outgoing packets (DSCP and ECN): 0 to
	// 255. Default 0.
	//
	// libzmq: ZMQ_TOS.
	TOS = known[int](57)

	// BindToDevice ties the socket's connections to one network interface by name,
	// at most 15 bytes. Default "": none. It needs Linux, and before 5.7 also the
	// right CAP_NET_RAW; where it is refused, Bind fails and a connection is tried
	// for ever.
	//
	// libzmq: ZMQ_BINDTODEVICE.
	BindToDevice = known[string](92)

	// UseFD makes the next Bind to a tcp or ipc endpoint use a socket that already
	// listens, for example one inherited from a supervisor; the address in the
	// endpoint is then ignored. The descriptor is duplicated, so the caller keeps
	// its own and closes it when it likes; the listener behind both is made
	// non-blocking. It is for one Bind: a second one needs another UseFD. -1, the
	// default, takes it back.
	//
	// A descriptor that is no listening TCP or UNIX domain socket is refused. Get
	// returns the duplicate's number until a Bind has taken it; do not touch it.
	//
	// libzmq: ZMQ_USE_FD.
	UseFD = known[int](numUseFD)

	// SocksProxy is the host:port of a SOCKS5 proxy through which the socket
	// connects over TCP. Default "": none. Host names in endpoints are then left
	// to the proxy.
	//
	// Beware: libzmq, up to 4.3.5 at least, aborts the process when such a socket
	// is closed or disconnected while it waits to try again, that is, as long as
	// the proxy or the peer behind it cannot be reached.
	//
	// libzmq: ZMQ_SOCKS_PROXY.
	SocksProxy = known[string](numSocksProxy)

	// SocksUsername is the name to give to the SOCKS5 proxy, at most 255 bytes.
	// Default "": no authentication. Since libzmq 4.3.2.
	//
	// libzmq: ZMQ_SOCKS_USERNAME, of the draft API.
	SocksUsername = known[string](99)

	// SocksPassword is the password to give to the SOCKS5 proxy, at most 255
	// bytes. Default "". Since libzmq 4.3.2.
	//
	// libzmq: ZMQ_SOCKS_PASSWORD, of the draft API.
	SocksPassword = known[string](numSocksPassword)

	// ReconnectStop says when the socket gives up reconnecting: the sum of 1 (the
	// connection was refused) and 2 (the handshake failed); 4 (after a Disconnect)
	// exists since libzmq 4.3.5. Default 0: never. Since libzmq 4.3.3.
	//
	// libzmq: ZMQ_RECONNECT_STOP, of the draft API.
	ReconnectStop = known[int](109)

	// Metadata adds a property "X-name:value" to what the socket tells its peers
	// about itself; they read it with Message.Property("X-name"). Each setting adds
	// one; a name that was set before keeps its value. At most 4096 bytes, and not
	// exactly four. Set only.
	//
	// libzmq: ZMQ_METADATA, of the draft API.
	Metadata = known[string](numMetadata)

	// LoopbackFastPath makes connections within the machine faster on Windows; it
	// has no effect elsewhere. Default false.
	//
	// libzmq: ZMQ_LOOPBACK_FASTPATH, of the draft API.
	LoopbackFastPath = known[bool](94)

	// InBatchSize is how much libzmq reads from a connection at once. Unit: bytes,
	// 1024 to 64 MiB; default 8192. Larger values, such as 128 KiB, make small and
	// middling messages much faster. Each connection allocates that much. It needs
	// a libzmq with the draft API, otherwise it is ErrNotSupported.
	//
	// libzmq: ZMQ_IN_BATCH_SIZE, of the draft API.
	InBatchSize = known[int](101)

	// OutBatchSize is how much libzmq writes to a connection at once. Unit: bytes,
	// 1024 to 64 MiB; default 8192. Larger values, such as 128 KiB, make small and
	// middling messages much faster. Each connection allocates that much. It needs
	// a libzmq with the draft API, otherwise it is ErrNotSupported.
	//
	// libzmq: ZMQ_OUT_BATCH_SIZE, of the draft API.
	OutBatchSize = known[int](102)
)

// Multicast (pgm, epgm, norm, udp).
var (
	// Rate is the highest rate at which multicast is sent or received. Unit:
	// kilobits per second; default 100.
	//
	// libzmq: ZMQ_RATE.
	Rate = known[int](8)

	// RecoveryInterval is how long a receiver may be away before data is lost for
	// good; senders keep that much in memory. Default 10 s.
	//
	// libzmq: ZMQ_RECOVERY_IVL.
	RecoveryInterval = known[time.Duration](9)

	// MulticastHops is how many routers a packet may pass: 1 to 255. Default 1,
	// the local network.
	//
	// libzmq: ZMQ_MULTICAST_HOPS.
	MulticastHops = known[int](25)

	// MulticastMaxTPDU is the largest packet. Unit: bytes; default 1500.
	//
	// libzmq: ZMQ_MULTICAST_MAXTPDU.
	MulticastMaxTPDU = known[int](84)

	// MulticastLoop lets multicast packets come back to sockets of the same
	// machine. Default true.
	//
	// libzmq: ZMQ_MULTICAST_LOOP, of the draft API.
	MulticastLoop = known[bool](96)
)

// VMCI, between virtual machines and their host. They need a libzmq that was
// built with it, otherwise they are ErrNotSupported. Set only.
var (
	// VMCIBufferSize is the size of the buffer of a connection. Unit: bytes.
	//
	// libzmq: ZMQ_VMCI_BUFFER_SIZE.
	VMCIBufferSize = known[uint64](85)

	// VMCIBufferMinSize is the smallest buffer that a connection may have. Unit:
	// bytes.
	//
	// libzmq: ZMQ_VMCI_BUFFER_MIN_SIZE.
	VMCIBufferMinSize = known[uint64](86)

	// VMCIBufferMaxSize is the largest buffer that a connection may have. Unit:
	// bytes.
	//
	// libzmq: ZMQ_VMCI_BUFFER_MAX_SIZE.
	VMCIBufferMaxSize = known[uint64](87)

	// VMCIConnectTimeout is how long one attempt to connect may take. A negative
	// duration, the default, is no limit.
	//
	// libzmq: ZMQ_VMCI_CONNECT_TIMEOUT.
	VMCIConnectTimeout = known[time.Duration](88)
)
