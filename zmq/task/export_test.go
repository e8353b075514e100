package task

// Ready returns how many workers are in the list of those that have room.
func (q *Queue) Ready() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.ready)
}
