package pages

import (
	"math/bits"

	"vestibule/internal/testutil/paystubtest"
)

// chance returns a generator that gives the same numbers for the same seeds: PCG DXSM, as in
// math/rand/v2, which packages below internal/analysis must not import.
func chance(hi, lo uint64) paystubtest.Draw {
	next := func() uint64 {
		h, l := bits.Mul64(lo, 4865540595714422341)
		h += hi*4865540595714422341 + lo*2549297995355413924
		l, carry := bits.Add64(l, 1442695040888963407, 0)
		h, _ = bits.Add64(h, 6364136223846793005, carry)
		hi, lo = h, l
		h ^= h >> 32
		h *= 0xda942042e4dd58b5
		h ^= h >> 48
		return h * (l | 1)
	}
	return func(n int) int {
		of := uint32(n)
		if of&(of-1) == 0 {
			return int(uint32(next()) & (of - 1))
		}
		for {
			// The result is the high half of a product. Low halves that would bias it are
			// rejected.
			product := uint64(uint32(next()>>32)) * uint64(of)
			if low := uint32(product); low >= of || low >= -of%of {
				return int(product >> 32)
			}
		}
	}
}
