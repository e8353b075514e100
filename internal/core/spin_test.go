package core

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// With one processor there would be no spins to test.
func init() { processors = 1 << 20 }

// patience is how long a test waits for what should take milliseconds.
const patience = 30 * time.Second

// echo answers until the socket is closed.
func echo(s *Socket) {
	buf := make([]byte, 8)
	for {
		n, err := s.Recv(context.Background(), buf, false)
		if err == nil {
			err = s.Send(context.Background(), buf[:n], false)
		}
		if err != nil {
			return
		}
	}
}

func TestSpinsInVainBecomeRarer(t *testing.T) {
	var p Spin
	inVain := func() {
		require.True(t, p.Again(SpinAdaptive, 0))
		for p.Again(SpinAdaptive, 0) { // until its time is over
		}
	}
	inVain()
	for want := 0; want < spinSkips; want = 2*want + 1 {
		for range want {
			require.False(t, p.Again(SpinAdaptive, 0), "this wait goes by without a spin")
		}
		inVain()
	}
	for range spinSkips {
		require.False(t, p.Again(SpinAdaptive, 0))
	}
	require.True(t, p.Again(SpinAdaptive, 0))
	p.until = time.Now().Add(time.Hour) // however long this goroutine has to wait here
	p.Found()
	require.True(t, p.Again(SpinAdaptive, 0), "after success each wait begins with a spin")
	p.Stop()
	require.True(t, p.Again(SpinAdaptive, 0))
}

// A message that is found late, since others had the processor, is no success.
func TestLateSpinsAreInVain(t *testing.T) {
	var p Spin
	require.True(t, p.Again(SpinAdaptive, 0))
	p.until = time.Now().Add(-time.Microsecond)
	p.Found()
	require.False(t, p.Active())
	require.True(t, p.Again(SpinAdaptive, 0), "the first one in vain leaves out none")
	p.until = time.Now().Add(-time.Microsecond)
	p.Found()
	require.False(t, p.Again(SpinAdaptive, 0))
}

// The last processor is free of spins now and then, for the netpoller.
func TestSpinnersAreFew(t *testing.T) {
	before := processors
	defer func() { processors = before }()
	processors = spinners.Load() + 2
	refused.Store(0)
	var first, second, third Spin
	require.True(t, first.Again(SpinAdaptive, 0))
	require.False(t, second.Again(SpinAdaptive, 0), "the last one was not refused for long")
	refused.Store(int64(time.Since(started) + time.Hour))
	require.True(t, second.Again(SpinAdaptive, 0), "it was refused just now")
	require.False(t, third.Again(SpinAdaptive, 0), "there are as many as processors")
	require.True(t, third.Again(time.Hour, 0), "SpinTime is for the user to choose")
	third.Stop()
	second.InVain()
	require.True(t, third.Again(SpinAdaptive, 0))
	third.Stop()
	first.Stop()
	processors = spinners.Load() + 1
	if processors == 1 {
		require.False(t, first.Again(SpinAdaptive, 0), "with one processor nobody spins")
	}
}

func TestSpinLimits(t *testing.T) {
	var p Spin
	require.False(t, p.Again(0, 0))
	require.True(t, p.Again(time.Hour, 100))
	require.True(t, p.Again(time.Hour, 100))
	p.Stop()
	p.skip = 1
	require.True(t, p.Again(time.Hour, 100), "a limit of the user's is not adaptive")
}

// A stream's receiver looks a few times in each wait, whatever came of the spins before.
func TestStreamsSpinForAFewLooks(t *testing.T) {
	var p Spin
	p.skip = 1
	for range 3 {
		for range spinLooks {
			require.True(t, p.Again(SpinAdaptive, spinMessages+1))
			require.True(t, p.Active())
		}
		require.False(t, p.Again(SpinAdaptive, spinMessages+1))
		require.False(t, p.Active())
	}
	require.True(t, p.Again(SpinAdaptive, spinMessages+1))
	p.Found()
	require.False(t, p.Active())
	require.Zero(t, p.good)
	require.EqualValues(t, 1, p.skip)
	p.skip = 0
	require.True(t, p.Again(SpinAdaptive, spinMessages))
	p.until = time.Now().Add(time.Hour) // however long this goroutine has to wait here
	for range spinLooks + 1 {
		require.True(t, p.Again(SpinAdaptive, spinMessages+1), "the spin has begun")
	}
	p.Stop()
}

// A limit that is set during the looks of a stream ends them, so that later waits spin.
func TestLimitEndsLooks(t *testing.T) {
	var p Spin
	require.True(t, p.Again(SpinAdaptive, spinMessages+1))
	require.False(t, p.Again(0, spinMessages+1))
	require.False(t, p.Active())
}

func TestSpinsTakeThePlaceOfWatching(t *testing.T) {
	c := newContext(t)
	server, client := connected(t, c, "tcp://127.0.0.1:*", libzmq.Dealer, libzmq.Dealer, 1000)
	require.NoError(t, server.SetSpinTime(SpinAdaptive))
	require.NoError(t, client.SetSpinTime(SpinAdaptive))
	var ended sync.WaitGroup
	ended.Go(func() { echo(server) })
	buf := make([]byte, 8)
	started := time.Now()
	for {
		require.NoError(t, client.Send(context.Background(), []byte("ping"), false))
		_, err := client.Recv(context.Background(), buf, false)
		require.NoError(t, err)
		client.mu.Lock()
		done := client.spin.need > 0 && client.fd == nil
		client.mu.Unlock()
		if done {
			break
		}
		require.Less(t, time.Since(started), patience, "no spin takes the place of watching")
	}
	require.NoError(t, server.Close())
	ended.Wait()
}

// What happens to a socket is noticed during a spin.
func TestEndOfASpin(t *testing.T) {
	spins := func(s *Socket) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.spin.Active()
	}
	ends := map[string]struct {
		end  func(*Socket, context.CancelFunc) error
		want error
	}{
		"close":  {func(s *Socket, _ context.CancelFunc) error { return s.Close() }, ErrClosed},
		"cancel": {func(_ *Socket, cancel context.CancelFunc) error { cancel(); return nil }, context.Canceled},
	}
	for name, e := range ends {
		t.Run(name, func(t *testing.T) {
			c := newContext(t)
			caught := 0
			for started := time.Now(); caught < 20; {
				require.Less(t, time.Since(started), patience, "no spin was seen")
				s := newTestSocket(t, c, libzmq.Pull, 1)
				require.NoError(t, s.SetSpinTime(SpinAdaptive))
				require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
				ctx, cancel := context.WithCancel(t.Context())
				result := make(chan error, 1)
				go func() {
					_, err := s.Recv(ctx, make([]byte, 8), false)
					result <- err
				}()
				for s.Stats().Waiting == 0 { // it spins before that
					if spins(s) {
						caught++
						break
					}
				}
				require.NoError(t, e.end(s, cancel))
				require.ErrorIs(t, <-result, e.want)
				cancel()
				require.NoError(t, s.Close())
			}
		})
	}
}

// The watcher stays while the descriptor or the connections need it, even if no goroutine waits.
func TestUnwatch(t *testing.T) {
	c := newContext(t)
	for name, rely := range map[string]func(*Socket){
		"descriptor": func(s *Socket) { s.fdGiven = true },
		"attention":  func(s *Socket) { s.attentive = true },
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSocket(t, c, libzmq.Pull, 1)
			s.mu.Lock()
			require.NoError(t, s.watch())
			rely(s)
			file := s.unwatch()
			s.mu.Unlock()
			require.Nil(t, file)
			require.NoError(t, s.Close())
		})
	}
	s := newTestSocket(t, c, libzmq.Pull, 1)
	s.mu.Lock()
	require.NoError(t, s.watch())
	file := s.unwatch()
	s.mu.Unlock()
	require.NotNil(t, file)
	require.NoError(t, file.Close())
}

// A receiver that received several messages since its last wait leaves others to gather.
func TestOthersRunWhileOneSpins(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var ran atomic.Bool
	ended := make(chan struct{})
	go func() {
		ran.Store(true)
		close(ended)
	}()
	// Now and then the scheduler takes the goroutine that yielded first. The runtime itself
	// would need ten milliseconds to take its processor away.
	for begun, times := time.Now(), 0; !ran.Load() && (times < 3 || time.Since(begun) < 5*time.Millisecond); times++ {
		Yield()
	}
	meanwhile := ran.Load()
	<-ended
	require.True(t, meanwhile, "a goroutine that spins keeps the processor")
}
