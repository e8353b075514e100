package pool

import (
	"io"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// CopyBelow is the size from which memory is lent to libzmq.
const CopyBelow = copyBelow

// SetDebugOutput sends reports of misuse to w until restore is called.
func SetDebugOutput(w io.Writer) (restore func()) {
	old := debugOutput
	debugOutput = w
	return func() { debugOutput = old }
}

// Live returns how many bytes the pool's buffers have, without collecting those that
// libzmq returned.
func Live(p *Pool) (bytes int64) {
	for i := range p.classes {
		bytes += int64(p.classes[i].home.Live() * p.classes[i].size)
	}
	return bytes
}

// Homes are the owners of a pool's buffers. They outlive the pool.
type Homes []*libzmq.Home

// HomesOf returns the homes of p, without keeping p alive.
func HomesOf(p *Pool) *Homes {
	var h Homes
	for i := range p.classes {
		h = append(h, p.classes[i].home)
	}
	return &h
}

// Live returns how many buffers exist.
func (h *Homes) Live() (n int) {
	for _, home := range *h {
		n += home.Live()
	}
	return n
}
