package core

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/internal/guard"
	"github.com/go-zmq/go-zmq/internal/inbox"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/park"
	"github.com/go-zmq/go-zmq/internal/peertable"
	"github.com/go-zmq/go-zmq/internal/rules"
	"github.com/go-zmq/go-zmq/internal/watch"
)

// Socket is a libzmq socket that any number of goroutines may use. The package comment
// says how that works.
type Socket struct {
	shared
	lock guard.Lock[held]
}

// shared is what any goroutine may use at any time: values that never change, and parts with
// locks of their own.
type shared struct {
	ctx        *Context
	typ        rules.Type
	done       chan struct{} // closed when the socket cannot be used any more
	options    rules.Options
	peers      peertable.Table
	inprocEnds // guarded by inprocNames.mu
}

// held is what the lock of a socket guards. Its methods are the operations that need the lock,
// and only those who have it have a *held. They may release the lock, as they do to wait, but
// have it again when they return.
type held struct {
	*shared
	sock *Socket           // itself
	lock *guard.Lock[held] // its lock

	handle   libzmq.Socket
	state    state
	plain    bool   // see classify
	duplex   bool   // waiters of the other direction rely on the descriptor alone
	flags    int    // flags for the shims on each call
	endpoint string // the last one, for reports
	stats    Stats

	in      inbox.Queue
	out     outgoing // parts collected by SendMore
	portion portion  // of a batch

	limit    [2]time.Duration // by Direction: RecvTimeout, SendTimeout; negative: none
	spinTime time.Duration    // of a receive before it parks; negative: adaptive
	spin     park.Spin        // of a receiver before it parks
	lastWait uint64           // messages received at the last wait
	lists    [2]park.List
	crowd    *crowd // the senders, if libzmq cannot say whether they can continue; otherwise nil
	watchState
	observers []Observer
	touching  bool // operations call their Touched

	lingerState
	track *track // nil until the socket is monitored
	*special
}

// special is the state of particular types, options and transports. Straight calls do not
// read it.
type special struct {
	udp      bool           // messages become UDP datagrams
	learns   bool           // TrackPeers
	full     FullPolicy     // of a PUB or XPUB
	subs     *subscriptions // of a PUB or XPUB that tracks them, otherwise nil
	pollable bool           // has a ZMQ_FD: all but the thread-safe draft types
	signal   libzmq.Signal  // replaces ZMQ_FD for the thread-safe types
	reserve  *os.File       // without ZMQ_FD: close frees it for libzmq's reaper
	onClose  func()         // nil: none
}

type state uint8

const (
	stateOpen state = iota
	stateTerminated
	stateClosed
)

func (s state) err() error {
	switch s {
	case stateTerminated:
		return ErrTerminated
	case stateClosed:
		return ErrClosed
	}
	return nil
}

// Context is a libzmq context that any number of goroutines may use.
type Context struct {
	mu      sync.Mutex
	handle  libzmq.Context
	state   state
	sockets map[*Socket]struct{}

	// A socket of this package, which starts the context's threads. It is nil before. It
	// reserves a place and a descriptor for the work of zmq_ctx_term, which aborts the
	// process if it lacks them. See inprocNames.settle.
	reserve  libzmq.Socket
	inproc   inprocNames
	priority int
	sink     *sink       // nil until a socket is monitored
	most     int         // MaxSockets
	blind    atomic.Bool // TrackConnections is off

	lingers  lingers
	loses    atomic.Bool // a CONFLATE socket uses inproc: its peers may lose messages
	watchdog *watch.Watchdog
	term     chan struct{} // closed when zmq_ctx_term has returned
}

// crowd holds the waiting senders of a socket whose ZMQ_POLLOUT says nothing
// (libzmq.Inexact). They wait in groups by the first part of their message, which is the
// routing id of the peer or the topic: two such messages can be sent at the same time or
// not at all.
type crowd struct {
	park.Groups
	again    *time.Timer // wakes the groups that the budget left over
	againDue bool
	tend     *time.Timer // see tendCrowd
	tendDue  bool
	pause    time.Duration // the last one of tend
	ended    bool          // connections have ended since the crowd was empty, or shortly before
}

// len returns the number of waiting senders. c may be nil.
func (c *crowd) len() int {
	if c == nil {
		return 0
	}
	return c.Len()
}

// FullPolicy says what a PUB, XPUB or ROUTER does with a message when the queue of a
// subscriber, or of the peer that it is for, is full.
type FullPolicy uint8

const (
	FullDrop    FullPolicy = iota // libzmq drops it for full subscribers and peers, unreported
	FullCounted                   // it is dropped for all subscribers, or for the peer, and counted
	FullBlock                     // the sender waits
	FullFail                      // the sender gets EAGAIN
)

// inprocNames records the inproc names of a context and the sockets that are connected
// through them, because libzmq does not report them. In the order of locks, its mutex
// comes after that of a socket. It is held while libzmq changes its own table, so that
// both tables agree, and a Close that has closed all sockets finds all names.
type inprocNames struct {
	mu      sync.Mutex
	bound   map[string]*Socket
	unbound map[string]*unboundName // that sockets have connected to
	settled bool                    // the reserve must not be used any more
	changed []*Socket               // their peers have changed since announceInproc
}

// unboundName describes the connections to a name that is not bound. libzmq keeps them
// until the name is bound.
type unboundName struct {
	awaits []await   // in the order of the connects
	left   time.Time // until when libzmq keeps connections of sockets that left; zero: none left
}

// await is one connection of a socket that waits for a name.
type await struct {
	s     *Socket
	named bool   // it has a ZMQ_CONNECT_ROUTING_ID
	sent  uint64 // messages that the socket had sent before
}

// inprocEnds is the part of a socket that concerns inproc. The mutex of inprocNames guards
// it.
type inprocEnds struct {
	pairs map[*inprocPair]struct{}
	names map[string]struct{} // that the socket has bound, or connected to before they were bound
}

// inprocPair is one connection. A socket that is connected to itself has both ends.
type inprocPair struct {
	name              string
	ids               [2]uint64 // of the connecter's and the binder's peer
	connecter, binder *Socket
}

// lingers remembers the sockets that may have held messages when they were closed, so
// that a Context.Close that runs out of time can name them.
type lingers struct {
	mu    sync.Mutex
	list  []lingering
	purge int // the length of list at which add next removes what libzmq has freed
}

type lingering struct {
	name   string
	fd     int       // libzmq's ZMQ_FD at the time of the close; negative: none
	id     string    // the kernel's id of fd; "" if there is none
	expiry time.Time // zero: never
	cut    bool      // the period was not set by the user, but limited by a bounded close
}

// lingerState is what the close of a socket depends on.
type lingerState struct {
	linger    time.Duration // the period, which libzmq has as well; negative: no limit
	lingerSet bool          // linger was set, or its default must not be extended
	sent      bool          // may hold unsent messages at close
	multipart bool          // may have sent several parts that stats.Sent does not count
	far       bool          // has had an endpoint other than inproc
}

// Events of this package, beside libzmq's.
const (
	EventPeerJoined = 1 << 16
	EventPeerLeft   = 1 << 17
)

// Event is an event of a monitor.
type Event struct {
	libzmq.MonitorEvent
	Peer  peertable.Peer  // the connection that it is about; its ID is 0 if that is not known
	Cause peertable.Cause // of EventPeerLeft
}

// Monitor is the queue of a socket's events for one reader. libzmq never waits for it:
// when the queue is full, the oldest event is dropped.
type Monitor struct {
	track   *track
	mask    uint64
	queue   chan *Event // closed after the last event
	dropped atomic.Uint64
}

// Observer learns when a socket may have become ready to receive or send. An observer is
// a poller, and a socket may have several. Its methods are called with the socket's mutex
// held. In the order of locks, that mutex comes before any lock of the observer.
//
// One rule keeps a poller from sleeping while a socket is ready. After a Look that found
// a direction not ready, a change is announced by the descriptor or by Touched. The
// descriptor announces a command that was put into the mailbox or, where SeesThefts is
// true, was taken out by another call (F1 to F3 and K1 in the package comment).
type Observer interface {
	// Attach starts the observation of a descriptor of libzmq. The observer must neither
	// read nor close the descriptor. It is valid until the observation ends. After an error
	// there is no observation.
	Attach(fd int) error
	// SeesThefts reports whether the observer is notified when another call consumes a
	// signal of the descriptor. If not, every operation on the socket calls Touched.
	SeesThefts() bool
	// Touched says that the socket may have become ready for the events although the
	// descriptor does not report it. A call that read the events passes only those, or two
	// observers would keep each other awake.
	Touched(events int)
	// Stopped with ended says that the observation is over: the socket was closed, alone or
	// with its context, or Unobserve was called. Without ended, the context was shut down,
	// and the observer remains attached.
	Stopped(ended, withContext bool)
}

// sink receives libzmq's reports about the connections of all sockets of a context, on
// one ROUTER socket. libzmq has one monitor per socket, a PAIR that is bound to an inproc
// name. The sink connects to each and distinguishes them by the routing ids that it gives
// them. So a monitored socket costs one more socket, with one descriptor. A context costs
// one goroutine, however many monitors a user has.
//
// libzmq's I/O threads send their reports with a blocking send, so they would stall if no
// goroutine received them. The sink's pipes have no high-water mark. A goroutine that
// drains the sink puts the events into bounded queues and never waits.
//
// Order of locks: a socket's mutex, sink.mu, the mutex of the sink's socket, and last
// those of the queues and counts.
type sink struct {
	sock *Socket

	mu      sync.Mutex
	nextID  uint64
	tracks  map[string]*track // by routing id
	dropped peertable.Change  // a track was dropped
	msgs    []libzmq.Msg      // reused
	reports []report          // reused
}

// report is an event that libzmq reported.
type report struct {
	libzmq.MonitorEvent
	track *track
	who   libzmq.Identity // of a new connection
}

// track holds the state of a socket that is known from its monitor.
type track struct {
	sink  *sink
	peers *peertable.Table

	// Guarded by sink.mu.
	id       string
	monitors []*Monitor
	open     map[int32]string // endpoints of the listeners, by descriptor
	ending   bool             // the track outlives its socket: see ending.go
}

// Err returns the reason why the socket cannot be used any more, or nil.
func (s *Socket) Err() error {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	return h.state.err()
}

// subscriptions counts the subscriptions of the peers of a PUB or XPUB that tracks them.
//
// libzmq reports subscriptions only to XPUB sockets, which otherwise behave like PUB. So
// a tracking PUB is an XPUB inside libzmq. Both report every subscription and its end
// (ZMQ_XPUB_VERBOSER). Only this file receives from them. It drops the reports of a PUB
// and keeps those of an XPUB for its user.
type subscriptions struct {
	pub bool // of a PUB

	count   int
	sends   uint8
	behind  bool // of a PUB: more reports were left after one call
	waiting int
	changed peertable.Change // of the count, or the end of the socket
}

// seesThefts says that reading ZMQ_FD's eventfd makes an edge, just like writing to it. A
// watcher then notices a signal that another goroutine consumed. That is true on Linux,
// where fs/eventfd.c wakes pollers with EPOLLOUT on a read. It is a variable so that the
// tests can run the portable rules on Linux.
var seesThefts = runtime.GOOS == "linux"

// watchState is how goroutines learn that they can continue.
type watchState struct {
	watched   bool
	watcher   *watch.Watcher // with a duplicate of ZMQ_FD, fdNum
	fdNum     int
	fdGiven   bool            // a caller has fd and may be using it
	wakeups   uint64          // times the watcher ran, or subscriptions of a PUB were counted
	suspicion watch.Suspicion // the watchdog's notes
	attentive bool            // commands are processed although no goroutine waits
	lookDue   bool            // attendLater
}
