package aborts

import (
	"errors"

	"github.com/go-zmq/go-zmq/zmq"
)

// linuxRows are the causes that tests can provoke on Linux only.
var linuxRows = []row{
	{"02", "no descriptors for the first socket", tryDescriptors},
	{"02", "no descriptor to wait with", tryWaiting},
	{"02", "no descriptor to attach with", tryNoSpare},
	{"03", "no new socket while descriptors are few", tryHeadRoom},
	{"03", "no descriptor to accept an ipc peer", where(guard, tryIPCAccept)},
	{"03b", "no descriptor to accept a tcp peer", tryTCPAccept},
	{"10", "no thread can be started", tryThreads},
	{"12", "memory is limited", tryMemory},
	{"16b", "a scheduling policy without the right to it", tryScheduling},
	{"16c", "more I/O threads than descriptors", tryThreadDescriptors},
	{"18", "no descriptor to settle inproc names", trySettlingWithout},
	{"26", "thread-safe sockets closed at the limit of descriptors", tryClosing},
	{"26", "udp at the limit of descriptors", tryUDPDescriptors},
	{"27", "a priority that is not allowed", tryPriority},
	{"30", "errors of the network when sending", where(canFilter, trySendErrors)},
	{"30", "errors of the network when receiving", where(canFilter, tryRecvErrors)},
	{"30", "errors of the network when connecting", where(canFilter, tryConnectErrors)},
	{"31", "programs started meanwhile", where(canFilter, tryFork)},
	{"40", "datagrams that are no group", where(guard, tryStrayDatagrams)},
	{"57", "a peer hangs up while its queue is full, before a heartbeat", where(guard, tryHangUp)},
	{"57", "a peer closes while its queue is full, before a heartbeat", where(guard, tryClosedPeer)},
}

// guard returns an error if the guard is not active. TestGuardIsActive says where it must be.
func guard() error {
	if zmq.Has("guard") {
		return nil
	}
	return errors.New("the guard is not active")
}
