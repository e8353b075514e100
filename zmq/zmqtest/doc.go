// Package zmqtest helps to test programs that use go-zmq: contexts that fail the test on
// leaks, connected pairs of sockets, a bad network, and a fake socket for programs that
// test without libzmq. It needs no module besides go-zmq.
//
// Sockets connect in the background, so a test must not sleep until they have. It waits for
// what it needs: [Pair] and [Connect] return when sockets are connected, [Await] waits for an event
// of a monitor, and [Soon] returns a context that bounds every other wait. A test of a lost
// connection needs no more than this:
//
//	func TestClientSurvivesLostConnection(t *testing.T) {
//		zctx := zmqtest.NewContext(t)
//		server := zmqtest.NewSocket(t, zctx, zmq.Pull)
//		network := zmqtest.NewProxy(t, zmqtest.Bind(t, server, "tcp://127.0.0.1:*"))
//		client := zmqtest.NewSocket(t, zctx, zmq.Push)
//		events := zmqtest.Monitor(t, client, zmq.EventHandshakeSucceeded|zmq.EventDisconnected)
//		if err := client.Connect(network.Endpoint()); err != nil {
//			t.Fatal(err)
//		}
//		zmqtest.Await(t, events, zmq.EventHandshakeSucceeded)
//		network.Cut()
//		zmqtest.Await(t, events, zmq.EventDisconnected)
//		zmqtest.Await(t, events, zmq.EventHandshakeSucceeded) // libzmq has reconnected
//		zmqtest.RequireWorks(t, client, server)
//	}
//
// Every function that takes a testing.TB fails the test at once if it does not succeed, and
// must be called from the goroutine of the test.
package zmqtest
