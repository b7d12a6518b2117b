package bankdata

import "testing"

// BenchmarkCompile measures the building of the lexicon, which each process does once.
func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		compile(rules())
	}
}
