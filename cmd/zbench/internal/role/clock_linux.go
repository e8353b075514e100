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
		panic(err) // there is no Linux without this clock
	}
	return time.Duration(ts.Nano())
}

// clockID names that clock: the machine since it was started, and the time namespace.
// 0: not known.
func clockID() uint32 {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return 0
	}
	// A kernel without time namespaces has one time.
	space, _ := os.Readlink("/proc/self/ns/time")
	return crc32.ChecksumIEEE(append(boot, space...))
}
