//go:build race

package subprocess

// raceDetector reports whether the race detector is on. It needs more memory than any limit.
const raceDetector = true
