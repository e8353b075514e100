package zmq

import "github.com/go-zmq/go-zmq/internal/core"

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
	Subscribe = define[string](optionSpec{number: numSubscribe, name: "SUBSCRIBE", goName: "Subscribe", kind: kindTopic, access: canSet, unit: "bytes", types: only(Sub, XPub), max: maxTopic, setWith: setTopic})

	// Unsubscribe removes one subscription to the topic. It is not an error if there is
	// none. Socket.Unsubscribe does the same. It is an option of SUB, and of XPUB with
	// XPubManual. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_UNSUBSCRIBE).
	Unsubscribe = define[string](optionSpec{number: 7, name: "UNSUBSCRIBE", goName: "Unsubscribe", kind: kindTopic, access: canSet, unit: "bytes", types: only(Sub, XPub), max: maxTopic, setWith: setTopic})

	// XPubVerbose makes an XPUB receive every subscription, not only the first one to each
	// topic. Default false. It takes effect immediately. Setting it also cancels the effect
	// of XPubVerboser on unsubscriptions. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_VERBOSE).
	XPubVerbose = define[bool](optionSpec{number: 40, name: "XPUB_VERBOSE", goName: "XPubVerbose", kind: kindBool, access: canSet, types: only(XPub)})

	// XPubVerboser makes an XPUB receive every subscription and every unsubscription.
	// Default false. It takes effect immediately. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_VERBOSER).
	XPubVerboser = define[bool](optionSpec{number: 78, name: "XPUB_VERBOSER", goName: "XPubVerboser", kind: kindBool, access: canSet, types: only(XPub)})

	// XPubNoDrop makes a send on a PUB, XPUB or RADIO block if the queue of a subscriber is
	// full. With DontWait the send returns ErrAgain. Without XPubNoDrop, the socket drops
	// the message for that subscriber. Default false. It takes effect immediately.
	// Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_NODROP).
	XPubNoDrop = define[bool](optionSpec{number: 69, name: "XPUB_NODROP", goName: "XPubNoDrop", kind: kindBool, access: canSet, types: only(XPub, Pub, Radio)})

	// WhenFull is what a PUB or XPUB does with a message if the queue of a matching
	// subscriber is full, and a ROUTER if the queue of the peer is full or no peer has the
	// routing ID: Drop (the default), DropCounted, Block or Fail. It takes effect
	// immediately, even for a blocked send.
	//
	// On a ROUTER, all policies except Drop set RouterMandatory, and setting that sets
	// WhenFull to Block or Drop. Each message concerns one peer only. With Block and Fail, a
	// message to an unknown routing ID returns ErrHostUnreachable.
	//
	// On a PUB or XPUB, all policies except Drop work on an all-or-nothing basis: libzmq queues a message
	// for all matching subscribers, or refuses it if one of them has no room. One stalled
	// subscriber prevents the others from receiving messages until its connection closes;
	// with HeartbeatInterval, libzmq detects a lost connection. Subscribers whose
	// subscriptions do not match the message have no effect on it.
	//
	// There WhenFull sets XPubNoDrop, and setting XPubNoDrop sets WhenFull to Block or Drop. With
	// XPubManualLastValue use only Drop: when libzmq refuses a message, it forgets which
	// subscriber the message was for.
	//
	// libzmq has no such option.
	WhenFull = define[FullPolicy](optionSpec{number: -3, name: "WHEN_FULL", goName: "WhenFull", kind: kindInt, access: setGet, def: Drop, types: only(Pub, XPub, Router), min: int64(Drop), max: int64(Fail), setWith: toCore((*core.Socket).SetWhenFull), getWith: fromCore((*core.Socket).WhenFull)})

	// TrackSubscriptions makes a PUB or XPUB count the subscriptions of its peers, which
	// WaitSubscribers needs. Default false. It can only be passed to NewSocket or
	// SocketDefaults; a later Set returns EINVAL. It cannot be combined with Conflate.
	//
	// libzmq reports subscriptions only to XPUB sockets, so a PUB that has this option is
	// an XPUB inside libzmq. In the messages that its peers receive, the property
	// "Socket-Type" is therefore "XPUB". An XPUB that has this option receives every
	// subscription and unsubscription, as with XPubVerboser. Setting XPubVerbose,
	// XPubVerboser or XPubManual on an XPUB ends the tracking.
	//
	// libzmq has no such option.
	TrackSubscriptions = define[bool](optionSpec{number: -4, name: "TRACK_SUBSCRIPTIONS", goName: "TrackSubscriptions", kind: kindBool, access: setGet, def: false, types: only(Pub, XPub), alsoCheck: checkTracking, getWith: getTracking})

	// TrackPeers makes the socket learn the routing ID and the user ID of each peer from the
	// first message that it receives from it, for Socket.Peers and EventPeerLeft. Default
	// false; best passed to NewSocket. On a ROUTER the routing ID is the one that messages
	// begin with. On other types it is the RoutingID option of the peer, up to a byte of
	// zero. The user ID is what the ZAP handler named the peer. Over inproc nothing is learned.
	//
	// A message names its connection by a descriptor, and descriptors are reused. If it may
	// be of an earlier connection with the same descriptor, nothing is learned from it.
	// Receives take one message after the other from libzmq, without reading ahead, and
	// look at the origin of each. Without this option a message costs nothing more.
	//
	// libzmq has no such option.
	TrackPeers = define[bool](optionSpec{number: -6, name: "TRACK_PEERS", goName: "TrackPeers", kind: kindBool, access: setGet, def: false, types: receives, setWith: setTrackPeers, getWith: getTrackPeers})

	// XPubManual lets the program handle the subscriptions of an XPUB. The socket receives
	// a request, and the program then calls Subscribe or Unsubscribe to decide which
	// topics the sender of the request receives. Default false. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_MANUAL).
	XPubManual = define[bool](optionSpec{number: 71, name: "XPUB_MANUAL", goName: "XPubManual", kind: kindBool, access: canSet, types: only(XPub), alsoCheck: checkXPubManual})

	// XPubManualLastValue is XPubManual for last-value caches: in addition, the next message
	// goes only to the subscriber whose request was received last. Default false; setting it
	// to false also turns XPubManual off. Write-only. It needs libzmq 4.3.2 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_MANUAL_LAST_VALUE), draft API.
	XPubManualLastValue = define[bool](optionSpec{number: 98, name: "XPUB_MANUAL_LAST_VALUE", goName: "XPubManualLastValue", kind: kindBool, access: canSet, types: only(XPub), needs: "4.3.2", alsoCheck: checkXPubManual})

	// XPubWelcomeMessage is a message that an XPUB sends to each new subscriber. Only
	// subscribers with a matching subscription see it. At most 64 KiB; empty, the default,
	// sends none. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_XPUB_WELCOME_MSG).
	XPubWelcomeMessage = define[[]byte](optionSpec{number: 72, name: "XPUB_WELCOME_MSG", goName: "XPubWelcomeMessage", kind: kindBytes, access: canSet, unit: "bytes", types: only(XPub), max: maxWelcome})

	// InvertMatching inverts subscriptions: messages that match are not delivered, and all
	// others are. It is an option of PUB, XPUB and SUB, and both ends must set it. Default
	// false.
	//
	// Implements: zmq_setsockopt(ZMQ_INVERT_MATCHING).
	InvertMatching = define[bool](optionSpec{number: numInvertMatching, name: "INVERT_MATCHING", goName: "InvertMatching", kind: kindBool, access: setGet, def: false, types: only(Pub, XPub, Sub), setWith: setInvertMatching})

	// OnlyFirstSubscribe makes an XPUB or XSUB look for a subscription only in the first
	// part of a message. Default false. Write-only. It needs libzmq 4.3.3 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_ONLY_FIRST_SUBSCRIBE), draft API.
	OnlyFirstSubscribe = define[bool](optionSpec{number: 108, name: "ONLY_FIRST_SUBSCRIBE", goName: "OnlyFirstSubscribe", kind: kindBool, access: canSet, types: only(XPub, XSub), needs: "4.3.3"})

	// TopicsCount is the number of topics to which a SUB or XSUB has subscribed. On a PUB or
	// XPUB it counts the topics of its subscribers. Read-only. It needs libzmq 4.3.5 or newer.
	//
	// Implements: zmq_getsockopt(ZMQ_TOPICS_COUNT), draft API.
	TopicsCount = define[int](optionSpec{number: 116, name: "TOPICS_COUNT", goName: "TopicsCount", kind: kindInt, access: canGet, unit: "topics", def: 0, types: only(Pub, XPub, Sub, XSub), needs: "4.3.5"})
)

// ROUTER, DEALER, REQ, REP and STREAM. All of these are write-only.
var (
	// RouterMandatory makes a ROUTER return ErrHostUnreachable for a message to an unknown
	// peer, and block if the queue of the peer is full. Without it, the ROUTER drops such
	// messages without an error. Default false. It takes effect immediately.
	//
	// Implements: zmq_setsockopt(ZMQ_ROUTER_MANDATORY).
	RouterMandatory = define[bool](optionSpec{number: 33, name: "ROUTER_MANDATORY", goName: "RouterMandatory", kind: kindBool, access: canSet, types: only(Router)})

	// RouterHandover makes a ROUTER accept a new peer that presents the routing ID of an
	// existing peer: the new peer takes over the ID. Without it, the ROUTER ignores the
	// new peer. Default false. It takes effect immediately.
	//
	// At a handover libzmq drops its queue for the previous peer, but keeps the connection
	// open and reports nothing. Messages from the previous peer are lost, and over inproc
	// that socket no longer has a peer. WaitConnected and Stats.Connections count the
	// connection until it closes.
	//
	// Implements: zmq_setsockopt(ZMQ_ROUTER_HANDOVER).
	RouterHandover = define[bool](optionSpec{number: 56, name: "ROUTER_HANDOVER", goName: "RouterHandover", kind: kindBool, access: canSet, types: only(Router)})

	// RouterRaw makes a ROUTER talk to plain TCP peers like a STREAM does. Default false.
	// It cannot be changed after the first Bind or Connect, and cannot be turned off
	// again. New programs should use STREAM instead.
	//
	// Implements: zmq_setsockopt(ZMQ_ROUTER_RAW).
	RouterRaw = define[bool](optionSpec{number: numRouterRaw, name: "ROUTER_RAW", goName: "RouterRaw", kind: kindBool, access: canSet, types: only(Router), frozen: true, alsoCheck: checkRouterRaw})

	// ConnectRoutingID is the ID that a ROUTER or STREAM assigns to the peer of its next
	// Connect. The socket can then send to that peer before it has received anything from
	// it. The ID has 1 to 255 bytes and must be new to the socket. An ID of exactly five
	// bytes must not begin with a zero byte.
	//
	// libzmq aborts the process if a peer already has the ID. A ROUTER therefore accepts
	// it only while its peers cannot choose IDs: before its first Bind and before any
	// Connect without ConnectRoutingID. A program that needs ConnectRoutingID and also
	// Bind, or a Connect without it, should use a separate ROUTER for each. It cannot be
	// combined with Immediate. If RouterHandover is set, it cannot be used for a Connect
	// to an inproc name that is not bound yet.
	//
	// Implements: zmq_setsockopt(ZMQ_CONNECT_ROUTING_ID).
	ConnectRoutingID = define[[]byte](optionSpec{number: 61, name: "CONNECT_ROUTING_ID", goName: "ConnectRoutingID", kind: kindBytes, access: canSet, unit: "bytes", types: only(Router, Stream), min: 1, max: 255, setWith: setConnectRoutingID})

	// ProbeRouter makes a ROUTER, DEALER or REQ send an empty message to each new peer. A
	// ROUTER at the other end thus learns of the connection. Default false. It cannot be
	// combined with RouterRaw or HelloMessage.
	//
	// Implements: zmq_setsockopt(ZMQ_PROBE_ROUTER).
	ProbeRouter = define[bool](optionSpec{number: numProbeRouter, name: "PROBE_ROUTER", goName: "ProbeRouter", kind: kindBool, access: canSet, types: only(Router, Dealer, Req), alsoCheck: checkProbeRouter})

	// ReqCorrelate makes a REQ put a number before each request and drop replies without
	// that number. Its peer must return the number, as a REP does. Default false.
	//
	// Implements: zmq_setsockopt(ZMQ_REQ_CORRELATE).
	ReqCorrelate = define[bool](optionSpec{number: 52, name: "REQ_CORRELATE", goName: "ReqCorrelate", kind: kindBool, access: canSet, types: only(Req)})

	// ReqRelaxed lets a REQ send a new request before it has received the reply to the
	// previous one. Use it with ReqCorrelate; otherwise a late reply to the previous request
	// can be received as the reply to the new one. A reply that was received only in part must
	// be received to its end first; until then a send returns ErrState. Default false.
	//
	// Implements: zmq_setsockopt(ZMQ_REQ_RELAXED).
	ReqRelaxed = define[bool](optionSpec{number: 53, name: "REQ_RELAXED", goName: "ReqRelaxed", kind: kindBool, access: canSet, types: only(Req)})

	// StreamNotify makes a STREAM receive an empty message when a peer connects or
	// disconnects. Default true.
	//
	// Implements: zmq_setsockopt(ZMQ_STREAM_NOTIFY).
	StreamNotify = define[bool](optionSpec{number: 73, name: "STREAM_NOTIFY", goName: "StreamNotify", kind: kindBool, access: canSet, types: only(Stream)})
)
