//go:build linux

package pageimage

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"vestibule/internal/subprocess"
	"vestibule/internal/testutil/tools"
)

// maxMore is the promised limit of the memory for one image, in bytes.
const maxMore = 200 << 20

// pngFile returns a PNG file of zeros. With transparent, it has a chunk tRNS.
func pngFile(t testing.TB, w, h int, depth, kind, interlaced byte, transparent bool) []byte {
	t.Helper()
	var file bytes.Buffer
	file.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		binary.Write(&file, binary.BigEndian, uint32(len(data)))
		data = append([]byte(name), data...)
		file.Write(data)
		binary.Write(&file, binary.BigEndian, crc32.ChecksumIEEE(data))
	}
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	chunk("IHDR", append(size, depth, kind, 0, 0, interlaced))
	if kind == 3 {
		chunk("PLTE", make([]byte, 3))
	}
	if transparent {
		chunk("tRNS", make([]byte, map[byte]int{0: 2, 2: 6, 3: 1}[kind]))
	}
	var pixels bytes.Buffer
	z, _ := zlib.NewWriterLevel(&pixels, zlib.BestSpeed)
	bits := int(depth) * map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
	passes := [][4]int{{1, 1, 0, 0}}
	if interlaced == 1 {
		passes = [][4]int{{8, 8, 0, 0}, {8, 8, 4, 0}, {4, 8, 0, 4}, {4, 4, 2, 0}, {2, 4, 0, 2}, {2, 2, 1, 0}, {1, 2, 0, 1}}
	}
	for _, p := range passes {
		pw, ph := (w-p[2]+p[0]-1)/p[0], (h-p[3]+p[1]-1)/p[1]
		row := make([]byte, 1+(pw*bits+7)/8)
		for range ph {
			z.Write(row)
		}
	}
	z.Close()
	chunk("IDAT", pixels.Bytes())
	chunk("IEND", nil)
	return file.Bytes()
}

// progressiveFile returns a progressive JPEG file with a first scan of no data. With fill, a
// fill byte precedes the marker of its frame.
func progressiveFile(w, h int, sampling byte, components int, fill bool) []byte {
	file := []byte("\xff\xd8")
	if fill {
		file = append(file, 0xff)
	}
	file = append(file, 0xff, 0xc2, 0, byte(8+3*components), 8, byte(h>>8), byte(h), byte(w>>8), byte(w), byte(components))
	for i := range components {
		s := byte(0x11)
		if i == 0 || i == 3 {
			s = sampling
		}
		file = append(file, byte(i+1), s, 0)
	}
	file = append(file, "\xff\xc4\x00\x14\x00\x01"...) // a Huffman table of one code
	file = append(file, make([]byte, 16)...)
	for i := range components { // one scan of each component's DC
		file = append(file, 0xff, 0xda, 0, 8, 1, byte(i+1), 0, 0, 0, 0)
		file = append(file, make([]byte, (w+7)/8*((h+7)/8)/8*4+8)...)
	}
	return append(file, 0xff, 0xd9)
}

// TestImagesTakeLimitedMemory checks that this process and its child together take at most
// maxMore for an image, whatever its header states.
func TestImagesTakeLimitedMemory(t *testing.T) {
	tools.WithoutRaceDetector(t)
	jpegOf := func(m image.Image) []byte {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, m, nil); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, file := range map[string][]byte{
		"gray with transparency":            pngFile(t, 8_000, 8_000, 8, 0, 0, true),
		"gray with transparency, interlace": pngFile(t, 8_000, 8_000, 8, 0, 1, true),
		"accepted: gray, interlaced":        pngFile(t, 8_000, 8_000, 8, 0, 1, false),
		"one bit of gray, transparent":      pngFile(t, 8_000, 8_000, 1, 0, 1, true),
		"accepted: palette, interlaced":     pngFile(t, 8_000, 8_000, 1, 3, 1, true),
		"colors, interlaced":                pngFile(t, 6_000, 6_000, 8, 2, 1, true),
		"16 bits, interlaced":               pngFile(t, 4_400, 4_400, 16, 6, 1, false),
		"16 bits of gray, transparent":      pngFile(t, 4_400, 4_400, 16, 0, 1, true),
		"accepted: a page at 600 dpi":       pngFile(t, 5_100, 6_600, 8, 2, 0, false),
		"accepted: colors, interlaced":      pngFile(t, 4_000, 4_000, 8, 6, 1, false),
		"accepted: 16 bits":                 pngFile(t, 4_000, 4_000, 16, 6, 0, false),
		"accepted: not shrunk":              pngFile(t, 3_199, 3_199, 8, 6, 1, false),
		"accepted: a photograph":            jpegOf(image.NewYCbCr(image.Rect(0, 0, 7_000, 7_000), image.YCbCrSubsampleRatio420)),
		"accepted: progressive":             progressiveFile(2_700, 2_700, 0x11, 3, true),
		"progressive":                       progressiveFile(10_000, 10_000, 0x22, 3, false),
		"progressive after a fill byte":     progressiveFile(7_000, 7_000, 0x11, 3, true),
		"progressive, four components":      progressiveFile(6_000, 6_000, 0x22, 4, true),
	} {
		debug.FreeOSMemory()
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // resets the peak; without, an earlier image's may count
		before := peak(t, syscall.RUSAGE_SELF)
		_, err := New(false).Page(t.Context(), file, 1)
		after := peak(t, syscall.RUSAGE_SELF) + peak(t, syscall.RUSAGE_CHILDREN)
		accepted := strings.HasPrefix(name, "accepted")
		if accepted != (err == nil) || !accepted && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %d bytes, %d MB, %v", name, len(file), (after-before)>>20, err)
		if more := after - before; more > maxMore {
			t.Errorf("%s takes %d MB", name, more>>20)
		}
	}
}

// peak returns the highest resident memory of this process (syscall.RUSAGE_SELF), or of any one of
// its children that ended (syscall.RUSAGE_CHILDREN), in bytes.
func peak(t *testing.T, of int) int {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(of, &usage); err != nil {
		t.Fatal(err)
	}
	return int(usage.Maxrss) << 10
}

// TestChildIsLimited checks that the child cannot take more memory than it may, also if inspect
// were wrong about an image.
func TestChildIsLimited(t *testing.T) {
	tools.WithoutRaceDetector(t)
	limits := subprocess.Limits{Time: pageTime, Memory: childMemory, Output: 64 << 20}
	for name, file := range map[string][]byte{
		"a PNG file":  pngFile(t, 8_000, 8_000, 8, 0, 1, true),
		"a JPEG file": progressiveFile(10_000, 10_000, 0x11, 3, true),
	} {
		if _, _, err := inspect(file, longSide, 4); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v, want %v", name, err, ErrTooLarge)
		}
		if _, err := subprocess.RunSelf(t.Context(), file, limits, childName, "1600", "4", "1"); err == nil {
			t.Errorf("%s is decoded", name)
		}
	}
	if got := peak(t, syscall.RUSAGE_CHILDREN); got > childMemory<<10 {
		t.Errorf("a child takes %d MB", got>>20)
	}
}

func TestGray(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	m.Set(1, 0, color.NRGBA{A: 255})
	if got, err := Gray(t.Context(), encode(t, m), 100); err != nil || string(got) != "P5\n2 1\n255\n\xff\x00" {
		t.Errorf("%q, %v; want transparent pixels to be white", got, err)
	}
}

// FuzzCost checks that decoding takes at most the memory that inspect calculates.
func FuzzCost(f *testing.F) {
	for _, size := range [][2]int{{1, 1}, {70, 90}, {2000, 9}} {
		for depth, kinds := range map[byte][]byte{1: {0, 3}, 8: {0, 2, 3, 4, 6}, 16: {0, 2, 4, 6}} {
			for _, kind := range kinds {
				f.Add(pngFile(f, size[0], size[1], depth, kind, 0, false))
				f.Add(pngFile(f, size[0], size[1], depth, kind, 1, kind < 4))
			}
		}
		for components := range 4 {
			f.Add(progressiveFile(size[0], size[1], 0x22, components+1, components%2 == 0))
		}
	}
	f.Add([]byte("\xff\xd80\xff\xc2\x00\v\b00\x000\x010A\x00\xff\xda00")) // shorter than the header of a PNG file
	f.Fuzz(func(t *testing.T, file []byte) {
		file = restoreSums(file)
		config, cost := png.DecodeConfig, pngCost
		if isJPEG(file) {
			config, cost = jpeg.DecodeConfig, jpegCost
		}
		c, err := config(bytes.NewReader(file))
		if err != nil || c.Width*c.Height > 1<<20 || c.Width < 1 || c.Height < 1 {
			return
		}
		limit := cost(file, c.Width, c.Height)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err = decode(bytes.NewReader(file))
		runtime.ReadMemStats(&after)
		const decoder = 512 << 10 // of tables and buffers, and what the fuzzer itself allocates
		if took := int(after.TotalAlloc - before.TotalAlloc); took > limit+limit/4+decoder {
			t.Errorf("%d by %d pixels take %d bytes, want at most %d (%v)", c.Width, c.Height, took, limit, err)
		}
	})
}

// restoreSums returns a PNG file with the checksums of its chunks, so that a mutation is not
// refused for them alone.
func restoreSums(file []byte) []byte {
	file = bytes.Clone(file)
	for at := 8; isPNG(file) && at+12 <= len(file); {
		n := int(binary.BigEndian.Uint32(file[at:]))
		if n > len(file)-at-12 {
			break
		}
		binary.BigEndian.PutUint32(file[at+8+n:], crc32.ChecksumIEEE(file[at+4:at+8+n]))
		at += 12 + n
	}
	return file
}
