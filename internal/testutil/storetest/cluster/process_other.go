//go:build !linux

package cluster

import "syscall"

// credential is not used: servers run as the present user, and may outlive a killed process.
type credential struct{ Uid, Gid uint32 }

func asUser(*credential) *syscall.SysProcAttr   { return nil }
func asServer(*credential) *syscall.SysProcAttr { return nil }

// InMemory returns "": only Linux has a folder in memory.
func InMemory() string { return "" }
