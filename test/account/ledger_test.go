package account_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/account"
)

func clone(parts [][]byte) (c [][]byte) {
	for _, p := range parts {
		c = append(c, slices.Clone(p))
	}
	return c
}

// messagesOf returns the first messages of a producer.
func messagesOf(id uint32, n int) (all [][][]byte) {
	p := account.Producer{ID: id}
	for range n {
		all = append(all, clone(p.Make()))
	}
	return all
}

// Each kind of harm is found, and counted as what it is.
func TestLedgerFindsHarm(t *testing.T) {
	t.Parallel()
	const n, victim = 1000, 500
	several := slices.IndexFunc(messagesOf(1, n), func(m [][]byte) bool { return len(m) > 3 && len(m[1]) > 0 })
	require.Positive(t, several)
	type found struct{ lost, doubled, reordered, torn, corrupt uint64 }
	for name, c := range map[string]struct {
		harm func(all [][][]byte) [][][]byte
		want found
	}{
		"none":    {func(all [][][]byte) [][][]byte { return all }, found{}},
		"lost":    {func(all [][][]byte) [][][]byte { return slices.Delete(all, victim, victim+2) }, found{lost: 2}},
		"doubled": {func(all [][][]byte) [][][]byte { return slices.Insert(all, victim, all[victim]) }, found{doubled: 1}},
		"reordered": {func(all [][][]byte) [][][]byte {
			all[victim], all[victim+1] = all[victim+1], all[victim]
			return all
		}, found{reordered: 1}},
		"a part less": {func(all [][][]byte) [][][]byte {
			all[several] = all[several][:len(all[several])-1]
			return all
		}, found{lost: 1, torn: 1}},
		"a part more": {func(all [][][]byte) [][][]byte {
			all[several] = append(all[several], nil)
			return all
		}, found{lost: 1, torn: 1}},
		"a part without its header": {func(all [][][]byte) [][][]byte {
			all[several] = all[several][1:]
			return all
		}, found{lost: 1, torn: 1}},
		"a bit in the header": {func(all [][][]byte) [][][]byte {
			all[victim][0][17] ^= 1
			return all
		}, found{lost: 1, corrupt: 1}},
		"a bit in a part": {func(all [][][]byte) [][][]byte {
			all[several][1][0] ^= 1
			return all
		}, found{lost: 1, corrupt: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l account.Ledger
			for _, m := range c.harm(messagesOf(1, n)) {
				l.Take(0, m)
			}
			r := l.Report()
			lost, _ := l.Missing(1, n)
			require.Equal(t, c.want, found{lost, r.Doubled, r.Reordered, r.Torn, r.Corrupt})
			if c.want == (found{lost: c.want.lost}) {
				require.NoError(t, r.Fault())
			} else {
				require.Error(t, r.Fault())
			}
		})
	}
}

// Order is a matter of one connection.
func TestLedgerStreams(t *testing.T) {
	t.Parallel()
	all := messagesOf(1, 10)
	var l account.Ledger
	for i := range 5 {
		l.Take(0, all[i])
	}
	l.Take(1, all[7])
	l.Take(1, all[9])
	l.Take(0, all[5])
	r := l.Report()
	require.NoError(t, r.Fault())
	require.EqualValues(t, 1, r.Skipped, "8, on the second connection")
	lost, runs := l.Missing(1, 10)
	require.EqualValues(t, 2, lost)
	require.EqualValues(t, 2, runs)
	require.EqualValues(t, 10, l.End(1))
	require.True(t, l.Has(1, 7))
	require.False(t, l.Has(1, 8) || l.Has(1, 10) || l.Has(2, 0))
	require.EqualValues(t, 8, l.Received(1))
	require.Equal(t, []uint32{1}, l.Producers())
}
