// Command host loads a plugin and succeeds if its function Guard returns true.
package main

import (
	"log"
	"os"
	"plugin"
)

func main() {
	p, err := plugin.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	guard, err := p.Lookup("Guard")
	if err != nil {
		log.Fatal(err)
	}
	if !guard.(func() bool)() {
		log.Fatal("the guard is not active")
	}
}
