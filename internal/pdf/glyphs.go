package pdf

import (
	_ "embed" // the fonts
	"encoding/binary"
	"sync"
)

//go:embed fonts/sans.ttf
var sansTTF []byte

//go:embed fonts/sans-bold.ttf
var boldTTF []byte

//go:embed fonts/han.ttf
var hanTTF []byte

//go:embed fonts/hangul.ttf
var hangulTTF []byte

// Font families, as the document names them.
const (
	sans   = "sans"
	han    = "han"
	hangul = "hangul"
)

// coverage is the set of a font's letters in the basic multilingual plane.
type coverage [1 << 16 / 64]uint64

func (c *coverage) has(r rune) bool { return r > 0 && r < 1<<16 && c[r>>6]>>(r&63)&1 == 1 }

// letters has the coverage of each family. It is read from the fonts once.
var letters = sync.OnceValue(func() map[string]*coverage {
	return map[string]*coverage{sans: covered(sansTTF), han: covered(hanTTF), hangul: covered(hangulTTF)}
})

// family returns the font family that has a letter; empty if none exists.
func family(r rune) string {
	all := letters()
	for _, f := range []string{sans, hangul, han} {
		if all[f].has(r) {
			return f
		}
	}
	return ""
}

// covered parses the segments of a font's cmap (format 4). Unexpected data cover nothing.
func covered(font []byte) *coverage {
	out := new(coverage)
	u16 := func(at int) int {
		if at < 0 || at+2 > len(font) {
			return 0
		}
		return int(binary.BigEndian.Uint16(font[at:]))
	}
	u32 := func(at int) int { return u16(at)<<16 | u16(at+2) }
	cmap := 0
	for i := range u16(4) {
		if at := 12 + 16*i; u32(at) == 0x636d6170 {
			cmap = u32(at + 8)
		}
	}
	for i := range u16(cmap + 2) {
		table := cmap + u32(cmap+4+8*i+4)
		if cmap == 0 || u16(table) != 4 {
			continue
		}
		n := u16(table+6) / 2
		for s := range n {
			end, start := u16(table+14+2*s), u16(table+16+2*n+2*s)
			delta, offset := u16(table+16+4*n+2*s), u16(table+16+6*n+2*s)
			for c := start; c <= end && c < 0xffff; c++ {
				glyph := c + delta
				if offset != 0 {
					if glyph = u16(table + 16 + 6*n + 2*s + offset + 2*(c-start)); glyph != 0 {
						glyph += delta
					}
				}
				if glyph&0xffff != 0 {
					out[c>>6] |= 1 << (c & 63)
				}
			}
		}
	}
	return out
}
