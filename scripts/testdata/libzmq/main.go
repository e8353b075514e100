// Command libzmq says which libzmq the binding loads, which its file's name does not: with
// and without the draft API that is the same.
package main

import (
	"fmt"
	"log"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	zctx, err := zmq.NewContext()
	if err != nil {
		log.Fatal(err)
	}
	major, minor, patch := zmq.Version()
	drafts := "no draft API"
	if zmq.Has("draft") {
		drafts = "draft API"
	}
	fmt.Printf("%d.%d.%d, %s\n", major, minor, patch, drafts)
	if err := zctx.Close(); err != nil {
		log.Fatal(err)
	}
}
