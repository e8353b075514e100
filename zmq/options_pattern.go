package zmq

// PUB, SUB, XPUB and XSUB.
var (
	// Subscribe adds a subscription: the socket receives messages whose first part begins
	// with the topic. A topic consists of at most 4096 arbitrary bytes; "" matches every
	// message. It takes effect immediately. Each Subscribe needs an Unsubscribe of its own.
	// Socket.Subscribe does the same. Write-only.
	//
	// It is an option of SUB, and of XPUB with XPubManual. On an XPUB it applies to the
	// subscriber whose request was received last. With libzmq before 4.3.5, topics of 246 to
	// 255 bytes return ErrNotSupported, because they never match over a network.
	//
	// Implements: zmq_setsockopt(ZMQ_SUBSCRIBE).
	Subscribe = define[string](optionSpec{numSubscribe, "SUBSCRIBE", "Subscribe", kindTopic, canSet, "bytes", nil, only(Sub, XPub), false, 0, maxTopic, "", &optionRule{set: setTopic}})

	// Unsubscribe removes one subscription to the topic. It is not an error if there is
	// none. Socket.Unsubscribe does the same. It is an option of SUB, and of XPUB with
	// XPubManual. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_UNSUBSCRIBE).
	Unsubscribe = define[string](optionSpec{7, "UNSUBSCRIBE", "Unsubscribe", kindTopic, canSet, "bytes", nil, only(Sub, XPub), false, 0, maxTopic, "", &optionRule{set: setTopic}})

	// XPubVerbose makes an XPUB receive every subscription, not only the first one to each
	// topic. Default false. It takes effect immediately. Setting it also cancels the effect
	// of XPubVerboser on unsubscriptions. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_VERBOSE).
	XPubVerbose = define[bool](optionSpec{40, "XPUB_VERBOSE", "XPubVerbose", kindBool, canSet, "", nil, only(XPub), false, 0, 1, "", nil})

	// XPubVerboser makes an XPUB receive every subscription and every unsubscription.
	// Default false. It takes effect immediately. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_VERBOSER).
	XPubVerboser = define[bool](optionSpec{78, "XPUB_VERBOSER", "XPubVerboser", kindBool, canSet, "", nil, only(XPub), false, 0, 1, "", nil})

	// XPubNoDrop makes a send on a PUB, XPUB or RADIO block if the queue of a subscriber is
	// full. With DontWait the send returns ErrAgain. Without XPubNoDrop, the socket drops
	// the message for that subscriber. Default false. It takes effect immediately.
	// Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_NODROP).
	XPubNoDrop = define[bool](optionSpec{69, "XPUB_NODROP", "XPubNoDrop", kindBool, canSet, "", nil, only(XPub, Pub, Radio), false, 0, 1, "", nil})

	// WhenFull is what a PUB or XPUB does with a message if the queue of a matching
	// subscriber is full: Drop (the default), DropCounted, Block or Fail. It takes effect
	// immediately, even for a blocked send.
	//
	// All policies except Drop work on an all-or-nothing basis: libzmq queues a message
	// for all matching subscribers, or refuses it if one of them has no room. One stalled
	// subscriber prevents the others from receiving messages until its connection closes;
	// with HeartbeatInterval, libzmq detects a lost connection. Subscribers whose
	// subscriptions do not match the message have no effect on it.
	//
	// WhenFull sets XPubNoDrop, and setting XPubNoDrop sets WhenFull to Block or Drop. With
	// XPubManualLastValue use only Drop: when libzmq refuses a message, it forgets which
	// subscriber the message was for.
	//
	// libzmq has no such option.
	WhenFull = define[FullPolicy](optionSpec{-3, "WHEN_FULL", "WhenFull", kindFullPolicy, setGet, "", Drop, only(Pub, XPub), false, int64(Drop), int64(Fail), "", &optionRule{set: setWhenFull, get: getWhenFull}})

	// TrackSubscriptions makes a PUB or XPUB count the subscriptions of its peers, which
	// WaitSubscribers needs. Default false. It can only be passed to NewSocket or
	// SocketDefaults; a later Set returns EINVAL. It cannot be combined with Conflate.
	//
	// libzmq reports subscriptions only to XPUB sockets, so a PUB that has this option is
	// an XPUB inside libzmq. In the messages that its peers receive, the property
	// "Socket-Type" is therefore "XPUB". An XPUB that has this option receives every
	// subscription and its end, as with XPubVerboser. Setting XPubVerbose, XPubVerboser or
	// XPubManual, and a proxy, end the tracking of an XPUB.
	//
	// libzmq has no such option.
	TrackSubscriptions = define[bool](optionSpec{-4, "TRACK_SUBSCRIPTIONS", "TrackSubscriptions", kindBool, setGet, "", false, only(Pub, XPub), false, 0, 1, "", &optionRule{check: checkTracking, get: getTracking}})

	// XPubManual makes an XPUB leave subscriptions to the program. The socket receives a
	// request, and the program then calls Subscribe or Unsubscribe to decide which topics
	// the sender of the request receives. Default false. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_MANUAL).
	XPubManual = define[bool](optionSpec{71, "XPUB_MANUAL", "XPubManual", kindBool, canSet, "", nil, only(XPub), false, 0, 1, "", &optionRule{check: checkXPubManual}})

	// XPubManualLastValue is XPubManual for last-value caches: in addition, the next message
	// goes only to the subscriber whose request was received last. Default false; setting it
	// to false also turns XPubManual off. Write-only. It needs libzmq 4.3.2 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_MANUAL_LAST_VALUE), draft API.
	XPubManualLastValue = define[bool](optionSpec{98, "XPUB_MANUAL_LAST_VALUE", "XPubManualLastValue", kindBool, canSet, "", nil, only(XPub), false, 0, 1, "4.3.2", &optionRule{check: checkXPubManual}})

	// XPubWelcomeMessage is a message that an XPUB sends to each new subscriber. Only
	// subscribers with a matching subscription see it. At most 64 KiB; empty, the default,
	// sends none. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_WELCOME_MSG).
	XPubWelcomeMessage = define[[]byte](optionSpec{72, "XPUB_WELCOME_MSG", "XPubWelcomeMessage", kindBytes, canSet, "bytes", nil, only(XPub), false, 0, maxWelcome, "", nil})

	// InvertMatching inverts subscriptions: messages that match are not delivered, and all
	// others are. It is an option of PUB, XPUB and SUB, and both ends must set it. Default
	// false.
	//
	// Implements: zmq_setsockopt(ZMQ_INVERT_MATCHING).
	InvertMatching = define[bool](optionSpec{74, "INVERT_MATCHING", "InvertMatching", kindBool, setGet, "", false, only(Pub, XPub, Sub), false, 0, 1, "", nil})

	// OnlyFirstSubscribe makes an XPUB or XSUB look for a subscription only in the first
	// part of a message. Default false. Write-only. It needs libzmq 4.3.3 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_ONLY_FIRST_SUBSCRIBE), draft API.
	OnlyFirstSubscribe = define[bool](optionSpec{108, "ONLY_FIRST_SUBSCRIBE", "OnlyFirstSubscribe", kindBool, canSet, "", nil, only(XPub, XSub), false, 0, 1, "4.3.3", nil})

	// TopicsCount is the number of topics to which a SUB or XSUB has subscribed. On a PUB or
	// XPUB it counts the topics of its subscribers. Read-only. It needs libzmq 4.3.5 or newer.
	//
	// Implements: zmq_getsockopt(ZMQ_TOPICS_COUNT), draft API.
	TopicsCount = define[int](optionSpec{116, "TOPICS_COUNT", "TopicsCount", kindInt, canGet, "topics", 0, only(Pub, XPub, Sub, XSub), false, 0, 0, "4.3.5", nil})
)

// ROUTER, DEALER, REQ, REP and STREAM. All of these are write-only.
var (
	// RouterMandatory makes a ROUTER return ErrHostUnreachable for a message to an unknown
	// peer, and block if the queue of the peer is full. Without it, the ROUTER drops such
	// messages without an error. Default false. It takes effect immediately.
	//
	// Implements: zmq_setsockopt(ZMQ_ROUTER_MANDATORY).
	RouterMandatory = define[bool](optionSpec{33, "ROUTER_MANDATORY", "RouterMandatory", kindBool, canSet, "", nil, only(Router), false, 0, 1, "", nil})

	// RouterHandover makes a ROUTER take a routing ID away from the peer that uses it if
	// another peer presents the same ID, and give it to that peer. Without it, the ROUTER
	// ignores the new peer. Default false. It takes effect immediately.
	//
	// At a handover libzmq drops its queue for the previous peer, but keeps the connection
	// open and reports nothing. Messages from the previous peer are lost, and over inproc
	// that socket no longer has a peer. WaitConnected and Stats.Connections count the
	// connection until it closes.
	//
	// Implements: zmq_setsockopt(ZMQ_ROUTER_HANDOVER).
	RouterHandover = define[bool](optionSpec{56, "ROUTER_HANDOVER", "RouterHandover", kindBool, canSet, "", nil, only(Router), false, 0, 1, "", nil})

	// RouterRaw makes a ROUTER talk to plain TCP peers like a STREAM does. Default false.
	// It cannot be changed after the first Bind or Connect, and cannot be turned off
	// again. New programs should use STREAM instead.
	//
	// Implements: zmq_setsockopt(ZMQ_ROUTER_RAW).
	RouterRaw = define[bool](optionSpec{numRouterRaw, "ROUTER_RAW", "RouterRaw", kindBool, canSet, "", nil, only(Router), true, 0, 1, "", &optionRule{check: checkRouterRaw}})

	// ConnectRoutingID is the ID that a ROUTER or STREAM assigns to the peer of its next
	// Connect. With it the socket can send the first message to that peer. It has 1 to
	// 255 bytes and must be new to the socket. An ID of exactly five bytes must not begin
	// with a zero byte.
	//
	// libzmq aborts the process if a peer already has the ID. A ROUTER therefore accepts
	// it only while its peers cannot choose IDs: before its first Bind and before any
	// Connect without ConnectRoutingID. A program that needs ConnectRoutingID and also
	// Bind, or a Connect without it, should use a separate ROUTER for each. It cannot be
	// combined with Immediate. If RouterHandover is set, it cannot be used for a Connect
	// to an inproc name that is not bound yet.
	//
	// Implements: zmq_setsockopt(ZMQ_CONNECT_ROUTING_ID).
	ConnectRoutingID = define[[]byte](optionSpec{61, "CONNECT_ROUTING_ID", "ConnectRoutingID", kindBytes, canSet, "bytes", nil, only(Router, Stream), false, 1, 255, "", &optionRule{set: setConnectRoutingID}})

	// ProbeRouter makes a ROUTER, DEALER or REQ send an empty message to each new peer. A
	// ROUTER at the other end thus learns of the connection. Default false. It cannot be
	// combined with RouterRaw or HelloMessage.
	//
	// Implements: zmq_setsockopt(ZMQ_PROBE_ROUTER).
	ProbeRouter = define[bool](optionSpec{numProbeRouter, "PROBE_ROUTER", "ProbeRouter", kindBool, canSet, "", nil, only(Router, Dealer, Req), false, 0, 1, "", &optionRule{check: checkProbeRouter}})

	// ReqCorrelate makes a REQ put a number before each request and drop replies without
	// that number. Its peer must return the number, as a REP does. Default false.
	//
	// Implements: zmq_setsockopt(ZMQ_REQ_CORRELATE).
	ReqCorrelate = define[bool](optionSpec{52, "REQ_CORRELATE", "ReqCorrelate", kindBool, canSet, "", nil, only(Req), false, 0, 1, "", nil})

	// ReqRelaxed lets a REQ send a new request before it has received the reply to the
	// previous one. Use it with ReqCorrelate; otherwise a late reply to the previous request
	// can be received as the reply to the new one. Default false.
	//
	// Implements: zmq_setsockopt(ZMQ_REQ_RELAXED).
	ReqRelaxed = define[bool](optionSpec{53, "REQ_RELAXED", "ReqRelaxed", kindBool, canSet, "", nil, only(Req), false, 0, 1, "", nil})

	// StreamNotify makes a STREAM receive an empty message when a peer connects or
	// disconnects. Default true.
	//
	// Implements: zmq_setsockopt(ZMQ_STREAM_NOTIFY).
	StreamNotify = define[bool](optionSpec{73, "STREAM_NOTIFY", "StreamNotify", kindBool, canSet, "", nil, only(Stream), false, 0, 1, "", nil})
)
