package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// scale makes the stress tests shorter for -short.
func scale(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// stalled fails the test when done is not closed within a time that only a lost
// wake-up can explain.
func stalled(t *testing.T, done <-chan struct{}, progress func() string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		panic("stalled: " + progress())
	}
}

// Two DEALERs, queues of one to three messages, many goroutines sending and
// receiving on both ends of both: each message needs wake-ups on both sides.
func TestManyGoroutinesTinyQueues(t *testing.T) {
	bothProtocols(t, func(t *testing.T) {
		for hwm := 1; hwm <= 3; hwm++ {
			for _, endpoint := range []string{"tcp://127.0.0.1:*", fmt.Sprintf("inproc://tiny-%s-%d", t.Name(), hwm)} {
				t.Run(fmt.Sprintf("hwm=%d/%.6s", hwm, endpoint), func(t *testing.T) {
					tinyQueues(t, endpoint, hwm, scale(4000))
				})
			}
		}
	})
}

func tinyQueues(t *testing.T, endpoint string, hwm, messages int) {
	const goroutines = 8
	c := newContext(t)
	a, b := connected(t, c, endpoint, libzmq.Dealer, libzmq.Dealer, hwm)
	each := messages / goroutines
	var sent, received atomic.Int64
	var group sync.WaitGroup
	for _, s := range []*Socket{a, b} {
		for range goroutines {
			group.Go(func() {
				for range each {
					if err := s.SendParts(context.Background(), [][]byte{{1}, {2}}, false); err != nil {
						t.Error(err)
						return
					}
					sent.Add(1)
				}
			})
			group.Go(func() {
				for range each {
					parts, err := s.RecvMultipart(context.Background(), false)
					if err != nil || len(parts) != 2 || parts[0][0] != 1 || parts[1][0] != 2 {
						t.Error("torn message or error", parts, err)
						return
					}
					received.Add(1)
				}
			})
		}
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	stalled(t, done, func() string { return fmt.Sprintf("sent %d, received %d", sent.Load(), received.Load()) })
	require.Equal(t, sent.Load(), received.Load())
}

// A receiver is parked while other goroutines send on the same socket and thereby use up its
// signals. A naive wait loses wake-ups here. These goroutines only send because setting an option
// wakes all waiting goroutines (R5).
func TestThievesDoNotLoseWakeups(t *testing.T) {
	bothProtocols(t, func(t *testing.T) {
		c := newContext(t)
		a, b := connected(t, c, "tcp://127.0.0.1:*", libzmq.Dealer, libzmq.Dealer, 0)
		stop := make(chan struct{})
		var thieves sync.WaitGroup
		for range 2 {
			thieves.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					_ = a.Send(context.Background(), []byte("noise"), true)
					time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
				}
			})
		}
		defer thieves.Wait()
		defer close(stop)
		received := make(chan error, 1)
		buf, sink := make([]byte, 16), make([]byte, 16)
		for i := range scale(2000) {
			go func() {
				_, err := a.Recv(context.Background(), buf, false)
				received <- err
			}()
			for a.parked() == 0 {
				runtime.Gosched()
			}
			time.Sleep(time.Duration(200+rand.IntN(800)) * time.Microsecond) // at any moment of theirs
			require.NoError(t, b.Send(context.Background(), []byte("ping"), false))
			select {
			case err := <-received:
				require.NoError(t, err)
			case <-time.After(patience):
				require.Fail(t, "a wake-up is lost", "round %d", i)
			}
			require.Zero(t, Rescues(), "a wake-up was lost before round %d", i+1)
			for err := error(nil); err == nil; { // keep b's queue short
				_, err = b.Recv(context.Background(), sink, true)
			}
		}
	})
}

// parked returns the number of receivers that wait to be woken.
func (s *Socket) parked() int {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	return h.lists[Recv].Len()
}

// No message is lost to a receive that was cancelled or timed out.
func TestCancelledReceivesLoseNothing(t *testing.T) {
	bothProtocols(t, func(t *testing.T) {
		for _, waiters := range []int{1, 4} {
			t.Run(fmt.Sprintf("receivers=%d", waiters), func(t *testing.T) {
				messages := scale(20000)
				c := newContext(t)
				pull, push := connected(t, c, "tcp://127.0.0.1:*", libzmq.Pull, libzmq.Push, 0)
				seen := make([]atomic.Int32, messages)
				var received atomic.Int64
				var group sync.WaitGroup
				for range waiters {
					group.Go(func() {
						buf := make([]byte, 8)
						for received.Load() < int64(messages) {
							ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(1000))*time.Microsecond)
							_, err := pull.Recv(ctx, buf, false)
							cancel()
							if errors.Is(err, context.DeadlineExceeded) {
								continue
							}
							if err != nil {
								t.Error(err)
								return
							}
							seen[binary.LittleEndian.Uint64(buf)].Add(1)
							received.Add(1)
						}
					})
				}
				group.Go(func() {
					buf := make([]byte, 8)
					for i := range messages {
						binary.LittleEndian.PutUint64(buf, uint64(i))
						if err := push.Send(context.Background(), buf, false); err != nil {
							t.Error(err)
							return
						}
						if rand.IntN(20) == 0 {
							time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
						}
					}
				})
				done := make(chan struct{})
				go func() { group.Wait(); close(done) }()
				stalled(t, done, func() string { return fmt.Sprint("received ", received.Load()) })
				for i := range seen {
					require.EqualValues(t, 1, seen[i].Load(), "message %d", i)
				}
			})
		}
	})
}

// A cancellation that comes at the very moment the message does: the message is
// received by this call or by the next one.
func TestCancellationRacesArrival(t *testing.T) {
	c := newContext(t)
	pull, push := connected(t, c, "inproc://race-arrival", libzmq.Pull, libzmq.Push, 0)
	buf := make([]byte, 1)
	for i := range scale(5000) {
		ctx, cancel := context.WithCancel(context.Background())
		var group sync.WaitGroup
		group.Go(func() { _ = push.Send(context.Background(), []byte{byte(i)}, false) })
		group.Go(cancel)
		_, err := pull.Recv(ctx, buf, false)
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			_, err = pull.Recv(context.Background(), buf, false)
		}
		require.NoError(t, err)
		require.Equal(t, byte(i), buf[0])
		group.Wait()
	}
}

// A cancelled send has sent nothing, a successful one everything.
func TestCancelledSendsSendNothing(t *testing.T) {
	bothProtocols(t, func(t *testing.T) {
		c := newContext(t)
		pull, push := connected(t, c, "tcp://127.0.0.1:*", libzmq.Pull, libzmq.Push, 1)
		big := make([]byte, 64<<10) // so that the kernel's buffers fill, too
		var sent, received int
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				parts, err := pull.RecvMultipart(context.Background(), false)
				if err != nil {
					t.Error(err)
					return
				}
				if len(parts) == 1 { // the end; one PUSH's messages arrive in order
					return
				}
				received++
				time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond) // a slow receiver
			}
		}()
		for range scale(3000) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(500))*time.Microsecond)
			err := push.SendParts(ctx, [][]byte{{1}, big}, false)
			cancel()
			if err == nil {
				sent++
			} else {
				require.ErrorIs(t, err, context.DeadlineExceeded)
			}
		}
		require.NoError(t, push.Send(context.Background(), []byte("end"), false))
		stalled(t, done, func() string { return "the end did not arrive" })
		require.Equal(t, sent, received)
		require.Less(t, sent, scale(3000), "no send was cancelled")
	})
}

// Senders wait for one ROUTER peer whose queue is full. POLLOUT does not report this, so they must
// neither spin nor sleep forever.
func TestInexactSendersWait(t *testing.T) {
	bothProtocols(t, func(t *testing.T) {
		c := newContext(t)
		router, dealer := newTestSocket(t, c, libzmq.Router, 1), newTestSocket(t, c, libzmq.Dealer, 1)
		setInt(t, router, 33, 1) // ZMQ_ROUTER_MANDATORY
		require.NoError(t, dealer.SetOption(5, []byte("peer")))
		require.NoError(t, router.Bind("inproc://inexact-"+t.Name()))
		require.NoError(t, dealer.Connect("inproc://inexact-"+t.Name()))
		require.NoError(t, dealer.Send(context.Background(), []byte("hello"), false))
		_, err := router.RecvMultipart(context.Background(), false)
		require.NoError(t, err)

		const senders = 4
		each := scale(1000)
		var group sync.WaitGroup
		for range senders {
			group.Go(func() {
				for range each {
					if err := router.SendParts(context.Background(), [][]byte{[]byte("peer"), []byte("x")}, false); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		done := make(chan struct{})
		go func() { group.Wait(); close(done) }()
		for range senders * each {
			_, err := dealer.RecvMultipart(context.Background(), false)
			require.NoError(t, err)
		}
		stalled(t, done, func() string { return "a sender was not woken" })
		require.ErrorIs(t, router.SendParts(context.Background(), [][]byte{[]byte("nobody"), []byte("x")}, false), syscall.EHOSTUNREACH)
	})
}

// Close and Shutdown reach every kind of waiting call, at any instant.
func TestCloseDuringEveryCall(t *testing.T) {
	calls := map[string]func(s *Socket) error{
		"recv":      func(s *Socket) error { _, err := s.Recv(context.Background(), make([]byte, 8), false); return err },
		"recvparts": func(s *Socket) error { _, err := s.RecvMultipart(context.Background(), false); return err },
		"recvmsg": func(s *Socket) error {
			var m libzmq.Msg
			defer m.Close()
			return s.RecvMsg(context.Background(), &m, false)
		},
		"send": func(s *Socket) error { return s.Send(context.Background(), []byte("x"), false) },
		"sendparts": func(s *Socket) error {
			return s.SendParts(context.Background(), [][]byte{{1}, {2}, {3}, {4}, {5}}, false)
		},
		"set":  func(s *Socket) error { return s.SetOption(libzmq.OptLinger, make([]byte, 4)) },
		"get":  func(s *Socket) error { _, err := s.GetOption(libzmq.OptType, make([]byte, 4)); return err },
		"bind": func(s *Socket) error { _ = s.Bind("tcp://127.0.0.1:*"); return s.Err() },
		"wait": func(s *Socket) error { return s.Wait(context.Background(), Recv) },
	}
	for name, call := range calls {
		for _, flags := range []string{"close", "shutdown"} {
			t.Run(name+"/"+flags, func(t *testing.T) {
				t.Parallel()
				for range scale(120) {
					closeDuring(t, flags, call)
				}
			})
		}
	}
}

func closeDuring(t *testing.T, flags string, call func(*Socket) error) {
	c, err := NewContext()
	require.NoError(t, err)
	s := newTestSocket(t, c, libzmq.Dealer, 1)
	require.NoError(t, s.Bind("inproc://unheard"))
	const callers = 3
	errs := make(chan error, callers)
	for range callers {
		go func() {
			for {
				if err := call(s); err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
	want := ErrClosed
	if flags == "shutdown" {
		want = ErrTerminated
		require.NoError(t, c.Shutdown())
	} else {
		require.NoError(t, s.Close())
	}
	for range callers {
		require.ErrorIs(t, <-errs, want)
	}
	require.NoError(t, c.Close(context.Background()))
	require.Zero(t, Rescues())
}

// As many messages arrive at once as goroutines wait, and each takes one: the first reads all of
// them ahead, and has to wake the others by itself, since libzmq has nothing left to say.
func TestReadAheadWakesEveryReceiver(t *testing.T) {
	const receivers = 4
	message := [][]byte{{1}, {2}, {3}}
	for parts := 1; parts <= len(message); parts++ {
		t.Run(fmt.Sprint(parts), func(t *testing.T) {
			bothProtocols(t, func(t *testing.T) {
				pull, push := connected(t, newContext(t), "tcp://127.0.0.1:*", libzmq.Pull, libzmq.Push, 0)
				require.NoError(t, pull.SetReadAhead(64))
				for round := range 100 {
					done := make(chan error, receivers)
					for range receivers {
						go func() {
							_, err := pull.RecvMultipart(context.Background(), false)
							done <- err
						}()
					}
					require.Eventually(t, func() bool { return pull.Stats().Waiting == receivers }, 30*time.Second, 20*time.Microsecond)
					for range receivers {
						require.NoError(t, push.SendParts(context.Background(), message[:parts], false))
					}
					for range receivers {
						require.NoError(t, <-done)
					}
					require.Zero(t, Rescues(), "round %d: the watchdog found a forgotten waiter", round)
				}
			})
		})
	}
}
