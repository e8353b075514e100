package aborts

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// linuxRows are the causes that tests can provoke on Linux only.
var linuxRows = []row{
	{"02", "no descriptors for the first socket", tryDescriptors},
	{"02", "no descriptor to wait with", tryWaiting},
	{"02", "no descriptor to attach with", tryNoSpare},
	{"03", "no new socket while descriptors are few", tryHeadRoom},
	{"03", "no descriptor to accept an ipc peer", where(guard, tryIPCAccept)},
	{"03b", "no descriptor to accept a tcp peer", tryTCPAccept},
	{"10", "no thread can be started", tryThreads},
	{"12", "memory is limited", tryMemory},
	{"16b", "a scheduling policy without the right to it", tryScheduling},
	{"16c", "more I/O threads than descriptors", tryThreadDescriptors},
	{"18", "no descriptor to settle inproc names", trySettlingWithout},
	{"26", "thread-safe sockets closed at the limit of descriptors", tryClosing},
	{"26", "udp at the limit of descriptors", tryUDPDescriptors},
	{"27", "a priority that is not allowed", tryPriority},
	{"30", "errors of the network when sending", where(canFilter, trySendErrors)},
	{"30", "errors of the network when receiving", where(canFilter, tryRecvErrors)},
	{"30", "errors of the network when connecting", where(canFilter, tryConnectErrors)},
	{"31", "programs started meanwhile", where(canFilter, tryFork)},
	{"40", "datagrams that are no group", where(guard, tryStrayDatagrams)},
	{"57", "a peer hangs up while its queue is full, before a heartbeat", where(guard, tryHangUp)},
	{"57", "a peer closes while its queue is full, before a heartbeat", where(guard, tryClosedPeer)},
}

// guard returns an error if the guard is not active. TestGuardIsActive says where it must be.
func guard() error {
	if zmq.Has("guard") {
		return nil
	}
	return errors.New("the guard is not active")
}

// The tables of docs/safety.md name tests in their last column. `TestAborts/09` is every row of this
// package with the number 09.

func TestSafetyTables(t *testing.T) {
	text, err := os.ReadFile("../../docs/safety.md")
	require.NoError(t, err)
	require.Empty(t, faults(string(text)))
	for number := 1; number <= 58; number++ {
		require.Regexp(t, fmt.Sprintf(`(?m)^\| %d[ab]? `, number), string(text), "a row is missing")
	}
}

// A table that names a missing row, or lacks one, has faults.
func TestSafetyTablesFaults(t *testing.T) {
	table := func(lines ...string) []string {
		return faults("| row | test |\n| --- | --- |\n" + strings.Join(lines, "\n") + "\n")
	}
	require.NotContains(t, table("| 44 | `TestAborts/44`, `TestOther` |"), "no table names 44-a-PAIR-binds-a-name-that-others-are-connected-to")
	require.Contains(t, table("| 44 † | `TestOther` |"), "no table names 44-a-PAIR-binds-a-name-that-others-are-connected-to")
	require.Contains(t, table("| 44 | `TestAborts/44` |"), "44 has no †")
	require.Contains(t, table("| 49 † | `TestAborts/49` |"), "49 has a †, and no sequence")
	require.Contains(t, table("| 49 | `TestAborts/4` |"), "there is no `TestAborts/4`")
	require.Contains(t, table("| 49 | |"), "49 has no test")
}

// cited matches the name of a test. TestDocumentsNameWhatExists checks that the test exists.
var cited = regexp.MustCompile("`Test[A-Z]\\w*(?:/([A-Za-z0-9-]+))?`")

// faults compares the tables of a text with those of this package.
func faults(text string) (found []string) {
	all := slices.Concat(rows, linuxRows)
	covered, daggers := map[string]bool{}, map[string]bool{}
	for _, m := range cited.FindAllStringSubmatch(text, -1) {
		if m[1] == "" {
			continue
		}
		runs := false
		for _, r := range all {
			if strings.HasPrefix(r.name(), m[1]+"-") {
				covered[r.name()], runs = true, true
			}
		}
		if !runs {
			found = append(found, "there is no "+m[0])
		}
	}
	for name, tested := range tableRows(text) {
		number, dagger := strings.CutSuffix(name, " †")
		if len(strings.TrimRight(number, "abc")) == 1 {
			number = "0" + number
		}
		if dagger {
			daggers[number] = true
		}
		if !tested {
			found = append(found, number+" has no test")
		}
	}
	for _, r := range all {
		if !covered[r.name()] {
			found = append(found, "no table names "+r.name())
		}
	}
	for _, s := range sequences {
		if !daggers[s.number] {
			found = append(found, s.number+" has no †")
		}
	}
	for number := range daggers {
		if !slices.ContainsFunc(sequences, func(s sequence) bool { return s.number == number }) {
			found = append(found, number+" has a †, and no sequence")
		}
	}
	return found
}

// tableRows returns the first cells of the tables whose last column is called test, and whether the
// last cell names one.
func tableRows(text string) map[string]bool {
	found := map[string]bool{}
	in := false
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		first, last := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[len(cells)-1])
		switch {
		case !strings.HasPrefix(line, "|"):
			in = false
		case last == "test":
			in = true
		case in && strings.Trim(last, "-") != "" || in && last == "":
			tested, again := found[first]
			found[first] = cited.MatchString(last) && (tested || !again)
		}
	}
	return found
}
