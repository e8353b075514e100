package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/majordomo/mdp"
	"github.com/go-zmq/go-zmq/zmq"
)

// What Titanic's services answer first.
const (
	ok      = "200"
	pending = "300 pending"
	unknown = "400 unknown"
	failed  = "500 failed"
)

// The files of a request. Its number is their name.
const (
	requestFile = ".request"
	replyFile   = ".reply"
)

// serve runs Titanic until ctx is done.
func serve(ctx context.Context, zctx *zmq.Context, endpoint, dir string) error {
	client, err := mdp.NewClient(zctx, endpoint)
	if err != nil {
		return err
	}
	defer client.Close()
	t := &titanic{dir: dir, client: client, kept: make(chan struct{}, 1)}
	g, ctx := errgroup.WithContext(ctx)
	for service, handle := range map[string]mdp.Handler{
		"titanic.request": t.request, "titanic.reply": t.reply, "titanic.close": t.close,
	} {
		g.Go(func() error { return mdp.Serve(ctx, zctx, endpoint, service, handle) })
	}
	g.Go(func() error { return t.dispatch(ctx) })
	return g.Wait()
}

type titanic struct {
	dir    string
	client *mdp.Client
	kept   chan struct{} // receives when there is a new request
}

func answer(status string, rest ...[]byte) [][]byte { return append([][]byte{[]byte(status)}, rest...) }

// request keeps a request, service and body, and answers with its number.
func (t *titanic) request(request [][]byte) [][]byte {
	number := rand.Text()
	if len(request) == 0 || write(filepath.Join(t.dir, number+requestFile), request) != nil {
		return answer(failed)
	}
	select {
	case t.kept <- struct{}{}:
	default: // dispatch has not looked since the last one
	}
	return answer(ok, []byte(number))
}

// reply answers with the reply to a request.
func (t *titanic) reply(request [][]byte) [][]byte {
	path, valid := t.path(request)
	if !valid {
		return answer(unknown)
	}
	if reply, err := read(path + replyFile); err == nil {
		return answer(ok, reply...)
	}
	if _, err := os.Stat(path + requestFile); err == nil {
		return answer(pending)
	}
	return answer(unknown)
}

// close deletes a request and its reply. It may be repeated.
func (t *titanic) close(request [][]byte) [][]byte {
	path, valid := t.path(request)
	if !valid {
		return answer(unknown)
	}
	if err := errors.Join(remove(path+requestFile), remove(path+replyFile)); err != nil {
		return answer(failed)
	}
	return answer(ok)
}

// path returns the files' common path. The number comes from a client: it must not name
// files elsewhere.
func (t *titanic) path(request [][]byte) (string, bool) {
	if len(request) != 1 || len(request[0]) == 0 || strings.ContainsAny(string(request[0]), `./\`) {
		return "", false
	}
	return filepath.Join(t.dir, string(request[0])), true
}

// dispatch passes requests to their services, each until there is a reply. It begins with
// those that it finds on disk.
func (t *titanic) dispatch(ctx context.Context) error {
	retry := time.NewTicker(100 * time.Millisecond)
	defer retry.Stop()
	for {
		paths, err := filepath.Glob(filepath.Join(t.dir, "*"+requestFile))
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := t.forward(ctx, path); err != nil && ctx.Err() == nil {
				return err
			}
		}
		select {
		case <-t.kept:
		case <-retry.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// forward passes a request to its service and keeps the reply. It leaves the request alone
// if the service has no worker.
func (t *titanic) forward(ctx context.Context, path string) error {
	request, err := read(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // closed
	}
	if err != nil {
		return err
	}
	service := string(request[0])
	status, err := t.client.Call(ctx, "mmi.service", request[0])
	if err != nil || string(status[0]) != ok {
		return err
	}
	reply, err := t.client.Call(ctx, service, request[1:]...)
	if errors.Is(err, zmq.ErrAgain) {
		return nil // the worker is gone: try again
	}
	if err != nil {
		return err
	}
	// The reply is there before the request goes: a crash in between repeats the request.
	if err := write(strings.TrimSuffix(path, requestFile)+replyFile, reply); err != nil {
		return err
	}
	return remove(path)
}

// write keeps a message in a file, which appears whole or not at all.
func write(path string, message [][]byte) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	file, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func read(path string) (message [][]byte, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return message, json.Unmarshal(data, &message)
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
