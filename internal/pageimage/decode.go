package pageimage

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
)

// Limits of an image file.
const (
	maxDecoded = 144 << 20 // bytes of memory for decoding: a photograph of 50 million pixels
	maxSide    = 20_000    // pixels
)

func isPNG(file []byte) bool  { return bytes.HasPrefix(file, []byte("\x89PNG")) }
func isJPEG(file []byte) bool { return bytes.HasPrefix(file, []byte("\xff\xd8")) }

// inspect returns the orientation that a PNG or JPEG file states, 1 to 8: 1 is upright. It also
// returns the size in bytes of its pixels once it is shrunk, to pixels of so many bytes with a long
// side below twice longSide, and ErrTooLarge if decoding and shrinking it take more than maxDecoded.
func inspect(file []byte, longSide, pixelBytes int) (orientation, size int, err error) {
	config, cost, orientation := png.DecodeConfig, pngCost, 1
	if isJPEG(file) {
		config, cost = jpeg.DecodeConfig, jpegCost
		orientation, _ = jpegHeader(file)
	}
	c, err := config(bytes.NewReader(file))
	if err != nil || c.Width < 1 || c.Height < 1 {
		return 0, 0, ErrUnreadable
	}
	if c.Width > maxSide || c.Height > maxSide {
		return 0, 0, ErrTooLarge
	}
	n := factor(c.Width, c.Height, longSide)
	size = max(1, c.Width/n) * max(1, c.Height/n) * pixelBytes
	if cost(file, c.Width, c.Height)+size > maxDecoded {
		return 0, 0, ErrTooLarge
	}
	return orientation, size, nil
}

// pngCost returns how many bytes image/png takes to decode a file whose header is valid.
func pngCost(file []byte, w, h int) int {
	depth, colors, interlaced := file[24], file[25], file[28] != 0
	transparent := bytes.Contains(file, []byte("tRNS")) // anywhere, so that no order of chunks hides it
	perPixel := 4
	switch {
	case depth == 16 && colors == 0 && !transparent:
		perPixel = 2
	case depth == 16:
		perPixel = 8
	case colors == 3, colors == 0 && !transparent:
		perPixel = 1
	}
	if interlaced { // the passes are decoded to images of their own
		perPixel *= 2
	}
	return w * h * perPixel
}

// jpegCost returns how many bytes image/jpeg takes to decode a file whose header is valid.
func jpegCost(file []byte, w, h int) int {
	_, frame := jpegHeader(file)
	const dearest = 4*5 + 4 // four components with coefficients, and converted colors
	if len(frame) < 10 || len(frame) != 7+3*int(frame[6]) {
		return (w + 32) * (h + 32) * dearest
	}
	components, samples := frame[7:], 0
	across, down := max(1, int(components[1]>>4)), max(1, int(components[1]&15))
	if len(components) == 3 {
		across, down = 1, 1
	}
	blocks := (w + 8*across - 1) / (8 * across) * ((h + 8*down - 1) / (8 * down))
	for i := 0; i < len(components); i += 3 {
		x, y := int(components[i+1]>>4), int(components[i+1]&15)
		if len(components) == 3 {
			x, y = 1, 1
		}
		samples += blocks * 64 * x * y
	}
	cost := samples
	if frame[0] != 0xc0 && frame[0] != 0xc1 { // progressive: all coefficients are kept, of four bytes
		cost += 4 * samples
	}
	if len(components) == 12 || len(components) == 9 && maybeRGB(file, components) {
		cost += 4 * w * h
	}
	return cost
}

// maybeRGB reports whether a JPEG file of three components may have red, green and blue, which
// image/jpeg copies.
func maybeRGB(file, components []byte) bool {
	if components[0] == 'R' && components[3] == 'G' && components[6] == 'B' {
		return true
	}
	for {
		_, after, found := bytes.Cut(file, []byte("Adobe"))
		if !found {
			return false
		}
		if len(after) > 6 && after[6] == 0 { // the transformation in a segment APP14
			return true
		}
		file = after
	}
}

// jpegHeader returns the orientation that a JPEG file states, 1 to 8, and the marker of its
// frame with the segment's data. 1 is upright, and also the result without an orientation. It
// finds markers as image/jpeg does. Source: EXIF 2.3, tag 0x0112.
func jpegHeader(file []byte) (orientation int, frame []byte) {
	orientation = 1
	for at := 2; at+4 <= len(file); {
		if file[at] != 0xff || file[at+1] == 0xff || file[at+1] == 0 {
			at++
			continue
		}
		marker, size := file[at+1], int(binary.BigEndian.Uint16(file[at+2:]))
		if marker >= 0xd0 && marker <= 0xd7 {
			at += 2
			continue
		}
		if marker == 0xda || marker == 0xd9 || size < 2 || at+2+size > len(file) {
			break
		}
		segment := file[at+4 : at+2+size]
		switch {
		case marker == 0xe1 && bytes.HasPrefix(segment, []byte("Exif\x00\x00")):
			orientation = tiffOrientation(segment[6:])
		case marker >= 0xc0 && marker <= 0xc2 && frame == nil:
			frame = append([]byte{marker}, segment...)
		}
		at += 2 + size
	}
	return orientation, frame
}

func tiffOrientation(b []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	if bytes.HasPrefix(b, []byte("MM")) {
		order = binary.BigEndian
	}
	if len(b) < 8 {
		return 1
	}
	at := int64(order.Uint32(b[4:]))
	if at+2 > int64(len(b)) {
		return 1
	}
	for i := range int64(order.Uint16(b[at:])) {
		entry := at + 2 + 12*i
		if entry+12 > int64(len(b)) {
			break
		}
		if order.Uint16(b[entry:]) == 0x0112 {
			if v := order.Uint16(b[entry+8:]); v >= 1 && v <= 8 {
				return int(v)
			}
		}
	}
	return 1
}

// decode decodes a PNG or JPEG file. It runs in a child process.
func decode(in io.Reader) (m image.Image, isPNG bool, err error) {
	r := bufio.NewReader(in)
	start, err := r.Peek(1)
	if err != nil {
		return nil, false, err
	}
	if isPNG = start[0] == 0x89; isPNG {
		m, err = png.Decode(r)
	} else {
		m, err = jpeg.Decode(r)
	}
	return m, isPNG, err
}

// factor returns by how much an image is shrunk, so that its long side is below twice longSide.
func factor(w, h, longSide int) int { return max(1, max(w, h)/longSide) }

// pixels is an image of one byte per pixel, for its brightness, or of four, as image.RGBA.
type pixels struct {
	w, h, bytes int
	px          []byte
}

// shrink returns an image on white paper, with each n by n pixels averaged.
func shrink(m image.Image, n, pixelBytes int) pixels {
	b := m.Bounds()
	out := pixels{w: max(1, b.Dx()/n), h: max(1, b.Dy()/n), bytes: pixelBytes}
	out.px = make([]byte, out.w*out.h*pixelBytes)
	if y, ok := m.(*image.YCbCr); ok && pixelBytes == 1 {
		m = &image.Gray{Pix: y.Y, Stride: y.YStride, Rect: y.Rect}
	}
	if g, ok := m.(*image.Gray); ok && n*pixelBytes == 1 {
		for y := range out.h {
			copy(out.px[y*out.w:][:out.w], g.Pix[y*g.Stride:])
		}
		return out
	}
	strip := image.NewRGBA(image.Rect(0, 0, b.Dx(), n))
	for y := range out.h {
		draw.Draw(strip, strip.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(strip, strip.Rect, m, image.Pt(b.Min.X, b.Min.Y+y*n), draw.Over)
		for x := range out.w {
			var sum [3]int
			for sy := range n {
				for sx := range n {
					p := strip.Pix[sy*strip.Stride+4*(x*n+sx):]
					sum[0], sum[1], sum[2] = sum[0]+int(p[0]), sum[1]+int(p[1]), sum[2]+int(p[2])
				}
			}
			to := out.px[(y*out.w+x)*pixelBytes:]
			if pixelBytes == 1 {
				to[0] = byte((299*sum[0] + 587*sum[1] + 114*sum[2]) / 1000 / n / n)
			} else {
				to[0], to[1], to[2], to[3] = byte(sum[0]/n/n), byte(sum[1]/n/n), byte(sum[2]/n/n), 255
			}
		}
	}
	return out
}

// upright undoes an orientation.
func (p pixels) upright(orientation int) pixels {
	if orientation == 1 {
		return p
	}
	out := pixels{p.w, p.h, p.bytes, make([]byte, len(p.px))}
	if orientation >= 5 {
		out.w, out.h = p.h, p.w
	}
	for y := range out.h {
		for x := range out.w {
			sx, sy := Stored(orientation, x, y, p.w, p.h)
			copy(out.px[(y*out.w+x)*p.bytes:], p.px[(sy*p.w+sx)*p.bytes:][:p.bytes])
		}
	}
	return out
}

// Stored returns where a pixel of the upright image is in the stored one, of w by h pixels.
func Stored(orientation, x, y, w, h int) (sx, sy int) {
	switch orientation {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return y, h - 1 - x
	case 7:
		return w - 1 - y, h - 1 - x
	case 8:
		return w - 1 - y, x
	}
	return x, y
}
