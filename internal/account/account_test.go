package account_test

import (
	"testing"
	"time"
)

// cells say which share of the messages goes which way, in hundredths. What takes
// several times as long for each message gets fewer of them.
var cells = []struct {
	pattern string
	run     func(t *testing.T, way, transport string, n int)
	shares  map[string]int
}{
	{"PUSH-PULL", pushPull, map[string]int{plain: 6, batch: 12, readAhead: 8, pooled: 4, polled: 5}},
	// Not pooled: that sends part by part, which is not for sockets that goroutines share.
	{"PUSH-PULL shared", sharedPushPull, map[string]int{plain: 2, batch: 5, readAhead: 2, polled: 2}},
	{"DEALER-ROUTER", dealerRouter, map[string]int{plain: 3, batch: 10, readAhead: 4, pooled: 3, polled: 3}},
	{"PAIR", bothWays, map[string]int{plain: 3, batch: 6, readAhead: 3, pooled: 2, polled: 2}},
	{"PUB-SUB", pubSub, map[string]int{plain: 3, batch: 4, readAhead: 2, pooled: 2, polled: 2}},
	{"REQ-REP", reqRep, map[string]int{plain: 1, pooled: 1}},
}

// Without faults no message is lost, duplicated, reordered, torn or corrupted, for every pattern,
// socket setting and transport, and no goroutine waits for a message that has arrived.
func TestAccount(t *testing.T) {
	begin := time.Now()
	total := 0
	for _, c := range cells {
		for _, way := range []string{plain, batch, readAhead, pooled, polled} {
			share := c.shares[way]
			if share == 0 {
				continue
			}
			for _, transport := range []string{"inproc", "tcp", "ipc"} {
				n := max(*messages*share/100/3, 12)
				t.Run(c.pattern+"/"+way+"/"+transport, func(t *testing.T) {
					start := time.Now()
					c.run(t, way, transport, n)
					t.Logf("%.2f µs a message", float64(time.Since(start).Microseconds())/float64(n))
				})
				total += n
			}
		}
	}
	t.Logf("without faults: %d messages in %v", total, time.Since(begin).Round(time.Second))
}
