package bankdata

import "testing"

// The lexicon is built once in a process, before its first report.
func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		compile(rules())
	}
}
