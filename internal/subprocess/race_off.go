//go:build !race

package subprocess

// raceDetector reports whether the race detector is on.
const raceDetector = false
