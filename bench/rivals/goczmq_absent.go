//go:build !goczmq

package rivals

func goczmqRival() *Rival { return nil }
