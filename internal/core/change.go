package core

// change wakes all goroutines that wait for a value to change. The mutex of the value
// guards it.
type change chan struct{} // nil if no goroutine waits

// next returns a channel that is closed at the next change.
func (c *change) next() <-chan struct{} {
	if *c == nil {
		*c = make(chan struct{})
	}
	return *c
}

func (c *change) wake() {
	if *c != nil {
		close(*c)
		*c = nil
	}
}
