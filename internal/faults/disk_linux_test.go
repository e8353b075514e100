//go:build linux && !asan

package faults_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A disk without room for the file of an ipc socket is an error that names it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	library := preload(t)
	t.Run("a tmpfs", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		shared, err := openControl(filepath.Join(dir, "control"))
		require.NoError(t, err)
		defer shared.close()
		shared.function = -1
		cmd := command(library, dir, "TestFullDiskChild", point{Scenario: "disk", Function: "tmpfs"})
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		said, hanging, err := run(cmd)
		if errors.Is(err, syscall.EPERM) || strings.Contains(said, "mount: operation not permitted") {
			t.Skip("no user namespaces here; the library answers for a full disk in the other test")
		}
		require.False(t, hanging, "%s", cut(said))
		require.NoError(t, err, "%s", cut(said))
	})
	t.Run("bind", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		shared, err := openControl(filepath.Join(dir, "control"))
		require.NoError(t, err)
		defer shared.close()
		shared.function = int64(slices.Index(functions, "bind"))
		shared.first, shared.last, shared.errno = 1, 1, int64(syscall.ENOSPC)
		said, hanging, err := run(command(library, dir, "TestFullDiskChild", point{Scenario: "disk", Function: "bind"}))
		require.False(t, hanging, "%s", cut(said))
		require.NoError(t, err, "%s", cut(said))
	})
}

// TestFullDiskChild is what the children run; by itself it does nothing.
func TestFullDiskChild(t *testing.T) {
	p, shared := childPoint(t)
	if shared == nil {
		return
	}
	dir := filepath.Join(t.TempDir(), "full")
	require.NoError(t, os.Mkdir(dir, 0o700))
	mount := func(flags uintptr, options string) {
		if p.Function != "tmpfs" {
			return
		}
		if err := syscall.Mount("none", dir, "tmpfs", flags, options); err != nil {
			t.Fatalf("mount: %v", err)
		}
	}
	ctx, cancel := patience(childTicks)
	defer cancel()
	bystanders := newPair(t)
	mount(0, "nr_inodes=1") // which the directory itself takes
	if p.Function == "tmpfs" {
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	}
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	pull, err := zctx.NewSocket(zmq.Pull)
	require.NoError(t, err)
	push, err := zctx.NewSocket(zmq.Push)
	require.NoError(t, err)
	endpoint := "ipc://" + dir + "/socket"

	shared.set(modeArmed)
	err = pull.Bind(endpoint)
	shared.set(modeOff)
	requireTyped(t, err)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, endpoint)
	bystanders.work(t, ctx)

	// The socket can be bound once there is room.
	mount(syscall.MS_REMOUNT, "nr_inodes=100")
	require.NoError(t, pull.Bind(endpoint))
	require.NoError(t, push.Connect(endpoint))
	pair{push, pull}.work(t, ctx)
	require.NoError(t, zctx.CloseContext(ctx))
}
