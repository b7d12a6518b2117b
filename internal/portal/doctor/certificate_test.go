package doctor

import (
	"crypto/x509"
	"testing"
	"time"
)

func TestEndsSoon(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for _, tc := range []struct {
		lifetime, left time.Duration
		want           bool
	}{
		{365 * day, 15 * day, false},
		{365 * day, 13 * day, true},
		{90 * day, 13 * day, true},
		{6 * day, 3 * day, false},
		{6 * day, day, true},
		{6 * day, -day, true},
	} {
		end := now.Add(tc.left)
		if left, soon := endsSoon(&x509.Certificate{NotBefore: end.Add(-tc.lifetime), NotAfter: end}, now); soon != tc.want || left != tc.left {
			t.Errorf("%s of %s left: %v %v, want %v", tc.left, tc.lifetime, left, soon, tc.want)
		}
	}
}
