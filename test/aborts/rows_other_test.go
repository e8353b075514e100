//go:build unix && !linux

package aborts

var linuxRows []row
