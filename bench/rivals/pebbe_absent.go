//go:build !pebbe

package rivals

func pebbeRival() *Rival { return nil }
