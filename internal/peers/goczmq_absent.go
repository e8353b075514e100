//go:build !goczmq

package peers

func goczmqRival() *Rival { return nil }
