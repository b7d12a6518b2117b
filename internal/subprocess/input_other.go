//go:build !linux

package subprocess

import (
	"errors"
	"os"
)

const inputPath = Input

// memoryFile returns an error: this system has no files in memory.
func memoryFile([]byte) (*os.File, error) { return nil, errors.ErrUnsupported }
