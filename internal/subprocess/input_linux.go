package subprocess

import (
	"os"

	"golang.org/x/sys/unix"
)

// inputPath is the name by which a program opens its standard input as a file.
const inputPath = "/proc/self/fd/0"

// memoryFile returns a file in memory with these bytes.
func memoryFile(b []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("input", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), inputPath)
	if _, err = os.Stat(inputPath); err == nil {
		_, err = f.WriteAt(b, 0)
	}
	return f, err
}
