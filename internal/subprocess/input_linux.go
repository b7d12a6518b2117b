package subprocess

import (
	"os"

	"golang.org/x/sys/unix"
)

func init() {
	memoryFile = func(b []byte) (*os.File, error) {
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
}
