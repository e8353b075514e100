package park

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// With one processor there would be no spins to test.
func init() { Processors = 1 << 20 }

func TestSpinsInVainBecomeRarer(t *testing.T) {
	var p Spin
	inVain := func() {
		require.True(t, p.Again(Adaptive, 0))
		for p.Again(Adaptive, 0) { // until its time is over
		}
	}
	inVain()
	for want := 0; want < maxSkips; want = 2*want + 1 {
		for range want {
			require.False(t, p.Again(Adaptive, 0), "this wait goes by without a spin")
		}
		inVain()
	}
	for range maxSkips {
		require.False(t, p.Again(Adaptive, 0))
	}
	require.True(t, p.Again(Adaptive, 0))
	p.until = time.Now().Add(time.Hour) // however long this goroutine has to wait here
	p.Found()
	require.True(t, p.Again(Adaptive, 0), "after success each wait begins with a spin")
	p.Stop()
	require.True(t, p.Again(Adaptive, 0))
}

// A message that is found late, since others had the processor, is no success.
func TestLateSpinsAreInVain(t *testing.T) {
	var p Spin
	require.True(t, p.Again(Adaptive, 0))
	p.until = time.Now().Add(-time.Microsecond)
	p.Found()
	require.False(t, p.Active())
	require.True(t, p.Again(Adaptive, 0), "the first one in vain leaves out none")
	p.until = time.Now().Add(-time.Microsecond)
	p.Found()
	require.False(t, p.Again(Adaptive, 0))
}

// The last processor is free of spins now and then, for the netpoller.
func TestSpinnersAreFew(t *testing.T) {
	before := Processors
	defer func() { Processors = before }()
	Processors = spinners.Load() + 2
	refused.Store(int64(time.Since(started) - time.Hour))
	var first, second, third Spin
	require.True(t, first.Again(Adaptive, 0))
	require.False(t, second.Again(Adaptive, 0), "the last one was not refused for long")
	refused.Store(int64(time.Since(started) + time.Hour))
	require.True(t, second.Again(Adaptive, 0), "it was refused just now")
	require.False(t, third.Again(Adaptive, 0), "there are as many as processors")
	require.True(t, third.Again(time.Hour, 0), "SpinTime is for the user to choose")
	third.Stop()
	second.InVain()
	require.True(t, third.Again(Adaptive, 0))
	third.Stop()
	first.Stop()
	Processors = spinners.Load() + 1
	if Processors == 1 {
		require.False(t, first.Again(Adaptive, 0), "with one processor nobody spins")
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
		for range maxLooks {
			require.True(t, p.Again(Adaptive, maxMessages+1))
			require.True(t, p.Active())
		}
		require.False(t, p.Again(Adaptive, maxMessages+1))
		require.False(t, p.Active())
	}
	require.True(t, p.Again(Adaptive, maxMessages+1))
	p.Found()
	require.False(t, p.Active())
	require.Zero(t, p.good)
	require.EqualValues(t, 1, p.skip)
	p.skip = 0
	require.True(t, p.Again(Adaptive, maxMessages))
	p.until = time.Now().Add(time.Hour) // however long this goroutine has to wait here
	for range maxLooks + 1 {
		require.True(t, p.Again(Adaptive, maxMessages+1), "the spin has begun")
	}
	p.Stop()
}

// A limit that is set during the looks of a stream ends them, so that later waits spin.
func TestLimitEndsLooks(t *testing.T) {
	var p Spin
	require.True(t, p.Again(Adaptive, maxMessages+1))
	require.False(t, p.Again(0, maxMessages+1))
	require.False(t, p.Active())
}

// A goroutine that spins lets other goroutines run.
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
