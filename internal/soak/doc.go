// Package soak holds a test that runs for as long as one likes: make soak DURATION=8h.
package soak
