package peertable

import "syscall"

// Revoke ends the incoming connections over a network, except those that keep admits. keep is
// not asked about connections whose handshake is not known to be over. end ends the connection
// of a descriptor with an inode, and returns 0 or -errno. Revoke returns the first error; a
// connection that has ended meanwhile is none.
func (t *Table) Revoke(keep func(Peer) bool, end func(fd int32, inode uint64) int) error {
	t.mu.Lock()
	var open, ready []*conn
	var peers []Peer
	for _, c := range t.conns {
		switch {
		case c.Outgoing:
		case c.ready():
			ready, peers = append(ready, c), append(peers, c.Peer)
		default:
			open = append(open, c)
		}
	}
	t.mu.Unlock()
	for i := range peers { // without the mutex: keep is the program's code
		if !keep(peers[i]) {
			open = append(open, ready[i])
		}
	}
	var failed error
	for _, c := range open {
		t.mu.Lock()
		current := t.conns[c.fd] == c
		c.revoked = current
		t.mu.Unlock()
		if !current {
			continue
		}
		if rc := end(c.fd, c.inode); rc < 0 && rc != -int(syscall.ESTALE) && failed == nil {
			failed = syscall.Errno(-rc)
		}
	}
	return failed
}
