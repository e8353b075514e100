// Package guard makes a mutex the only way to what it guards.
package guard

import "sync"

// Lock is a mutex with the state that it guards. Only Lock hands out the state, so code that
// touches it shows by its type that the mutex is held. The zero value is an unlocked mutex with
// the zero state. A Lock must not be copied.
//
// A function that has the state may release the mutex for a time, if it does not touch the state
// meanwhile and has the mutex again when it returns.
type Lock[T any] struct {
	mu    sync.Mutex
	state T
}

// Lock takes the mutex and returns the state, which may be used until Unlock.
func (l *Lock[T]) Lock() *T {
	l.mu.Lock()
	return &l.state
}

// TryLock is like Lock, but returns nil if the mutex is taken.
func (l *Lock[T]) TryLock() *T {
	if !l.mu.TryLock() {
		return nil
	}
	return &l.state
}

// Unlock releases the mutex.
func (l *Lock[T]) Unlock() { l.mu.Unlock() }
