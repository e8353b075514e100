package zap

import (
	"context"
	"fmt"
	"time"
)

// leastCheck is how often Enforce looks at the directory at the most.
const leastCheck = 10 * time.Millisecond

// Enforce calls a.Recheck each time a certificate was removed from the directory or was given
// another key, so that its owner is cut off and not only refused the next time. It looks at the
// directory as often as the store does, at most every 10 ms, or every second if the store looks
// at each call. It blocks until ctx is done. Any goroutine may call it.
//
// The error wraps ctx.Err(), or is that of a Recheck that failed. It is EINVAL if a is nil.
func (s *DirectoryStore) Enforce(ctx context.Context, a *Authenticator) error {
	if a == nil {
		return errNil
	}
	every := max(s.every, leastCheck)
	if s.every <= 0 {
		every = time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	before := s.keys()
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("zap: enforce: %w", ctx.Err())
		case <-tick.C:
		}
		now := s.keys()
		for key := range before {
			if _, kept := now[key]; !kept {
				if err := a.Recheck(ctx); err != nil {
					return err
				}
				break
			}
		}
		before = now
	}
}

// keys returns the certificates by public key. The map must not be changed.
func (s *DirectoryStore) keys() map[string]Certificate {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return s.byKey
}
