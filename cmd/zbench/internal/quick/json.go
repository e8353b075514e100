package quick

import (
	"io"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/workload"
)

// JSON writes records: the machine, the cells' samples, and other runs.
func JSON(w io.Writer, info machine.Info, cells []Cell, others []record.Run) error {
	env := record.NewEnv(info)
	out := record.NewWriter(w)
	if err := out.Env(env); err != nil {
		return err
	}
	for _, c := range cells {
		for i, s := range c.Samples {
			if err := out.Run(run(c.Spec, s, i+1, env.ID)); err != nil {
				return err
			}
		}
	}
	for _, r := range others {
		if err := out.Run(r); err != nil {
			return err
		}
	}
	return nil
}

// run returns a sample as a record. When it began was not noted; runs in the
// sample were made for minTime.
func run(spec workload.Spec, s workload.Result, repeat int, env string) record.Run {
	return record.Run{
		Cell: record.Cell{
			Verb: record.Thr, Pattern: string(spec.Pattern), Transport: string(spec.Transport), Size: spec.Size,
			Mode: string(spec.Mode), Impl: string(spec.Impl),
		},
		Env: env, Repeat: repeat, Start: time.Now().UTC(), Method: record.Method{Duration: minTime},
		Messages: int64(s.Messages), Bytes: s.Bytes, Elapsed: s.Elapsed,
		CPU: s.CPU, Allocs: s.Allocs, AllocBytes: s.AllocBytes, GCs: s.GCs, Crossings: s.Crossings,
	}
}
