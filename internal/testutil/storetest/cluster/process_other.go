//go:build !linux

package cluster

import (
	"os"
	"syscall"
)

// credential is not used: servers run as the present user, and may outlive a killed process.
type credential struct{ Uid, Gid uint32 }

func asUser(*credential) *syscall.SysProcAttr   { return nil }
func asServer(*credential) *syscall.SysProcAttr { return nil }

// InMemory returns "": only Linux has a folder in memory.
func InMemory() string { return "" }

// makeDir makes a folder below parent whose name begins with prefix. A killed process leaves it.
func makeDir(parent, prefix string) (string, error) { return os.MkdirTemp(parent, prefix) }
