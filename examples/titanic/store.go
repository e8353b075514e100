package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/examples/majordomo/mdp"
	"github.com/go-zmq/go-zmq/zmq"
)

// What Titanic's services answer first.
const ok, pending, unknown, failed = "200", "300 pending", "400 unknown", "500 failed"

// A titanic keeps each request in a file NUMBER.request and each reply in NUMBER.reply.
// Numbers come from clients, and os.Root opens no file outside its directory.
type titanic struct {
	disk *os.Root
	call func(ctx context.Context, service string, body ...[]byte) ([][]byte, error)
}

// serve runs Titanic until ctx is done.
func serve(ctx context.Context, d *demo.Demo, endpoint string, t *titanic) error {
	g, ctx := errgroup.WithContext(ctx)
	for service, handle := range map[string]mdp.Handler{
		"titanic.request": t.request, "titanic.reply": t.reply, "titanic.close": t.close,
	} {
		worker := d.Connect(zmq.Dealer, endpoint)
		g.Go(func() error {
			defer worker.Close()
			return mdp.Serve(ctx, worker, service, handle)
		})
	}
	g.Go(func() error { return t.dispatch(ctx) })
	return g.Wait()
}

// request keeps a request, service and body, and answers with its number.
func (t *titanic) request(request [][]byte) [][]byte {
	number := rand.Text()
	if len(request) == 0 || t.write(number+".request", request) != nil {
		return demo.Message(failed)
	}
	return demo.Message(ok, number)
}

// reply answers with the reply to a request.
func (t *titanic) reply(number [][]byte) [][]byte {
	name := string(number[0])
	if reply, err := t.read(name + ".reply"); err == nil {
		return append(demo.Message(ok), reply...)
	}
	if _, err := t.disk.Stat(name + ".request"); err == nil {
		return demo.Message(pending)
	}
	return demo.Message(unknown)
}

// close deletes a request and its reply. It may be repeated.
func (t *titanic) close(number [][]byte) [][]byte {
	for _, kind := range []string{".request", ".reply"} {
		if err := t.disk.Remove(string(number[0]) + kind); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return demo.Message(failed)
		}
	}
	return demo.Message(ok)
}

// dispatch passes each request on disk to its service until there is a reply.
func (t *titanic) dispatch(ctx context.Context) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		requests, err := fs.Glob(t.disk.FS(), "*.request")
		if err != nil {
			return err
		}
		for _, file := range requests {
			if err := t.forward(ctx, file); err != nil {
				return err
			}
		}
	}
}

// forward passes a request to its service, if it has a worker, and keeps the reply.
func (t *titanic) forward(ctx context.Context, file string) error {
	request, err := t.read(file)
	if err != nil {
		return nil // deleted by close
	}
	status, err := t.call(ctx, "mmi.service", request[0])
	if err != nil || string(status[0]) != ok {
		return err
	}
	reply, err := t.call(ctx, string(request[0]), request[1:]...)
	if errors.Is(err, zmq.ErrAgain) {
		return nil // the worker is gone: try again
	}
	if err != nil {
		return err
	}
	// Keep the reply before the request is deleted: a crash in between repeats the request.
	if err := t.write(strings.TrimSuffix(file, ".request")+".reply", reply); err != nil {
		return err
	}
	return t.disk.Remove(file)
}

// write keeps a message in a file, which appears whole or not at all.
func (t *titanic) write(name string, message [][]byte) error {
	file, err := t.disk.Create(name + ".new")
	if err != nil {
		return err
	}
	err = json.NewEncoder(file).Encode(message)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return t.disk.Rename(name+".new", name)
}

func (t *titanic) read(name string) (message [][]byte, err error) {
	data, err := t.disk.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return message, json.Unmarshal(data, &message)
}
