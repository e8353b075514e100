package role

import (
	"hash/crc32"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// monotonic returns the time on the clock that all processes of the machine share.
func monotonic() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // every Linux has this clock
	}
	return time.Duration(ts.Nano())
}

// clockID names that clock: the boot of the machine, and the time namespace. 0: unknown.
func clockID() uint32 {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return 0
	}
	// It is empty if the kernel has no time namespaces.
	space, _ := os.Readlink("/proc/self/ns/time")
	return crc32.ChecksumIEEE(append(boot, space...))
}
