package zmq

// PUB, SUB, XPUB and XSUB.
var (
	// Subscribe adds a subscription: the socket receives messages whose first part
	// begins with the topic, which may be any bytes, at most 4096; "" is every
	// message. It counts at any time. Each subscription needs its own Unsubscribe.
	// Socket.Subscribe does the same.
	//
	// For SUB; also for XPUB with XPubManual, where it applies to the subscriber
	// whose request was received last. Before libzmq 4.3.5 topics of 246 to 255
	// bytes never match over a network and are ErrNotSupported. Set only.
	//
	// libzmq: ZMQ_SUBSCRIBE.
	Subscribe = known[string](numSubscribe)

	// Unsubscribe takes one subscription to the topic back; one that does not
	// exist is no error. Socket.Unsubscribe does the same. For SUB, and for XPUB
	// with XPubManual. Set only.
	//
	// libzmq: ZMQ_UNSUBSCRIBE.
	Unsubscribe = known[string](numUnsubscribe)

	// XPubVerbose makes an XPUB socket receive every subscription, not only the
	// first to a topic. Default false. It counts at any time, and setting it takes
	// XPubVerboser's effect on unsubscriptions back. Set only.
	//
	// libzmq: ZMQ_XPUB_VERBOSE.
	XPubVerbose = known[bool](40)

	// XPubVerboser makes an XPUB socket receive every subscription and every
	// unsubscription. Default false. It counts at any time. Set only.
	//
	// libzmq: ZMQ_XPUB_VERBOSER.
	XPubVerboser = known[bool](78)

	// XPubNoDrop makes a send of an XPUB or PUB socket wait (or fail with ErrAgain)
	// when the queue of a subscriber is full, instead of dropping the message for
	// that one. Default false. It counts at any time. Set only.
	//
	// libzmq: ZMQ_XPUB_NODROP.
	XPubNoDrop = known[bool](69)

	// WhenFull says what a PUB or XPUB socket does with a message when the queue of a
	// subscriber that is to get it is full: Drop, the default, DropCounted, Block or
	// Fail. It counts at any time, also for a send that waits.
	//
	// All but Drop are all or nothing: libzmq refuses a message if one of the matching
	// subscribers has no room, so one that is stuck keeps messages from the others,
	// until its connection ends (HeartbeatInterval finds a peer that is gone). What was
	// not refused is queued for all of them. Subscribers that do not match do not count.
	//
	// It sets XPubNoDrop, and setting that sets this to Block or Drop. Use it with Drop
	// only where XPubManualLastValue is set: a libzmq that refuses a message forgets which
	// subscriber it was for.
	//
	// libzmq has no such option.
	WhenFull = known[FullPolicy](numWhenFull)

	// XPubManual makes an XPUB socket leave subscriptions to the program: it
	// receives the request, and Subscribe or Unsubscribe then decides what the
	// sender of that request gets. Default false. Set only.
	//
	// libzmq: ZMQ_XPUB_MANUAL.
	XPubManual = known[bool](71)

	// XPubManualLastValue is XPubManual; besides, the next message is sent only to
	// the subscriber whose request was received last, for caches of last values.
	// Default false; to set that also turns XPubManual off. Set only. Since libzmq 4.3.2.
	//
	// libzmq: ZMQ_XPUB_MANUAL_LAST_VALUE, of the draft API.
	XPubManualLastValue = known[bool](98)

	// XPubWelcomeMessage is a message that an XPUB socket sends to each new
	// subscriber, which must have subscribed to its beginning to see it. At most
	// 64 KiB. Default and empty: none. Set only.
	//
	// libzmq: ZMQ_XPUB_WELCOME_MSG.
	XPubWelcomeMessage = known[[]byte](72)

	// InvertMatching turns subscriptions around: messages that match are not
	// delivered, all others are. PUB, XPUB and SUB take it, and both ends must.
	// Default false.
	//
	// libzmq: ZMQ_INVERT_MATCHING.
	InvertMatching = known[bool](74)

	// OnlyFirstSubscribe makes XPUB and XSUB look for a subscription only in the
	// first part of a message. Default false. Set only. Since libzmq 4.3.3.
	//
	// libzmq: ZMQ_ONLY_FIRST_SUBSCRIBE, of the draft API.
	OnlyFirstSubscribe = known[bool](108)

	// TopicsCount is how many topics a PUB or XPUB socket has subscribers for, or a
	// SUB or XSUB socket has subscribed to. Read only. Since libzmq 4.3.5; before,
	// it is ErrNotSupported.
	//
	// libzmq: ZMQ_TOPICS_COUNT, of the draft API.
	TopicsCount = known[int](116)
)

// ROUTER, DEALER, REQ, REP and STREAM. All of them can only be set.
var (
	// RouterMandatory makes a ROUTER fail with ErrHostUnreachable when it is to
	// send to a peer that it does not know, and wait when the queue of the peer is
	// full; without it, such messages are dropped in silence. Default false. It
	// counts at any time.
	//
	// libzmq: ZMQ_ROUTER_MANDATORY.
	RouterMandatory = known[bool](33)

	// RouterHandover makes a ROUTER give a routing id that is in use to the peer
	// that comes with it last, and close the connection to the other; without it,
	// the latecomer is ignored. Default false. It counts at any time.
	//
	// libzmq: ZMQ_ROUTER_HANDOVER.
	RouterHandover = known[bool](56)

	// RouterRaw makes a ROUTER talk to plain TCP peers, as a STREAM does. Default
	// false. It may not change after the first Bind or Connect, and cannot be taken
	// back. New programs use STREAM.
	//
	// libzmq: ZMQ_ROUTER_RAW.
	RouterRaw = known[bool](numRouterRaw)

	// ConnectRoutingID is the name under which the next Connect of a ROUTER or
	// STREAM enters the peer, so that the first message can be sent to it. 1 to 255
	// bytes that do not begin with zero, and that this socket has not used before.
	//
	// libzmq aborts the process if a peer already has the id. A ROUTER therefore
	// takes it only as long as its peers cannot choose ids: before its first Bind
	// and before any Connect without ConnectRoutingID. A program that needs both
	// uses a ROUTER of its own for it. It cannot be combined with Immediate, nor
	// with RouterHandover for a Connect to an inproc name that is not bound yet.
	//
	// libzmq: ZMQ_CONNECT_ROUTING_ID.
	ConnectRoutingID = known[[]byte](numConnectRoutingID)

	// ProbeRouter makes a ROUTER, DEALER or REQ send an empty message to each new
	// peer, so that a ROUTER there learns of it. Default false. It cannot be
	// combined with RouterRaw.
	//
	// libzmq: ZMQ_PROBE_ROUTER.
	ProbeRouter = known[bool](numProbeRouter)

	// ReqCorrelate makes a REQ put a number before each request, and drop replies
	// that do not carry it. REP, ROUTER and DEALER as a peer must return it, as REP
	// does. Default false.
	//
	// libzmq: ZMQ_REQ_CORRELATE.
	ReqCorrelate = known[bool](52)

	// ReqRelaxed lets a REQ send again before it has received a reply; the old
	// request is given up. Use it with ReqCorrelate. Default false.
	//
	// libzmq: ZMQ_REQ_RELAXED.
	ReqRelaxed = known[bool](53)

	// StreamNotify makes a STREAM receive an empty message when a peer comes or
	// goes. Default true.
	//
	// libzmq: ZMQ_STREAM_NOTIFY.
	StreamNotify = known[bool](73)
)
