package workload

import "time"

// end is the number of the first message after a run. No message of a run has it. It is
// smaller if an int has 32 bits.
const end = 1 << (30 + 17*(^uint(0)>>63))

// Conclude runs one message from each sender to each receiver, or one round trip for
// each, with the numbers from end on. Messages left over from a run arrive before these,
// on the same connection, and have other numbers.
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
	b.shareOut(share * len(b.senders)) // read by Latencies
	return err
}
