package aborts

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/go-zmq/go-zmq/zmq"
)

// linuxRows are the causes that tests can provoke on Linux only.
var linuxRows = []row{
	{"02", "no descriptors for the first socket", tryDescriptors, []wanted{
		want(syscall.EMFILE, "context", "file descriptors left", "ulimit -n"),
		want(syscall.EMFILE, "socket", "file descriptors left", "ulimit -n"),
		want(syscall.EMFILE, "socket", "file descriptors left", "ulimit -n"),
	}},
	{"02", "no descriptor to wait with", tryWaiting, []wanted{fine}},
	{"02", "no descriptor to attach with", tryNoSpare, []wanted{
		want(syscall.EMFILE, "bind", "tcp://127.0.0.1:*", "ulimit -n"),
		want(syscall.EMFILE, "bind", "ipc://", "ulimit -n"),
		want(syscall.EMFILE, "connect", "ipc://", "ulimit -n"),
		fine, fine,
	}},
	{"03", "no new socket while descriptors are few", tryHeadRoom, times(1, want(syscall.EMFILE, "socket", "file descriptors left", "ulimit -n"))},
	{"03", "no descriptor to accept an ipc peer", guarded(tryIPCAccept), []wanted{fine}},
	{"03b", "no descriptor to accept a tcp peer", tryTCPAccept, []wanted{fine}},
	{"10", "no thread can be started", tryThreads, []wanted{
		want(syscall.EAGAIN, "socket", "threads", "ulimit -u", "IOThreads"),
		want(syscall.EAGAIN, "socket", "threads", "ulimit -u", "IOThreads"),
		fine,
	}},
	{"12", "memory is limited", tryMemory, []wanted{
		want(syscall.ENOMEM, "message", "not enough memory"),
		want(syscall.ENOMEM, "send"),
		want(syscall.ENOMEM, "send"),
		fine,
	}},
	{"16b", "a scheduling policy without the right to it", tryScheduling, times(2, want(syscall.EPERM, "socket", "ThreadSchedPolicy", "CAP_SYS_NICE"))},
	{"16c", "more I/O threads than descriptors", tryThreadDescriptors, []wanted{
		want(syscall.EMFILE, "socket", "file descriptors left", "ulimit -n"), fine,
	}},
	{"18", "no descriptor to settle inproc names", trySettlingWithout, times(2, fine)},
	{"26", "thread-safe sockets closed at the limit of descriptors", tryClosing, draftsOr(fine)},
	{"26", "udp at the limit of descriptors", tryUDPDescriptors, draftsOr(
		want(syscall.EMFILE, "bind", "udp://", "ulimit -n"), want(syscall.EMFILE, "bind", "udp://", "ulimit -n"),
		want(syscall.EMFILE, "connect", "udp://", "ulimit -n"), fine)},
	{"27", "a priority that is not allowed", tryPriority, draftOptionOr("PRIORITY", want(syscall.EPERM, "PRIORITY", "CAP_NET_ADMIN"))},
	{"30", "errors of the network when sending", filtered(trySendErrors), times(len(networkErrors), fine)},
	{"30", "errors of the network when receiving", filtered(tryRecvErrors), times(len(networkErrors), fine)},
	{"30", "errors of the network when connecting", filtered(tryConnectErrors), times(len(networkErrors), fine)},
	{"31", "programs started meanwhile", filtered(tryFork), []wanted{fine}},
	{"40", "datagrams that are no group", guarded(tryStrayDatagrams), draftsOr(fine)},
	{"57", "a peer hangs up while its queue is full, before a heartbeat", guarded(tryHangUp), times(4, fine)},
	{"57", "a peer closes while its queue is full, before a heartbeat", guarded(tryClosedPeer), times(8, fine)},
}

// guarded leaves a row out where the guard is not active. TestGuardIsActive says where it must be.
func guarded(run func(*testing.T, func(error))) func(*testing.T, func(error)) {
	return func(t *testing.T, report func(error)) {
		if !zmq.Has("guard") {
			report(errors.New(leftOut + "the guard is not active"))
			return
		}
		run(t, report)
	}
}

// filtered leaves a row out where no seccomp filter can make system calls fail, as in an emulator.
func filtered(run func(*testing.T, func(error))) func(*testing.T, func(error)) {
	return func(t *testing.T, report func(error)) {
		if err := canFilter(); err != nil {
			report(fmt.Errorf("%sno seccomp filters: %w", leftOut, err))
			return
		}
		run(t, report)
	}
}
