//go:build unix

package run

import (
	"os/exec"
	"syscall"
)

// apart keeps the terminal's signals away from a child: zbench gets them, and ends
// the child itself.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
