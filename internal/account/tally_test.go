package account_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-zmq/go-zmq/internal/account"
)

// The kinds of faults that are counted.
const (
	broken     = "connections broken"
	harmed     = "connections delayed, split or blackholed"
	interrupts = "signals"
	cancels    = "calls cancelled"
	kills      = "peers killed"
	stops      = "peers stopped"
	cuts       = "networks cut"
	closings   = "sockets closed, unbound or bound again in use"
)

// A tally sums up what all tests found, for the line at the end.
type tally struct {
	mu      sync.Mutex
	sum     account.Report
	lost    uint64 // although nothing explains it
	gone    uint64 // with a connection, a socket or a peer that came to its end
	dropped uint64 // by PUB sockets, which counted them
	faults  map[string]uint64
}

var totals tally

// book enters what a test found in a ledger, and how many messages were lost that
// should not have been.
func (s *tally) book(l *account.Ledger, lost uint64) {
	r := l.Report()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum.Received += r.Received
	s.sum.Doubled += r.Doubled
	s.sum.Reordered += r.Reordered
	s.sum.Torn += r.Torn
	s.sum.Corrupt += r.Corrupt
	s.lost += lost
}

// explain enters messages that did not arrive, as they may.
func (s *tally) explain(gone, dropped uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone += gone
	s.dropped += dropped
}

func (s *tally) fault(kind string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults == nil {
		s.faults = map[string]uint64{}
	}
	s.faults[kind] += uint64(n)
}

// lines returns two: which faults there were and what they cost, and the sums.
func (s *tally) lines() (faults, sums string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kinds []string
	total := uint64(0)
	for _, kind := range slices.Sorted(maps.Keys(s.faults)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", s.faults[kind], kind))
		total += s.faults[kind]
	}
	faults = fmt.Sprintf("faults: %s; %d messages gone with connections, sockets and peers that ended, %d dropped by PUB and counted",
		strings.Join(kinds, ", "), s.gone, s.dropped)
	sums = fmt.Sprintf("account: %d messages, %d faults, %d lost, %d doubled, %d reordered, %d torn, %d corrupt",
		s.sum.Received, total, s.lost, s.sum.Doubled, s.sum.Reordered, s.sum.Torn, s.sum.Corrupt)
	return faults, sums
}

// The line tells what the ledgers say, not what one hopes for.
func TestTally(t *testing.T) {
	t.Parallel()
	var s tally
	var l account.Ledger
	all := messagesOf(1, 12)
	for _, i := range []int{0, 1, 1, 3, 2} {
		l.Take(0, all[i])
	}
	l.Take(0, nil)
	all[4][0][17] ^= 1
	l.Take(0, all[4])
	lost, _ := l.Missing(1, 5)
	s.book(&l, lost)
	s.explain(8, 9)
	s.fault(kills, 2)
	s.fault(kills, 1)
	s.fault(cuts, 1)
	faults, sums := s.lines()
	if want := "account: 5 messages, 4 faults, 1 lost, 1 doubled, 1 reordered, 1 torn, 1 corrupt"; sums != want {
		t.Errorf("%q instead of %q", sums, want)
	}
	if want := "faults: 1 networks cut, 3 peers killed; 8 messages gone"; !strings.HasPrefix(faults, want) {
		t.Errorf("%q does not begin with %q", faults, want)
	}
}
