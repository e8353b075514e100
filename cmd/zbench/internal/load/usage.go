package load

import (
	"runtime/metrics"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// usage is what the process has used since it began.
type usage struct {
	cpu                           time.Duration
	objects, bytes, gcs, crossing uint64
}

// read uses runtime/metrics, since reading the MemStats stops the world, which is
// what would be measured.
func (u *usage) read() {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:objects"},
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/cgo/go-to-c-calls:calls"},
	}
	u.cpu = processTime()
	metrics.Read(samples)
	for i, to := range []*uint64{&u.objects, &u.bytes, &u.gcs, &u.crossing} {
		*to = samples[i].Value.Uint64()
	}
}

// until writes what was used since u into a record.
func (u *usage) until(r *record.Run) {
	var now usage
	now.read()
	r.CPU = now.cpu - u.cpu
	r.Allocs, r.AllocBytes = now.objects-u.objects, now.bytes-u.bytes
	r.GCs, r.Crossings = uint32(now.gcs-u.gcs), int64(now.crossing-u.crossing)
}
