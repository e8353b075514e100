// Package soak holds a test that runs for any duration: make check LANE=soak DURATION=8h.
package soak
