package workload

import "time"

// end is the number of the first message behind a run, which no message of a run has.
// An int of 32 bits has less room for it.
const end = 1 << (30 + 17*(^uint(0)>>63))

// Conclude makes a run of one message from each sender to each receiver, or of one round
// trip for each, with the numbers from end on. What a run has left over comes before
// these, on the same connection, and has another number.
func (b *binding) Conclude() error {
	share := b.senders[0].messages
	samples := make([][]time.Duration, len(b.senders))
	for i, p := range b.senders {
		p.tag |= end
		samples[i], p.samples = p.samples, nil
	}
	for _, p := range b.receivers {
		p.tag |= end
		p.number += end
	}
	_, _, err := b.Run(b.spec.among())
	for i, p := range b.senders {
		p.tag &^= end
		p.samples = samples[i]
	}
	for _, p := range b.receivers {
		p.tag &^= end
		p.number -= end
	}
	b.shareOut(share * len(b.senders)) // Latencies looks there
	return err
}
