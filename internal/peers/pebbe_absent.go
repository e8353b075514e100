//go:build !pebbe

package peers

func pebbeRival() *Rival { return nil }
