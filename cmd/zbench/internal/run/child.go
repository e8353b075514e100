package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// A process has one libzmq. Another one is measured in a child: zbench with the
// hidden verb ChildVerb, which is told by its standard input what to measure and
// writes records to its standard output.

// ChildVerb is the verb of a child.
const ChildVerb = "measure-cell"

// libraryVariable tells the binding which libzmq to load.
const libraryVariable = "GOZMQ_LIBRARY"

// task is what a child is told.
type task struct {
	Cell   record.Cell
	Method record.Method
}

// InProcess measures cells of this process's libzmq, and those of other engines in
// children.
func InProcess(info machine.Info) Measure {
	env := record.NewEnv(info)
	return func(ctx context.Context, cell record.Cell, method record.Method) (record.Run, record.Env, error) {
		if cell.Engine != "" {
			return inChild(ctx, cell, method)
		}
		r, err := load.Measure(ctx, cell, method)
		r.Env = env.ID
		return r, env, err
	}
}

// patience is for a child that was told to end.
const patience = 5 * time.Second

func inChild(ctx context.Context, cell record.Cell, method record.Method) (r record.Run, e record.Env, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, e, fmt.Errorf("zbench cannot start itself for another engine: %w", err)
	}
	told, err := json.Marshal(task{cell, method})
	if err != nil {
		return r, e, err
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, self, ChildVerb)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), libraryVariable+"="+cell.Engine)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(told), &out, &errs
	cmd.WaitDelay = patience
	apart(cmd)
	err = cmd.Run()
	if cause := context.Cause(ctx); cause != nil {
		return r, e, cause
	}
	if err != nil {
		text := strings.TrimPrefix(strings.TrimSpace(errs.String()), "zbench: ")
		if text == "" {
			text = err.Error()
		}
		return r, e, fmt.Errorf("engine %s: %s", cell.Engine, text)
	}
	var data record.Data
	if err := data.Read("engine "+cell.Engine, &out); err != nil {
		return r, e, err
	}
	if len(data.Runs) != 1 || len(data.Envs) != 1 {
		return r, e, fmt.Errorf("engine %s: its process wrote no result", cell.Engine)
	}
	return data.Runs[0], data.Envs[0], nil
}

// Child is what a child does.
func Child(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	var t task
	if err := json.NewDecoder(stdin).Decode(&t); err != nil {
		return fmt.Errorf("%s is for zbench itself, which tells it what to measure: %w", ChildVerb, err)
	}
	info, err := machine.Look()
	if err != nil {
		return err
	}
	env := record.NewEnv(info)
	r, err := load.Measure(ctx, t.Cell, t.Method)
	if err != nil {
		return err
	}
	r.Env = env.ID
	w := record.NewWriter(stdout)
	return errors.Join(w.Env(env), w.Run(r))
}
