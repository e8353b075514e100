//go:build unix

package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// Parked parks a goroutine in Recv on each of 5,000 sockets. An iteration wakes
// all of them with one message each. The metrics are the number of threads while all are
// parked and after all were woken at once, and the CPU time of the idle process as a share
// of one processor. This benchmark comes first because Go keeps the threads that it
// creates.
func Parked(b *testing.B) {
	onlyNamed(b)
	const sockets, idle = 5000, 250 * time.Millisecond
	parked := 0
	b.Run(fmt.Sprintf("transport=inproc/sockets=%d", sockets), func(b *testing.B) {
		zctx := newContext(b, zmq.MaxSockets.To(sockets+10))
		push := newSocket(b, zctx, zmq.Push)
		var started, woken, ended sync.WaitGroup
		started.Add(sockets)
		for i := range sockets {
			pull := newSocket(b, zctx, zmq.Pull)
			endpoint := fmt.Sprintf("inproc://parked-%d", i)
			check(b, pull.Bind(endpoint))
			check(b, push.Connect(endpoint))
			ended.Go(func() {
				buf := make([]byte, 8)
				started.Done()
				for {
					if _, err := pull.Recv(context.Background(), buf); err != nil {
						return // the context is closed at the end of the benchmark
					}
					woken.Done()
				}
			})
		}
		started.Wait()
		time.Sleep(idle) // until they are parked
		if parked == 0 {
			parked = threads()
		}
		before := processTime(b)
		time.Sleep(idle) // the CPU time of this period is measured
		used := processTime(b) - before

		b.ResetTimer()
		for range b.N {
			woken.Add(sockets)
			for range sockets { // a PUSH sends to its peers in turn
				check(b, push.Send(context.Background(), nil))
			}
			woken.Wait()
		}
		b.StopTimer()
		b.ReportMetric(float64(b.Elapsed())/float64(b.N*sockets), "ns/wake")
		b.ReportMetric(float64(parked), "threads")
		b.ReportMetric(float64(threads()), "threads-woken")
		b.ReportMetric(100*float64(used)/float64(idle), "idle-cpu-%")
		check(b, zctx.Close())
		ended.Wait()
	})
}

// PollerScale polls many PULL sockets on one goroutine, with package poller and
// with zmq_poll called from C. With ready=one an iteration sends a message to the next
// socket over inproc, polls, and receives it. With ready=all an iteration is one poll
// while every socket has a message.
func PollerScale(b *testing.B) {
	onlyNamed(b)
	for _, sockets := range []int{1, 10, 100, 1000, 5000} {
		for _, ready := range []string{"one", "all"} {
			for _, impl := range workload.Impls() {
				b.Run(fmt.Sprintf("sockets=%d/ready=%s/impl=%s", sockets, ready, impl), func(b *testing.B) {
					s, err := workload.OpenScale(impl, sockets)
					check(b, err)
					defer func() { check(b, s.Close()) }()
					poll := s.One
					if ready == "all" {
						poll = s.All
						check(b, s.Fill())
					}
					_, err = poll(min(2*sockets, 100)) // allocates the buffers
					check(b, err)
					b.ReportAllocs()
					b.ResetTimer()
					elapsed, err := poll(b.N)
					check(b, err)
					b.StopTimer()
					b.ReportMetric(float64(elapsed)/float64(b.N), "ns/op")
				})
			}
		}
	}
}

// ReceiveSide measures only the receiver, PUSH to PULL over inproc, without and
// with ReadAhead. An iteration receives a message of 64 bytes. The messages are sent
// before, 10,000 at a time, while the timer is stopped.
func ReceiveSide(b *testing.B) {
	onlyNamed(b)
	const most = 10_000
	for _, ahead := range []int{0, 256} {
		b.Run(fmt.Sprintf("ahead=%d", ahead), func(b *testing.B) {
			zctx := newContext(b)
			push, pull := newSocket(b, zctx, zmq.Push), newSocket(b, zctx, zmq.Pull)
			check(b, pull.Set(zmq.ReadAhead.To(ahead)))
			check(b, pull.Bind("inproc://queued"))
			check(b, push.Connect("inproc://queued"))
			payload, buf := make([]byte, 64), make([]byte, 64)
			exchange := func(n int) {
				b.StopTimer()
				for range n {
					check(b, push.Send(context.Background(), payload))
				}
				b.StartTimer()
				for range n {
					_, err := pull.Recv(context.Background(), buf)
					check(b, err)
				}
			}
			exchange(most) // allocates the buffers
			b.ReportAllocs()
			b.ResetTimer()
			for left := b.N; left > 0; left -= most {
				exchange(min(left, most))
			}
			b.StopTimer()
		})
	}
}

// Call sends a message over inproc and receives it on the same goroutine. It
// measures the time and allocations of the calls when no call has to wait.
func Call(b *testing.B) {
	onlyNamed(b)
	for _, call := range []struct {
		api string
		op  func(*ends) error
	}{
		{"recv", (*ends).recv},
		{"recvcancel", (*ends).recvCancel},
		{"recvbytes", (*ends).recvBytes},
		{"recvmessage", (*ends).recvMessage},
		{"forward", (*ends).forward},
		{"recvmultipart", (*ends).recvMultipart},
		{"recvmultipartmessage", (*ends).recvMultipartMessage},
		{"batch", (*ends).batch},
		{"zerocopy", (*ends).zeroCopy},
		{"pooled", (*ends).pooled},
	} {
		b.Run("transport=inproc/size=64/api="+call.api, func(b *testing.B) {
			e := newEnds(b)
			check(b, call.op(e)) // allocates the buffers
			b.ReportAllocs()
			for b.Loop() {
				check(b, call.op(e))
			}
		})
	}
}

// ends has two connected sockets, and the memory for messages of 64 bytes.
type ends struct {
	push, pull   *zmq.Socket
	payload, buf []byte
	parts        [][]byte
	message      zmq.Message
	whole        zmq.Multipart
	out, in      *zmq.Batch
	pool         *pool.Pool
	live         context.Context // can be canceled
}

func newEnds(b *testing.B) *ends {
	zctx := newContext(b)
	e := &ends{
		push: newSocket(b, zctx, zmq.Push), pull: newSocket(b, zctx, zmq.Pull),
		payload: make([]byte, 64), buf: make([]byte, 64),
		out: zmq.NewBatch(1), in: zmq.NewBatch(1), pool: pool.New(pool.Config{}), live: b.Context(),
	}
	e.parts = [][]byte{[]byte("topic"), e.payload}
	check(b, e.pull.Bind("inproc://call"))
	check(b, e.push.Connect("inproc://call"))
	check(b, e.recvMessage()) // the message to forward
	b.Cleanup(func() {
		check(b, errors.Join(e.message.Close(), e.whole.Close(), e.out.Close(), e.in.Close(), e.pool.Close()))
	})
	return e
}

func (e *ends) send() error { return e.push.Send(context.Background(), e.payload) }

func (e *ends) recv() error {
	if err := e.send(); err != nil {
		return err
	}
	_, err := e.pull.Recv(context.Background(), e.buf)
	return err
}

func (e *ends) recvCancel() error {
	if err := e.push.Send(e.live, e.payload); err != nil {
		return err
	}
	_, err := e.pull.Recv(e.live, e.buf)
	return err
}

func (e *ends) recvBytes() error {
	if err := e.send(); err != nil {
		return err
	}
	_, err := e.pull.RecvBytes(context.Background())
	return err
}

func (e *ends) take() error { return e.pull.RecvMessage(context.Background(), &e.message) }

func (e *ends) recvMessage() error {
	if err := e.send(); err != nil {
		return err
	}
	return e.take()
}

// forward sends the message that the last call received.
func (e *ends) forward() error {
	if err := e.push.SendMessage(context.Background(), &e.message); err != nil {
		return err
	}
	return e.take()
}

func (e *ends) recvMultipart() error {
	if err := e.push.SendMultipart(context.Background(), e.parts); err != nil {
		return err
	}
	_, err := e.pull.RecvMultipart(context.Background())
	return err
}

func (e *ends) recvMultipartMessage() error {
	if err := e.push.SendMultipart(context.Background(), e.parts); err != nil {
		return err
	}
	return e.pull.RecvMultipartMessage(context.Background(), &e.whole)
}

func (e *ends) batch() error {
	if err := e.out.Append(e.payload); err != nil {
		return err
	}
	if _, err := e.push.SendBatch(context.Background(), e.out); err != nil {
		return err
	}
	_, err := e.pull.RecvBatch(context.Background(), e.in)
	return err
}

func (e *ends) zeroCopy() error {
	m, err := zmq.NewMessageZeroCopy(e.payload, nil)
	if err != nil {
		return err
	}
	if err := e.push.SendMessage(context.Background(), m); err != nil {
		return err
	}
	return e.take()
}

func (e *ends) pooled() error {
	m, err := e.pool.GetBytes(e.payload)
	if err != nil {
		return err
	}
	err = e.push.SendMessage(context.Background(), m)
	e.pool.Put(m)
	if err != nil {
		return err
	}
	return e.take()
}

// threads returns the number of the process's threads. If the system does not report it,
// the number is that of threads created by Go.
func threads() int {
	if tasks, err := os.ReadDir("/proc/self/task"); err == nil {
		return len(tasks)
	}
	return pprof.Lookup("threadcreate").Count()
}

func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func newContext(b *testing.B, settings ...zmq.ContextSetting) *zmq.Context {
	zctx, err := zmq.NewContext(settings...)
	check(b, err)
	b.Cleanup(func() { check(b, zctx.Close()) })
	return zctx
}

func newSocket(b *testing.B, zctx *zmq.Context, t zmq.SocketType) *zmq.Socket {
	s, err := zctx.NewSocket(t, zmq.Linger.To(0), zmq.SendHWM.To(0), zmq.RecvHWM.To(0))
	check(b, err)
	return s
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}
