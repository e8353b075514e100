package peertable

// Change wakes all goroutines that wait for a value to change. The mutex of the value
// guards it.
type Change chan struct{} // nil if no goroutine waits

// Next returns a channel that is closed at the next change.
func (c *Change) Next() <-chan struct{} {
	if *c == nil {
		*c = make(chan struct{})
	}
	return *c
}

// Wake closes the channel that Next returned last.
func (c *Change) Wake() {
	if *c != nil {
		close(*c)
		*c = nil
	}
}
