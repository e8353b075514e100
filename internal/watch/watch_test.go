package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWatchdogSleepsWhileNothingHappens(t *testing.T) {
	interval := watchdogInterval
	for range 10 {
		interval = next(interval, false, false)
	}
	require.Equal(t, watchdogMaxInterval, interval)
	require.Equal(t, watchdogInterval, next(interval, true, false))
	require.Equal(t, watchdogNextLook, next(interval, true, true))
}

func TestWatchdogStops(t *testing.T) {
	NewWatchdog().Stop() // it has not started
	d := NewWatchdog()
	looks := make(chan bool, 10)
	d.Start(func() (uint64, bool) { looks <- true; return 0, true })
	d.Start(func() (uint64, bool) { t.Error("started twice"); return 0, true })
	<-looks
	d.Stop()
	n := len(looks)
	time.Sleep(2 * watchdogNextLook) // the time in which another look would come
	require.Len(t, looks, n)
}

func TestSuspicionIsCertainAfterManyLooks(t *testing.T) {
	var p Suspicion
	for wakeups := range uint64(3) {
		for range Looks - 1 {
			require.False(t, p.Again(wakeups), "the watcher has run")
		}
	}
	require.True(t, p.Again(2))
	require.False(t, p.Again(2), "it begins anew")
}
