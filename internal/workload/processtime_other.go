//go:build !unix

package workload

import "time"

// processTime is not known here.
func processTime() time.Duration { return 0 }
