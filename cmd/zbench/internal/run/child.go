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
	"path/filepath"
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
	Serve  bool // answer the parent's messages, until standard input ends
}

// InProcess measures cells of this process's libzmq, and those of other engines in
// children.
func InProcess(info machine.Info) Measure {
	env := record.NewEnv(info)
	return func(ctx context.Context, cell record.Cell, method record.Method) (record.Run, record.Env, error) {
		if cell.Engine != "" {
			return inChild(ctx, cell, method)
		}
		measure := load.Measure
		if cell.Procs > 1 {
			measure = inTwo
		}
		r, err := measure(ctx, cell, method)
		r.Env = env.ID
		return r, env, err
	}
}

// patience is for a child that was told to end.
const patience = 5 * time.Second

// command returns a child that was told its task, and nothing more.
func command(ctx context.Context, t task) (cmd *exec.Cmd, told []byte, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("zbench cannot start itself as another process: %w", err)
	}
	cmd = exec.CommandContext(ctx, self, ChildVerb)
	cmd.Args[0] = os.Args[0]
	cmd.Env = os.Environ()
	cmd.WaitDelay = patience
	apart(cmd)
	told, err = json.Marshal(t)
	return cmd, append(told, '\n'), err
}

func inChild(ctx context.Context, cell record.Cell, method record.Method) (r record.Run, e record.Env, err error) {
	cmd, told, err := command(ctx, task{Cell: cell, Method: method})
	if err != nil {
		return r, e, err
	}
	// A name without a slash would be looked for where the system has its libraries.
	library, err := filepath.Abs(cell.Engine)
	if err != nil {
		return r, e, err
	}
	var out, errs bytes.Buffer
	cmd.Env = append(cmd.Env, libraryVariable+"="+library)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(told), &out, &errs
	err = cmd.Run()
	if cause := context.Cause(ctx); cause != nil {
		return r, e, cause
	}
	if err != nil {
		return r, e, fmt.Errorf("engine %s: %w", cell.Engine, said(&errs, err))
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

// said returns what a child that failed said, or how it ended.
func said(stderr *bytes.Buffer, err error) error {
	text := strings.TrimPrefix(strings.TrimSpace(stderr.String()), "zbench: ")
	if text == "" {
		return err
	}
	return errors.New(text)
}

// inTwo measures round trips to a child that answers.
func inTwo(ctx context.Context, cell record.Cell, method record.Method) (r record.Run, err error) {
	cmd, told, err := command(ctx, task{Cell: cell, Serve: true})
	if err != nil {
		return r, err
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return r, err
	}
	// Its end tells the child to clean up, which being killed would not.
	cmd.Cancel = in.Close
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, fmt.Errorf("zbench cannot start itself as another process: %w", err)
	}
	var peer load.Peer
	_, err = in.Write(told)
	if err == nil {
		err = json.NewDecoder(out).Decode(&peer)
	}
	if err == nil {
		r, err = load.MeasurePeer(ctx, cell, method, &peer)
	}
	ended := errors.Join(in.Close(), cmd.Wait())
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return r, cause
	case ended != nil && !errors.Is(ended, os.ErrClosed):
		return r, fmt.Errorf("%s: the process that answers failed: %w", cell, said(&errs, ended))
	}
	return r, err
}

// Child is what a child does.
func Child(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	var t task
	tasks := json.NewDecoder(stdin)
	if err := tasks.Decode(&t); err != nil {
		return fmt.Errorf("%s is for zbench itself, which tells it what to measure: %w", ChildVerb, err)
	}
	if t.Serve {
		return serve(ctx, t.Cell, stdin, stdout)
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

// serve answers until standard input ends: so the child ends with its parent,
// whatever that dies of.
func serve(ctx context.Context, cell record.Cell, stdin io.Reader, stdout io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // an error is an end, too
		cancel()
	}()
	return load.Serve(ctx, cell, func(p load.Peer) error { return json.NewEncoder(stdout).Encode(p) })
}
