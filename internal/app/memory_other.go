//go:build !linux

package app

import "runtime/debug"

// releaseStartMemory returns to the system what only the start needed.
func releaseStartMemory() { debug.FreeOSMemory() }
