package quick

import (
	"encoding/json"
	"io"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/internal/workload"
)

// schema names the form of the JSON lines. It changes when a field changes its
// meaning, not when one is added.
const schema = "zbench/1"

type head struct {
	Schema string `json:"schema"`
	Kind   string `json:"kind"` // "env" in the first line, then "cell"
}

type envLine struct {
	head
	machine.Info
	Doubts []string `json:"doubts,omitempty"`
}

type cellLine struct {
	head
	Pattern   workload.Pattern   `json:"pattern"`
	Transport workload.Transport `json:"transport"`
	Size      int                `json:"size"`
	Mode      workload.Mode      `json:"mode"`
	Impl      workload.Impl      `json:"impl"`
	Messages  int                `json:"messages_per_run"`
	Rate      float64            `json:"msg_per_s"`
	GB        float64            `json:"gb_per_s"`
	Ns        float64            `json:"ns_per_msg"`
	CPU       float64            `json:"cpu_ns_per_msg"`
	Allocs    float64            `json:"allocs_per_msg"`
	Crossings float64            `json:"cgo_per_msg"`
	GCs       uint32             `json:"gcs"`
	Stalls    int                `json:"stalls"`
	PercentC  float64            `json:"percent_of_c"`
	Samples   []float64          `json:"ns_per_msg_samples"` // one a repeat, in order
}

// JSON writes the machine and the cells, a line each.
func JSON(w io.Writer, info machine.Info, cells []Cell) error {
	enc := json.NewEncoder(w)
	if err := enc.Encode(envLine{head{schema, "env"}, info, info.Doubts()}); err != nil {
		return err
	}
	for i, c := range cells {
		floor := cells[i|1] // itself, if it is C's
		l := cellLine{
			head:    head{schema, "cell"},
			Pattern: c.Spec.Pattern, Transport: c.Spec.Transport, Size: c.Spec.Size, Mode: c.Spec.Mode, Impl: c.Spec.Impl,
			Messages:  c.Spec.Messages,
			Rate:      c.Rate(),
			GB:        c.GB(),
			Ns:        c.NsPerMessage(),
			CPU:       c.Median(workload.Result.CPUPerMessage),
			Allocs:    c.Median(workload.Result.AllocsPerMessage),
			Crossings: c.Median(workload.Result.CrossingsPerMessage),
			Stalls:    c.Stalls,
			PercentC:  percentOfC(c, floor),
		}
		for _, s := range c.Samples {
			l.GCs += s.GCs
			l.Samples = append(l.Samples, s.NsPerMessage())
		}
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}
