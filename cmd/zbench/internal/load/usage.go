package load

import (
	"runtime/metrics"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Meter says what the process uses from Begin to Until.
type Meter struct {
	cpu                       time.Duration
	objects, bytes, gcs, cgos uint64
}

// Begin starts the meter. It reads runtime/metrics, because reading runtime.MemStats stops
// the world and would be part of the measurement.
func (m *Meter) Begin() {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:objects"},
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/cgo/go-to-c-calls:calls"},
	}
	m.cpu = processTime()
	metrics.Read(samples)
	for i, to := range []*uint64{&m.objects, &m.bytes, &m.gcs, &m.cgos} {
		*to = samples[i].Value.Uint64()
	}
}

// Until writes into a record what was used since Begin.
func (m *Meter) Until(r *record.Run) {
	var now Meter
	now.Begin()
	r.CPU = now.cpu - m.cpu
	r.Allocs, r.AllocBytes = now.objects-m.objects, now.bytes-m.bytes
	r.GCs, r.Crossings = uint32(now.gcs-m.gcs), int64(now.cgos-m.cgos)
}
