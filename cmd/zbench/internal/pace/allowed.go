package pace

// Allowed returns why the system does not let a thread be Urgent; nil: it does. It tries,
// for what a capability counts for in a container is the kernel's to say.
func Allowed() error {
	tried := make(chan error)
	go func() {
		undo, err := Urgent()
		if err == nil {
			undo()
		}
		tried <- err
	}()
	return <-tried
}
