package subprocess

import (
	"errors"
	"os/exec"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// LimitsPrograms reports whether Run works: on Windows only RunSelf does.
const LimitsPrograms = false

// killGroup leaves the end of a program to its context: limitSelf allows it no children.
func killGroup(*exec.Cmd) {}

// limitSelf limits this process's memory, in bytes, and processor time, and forbids that it starts others. It does
// so by a job object, which ends with the process. Windows has no limit on the files that a process writes.
func limitSelf(memory uint64, limit time.Duration) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{ProcessMemoryLimit: uintptr(memory)}
	info.BasicLimitInformation.PerProcessUserTimeLimit = limit.Nanoseconds() / 100
	info.BasicLimitInformation.ActiveProcessLimit = 1
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY | windows.JOB_OBJECT_LIMIT_PROCESS_TIME |
		windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)),
		uint32(unsafe.Sizeof(info)))
	return errors.Join(err, windows.AssignProcessToJobObject(job, windows.CurrentProcess()))
}
