package pageimage

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
)

// Limits of an image file.
const (
	maxDecoded = 160 << 20 // bytes of memory for decoding: a photograph of 50 million pixels
	maxSide    = 20_000    // pixels
)

func isPNG(file []byte) bool  { return bytes.HasPrefix(file, []byte("\x89PNG")) }
func isJPEG(file []byte) bool { return bytes.HasPrefix(file, []byte("\xff\xd8")) }

// Decode decodes a PNG or JPEG file, and returns the orientation that it states, 1 to 8: 1 is
// upright. It returns ErrTooLarge before it takes much memory, or ErrUnreadable.
func Decode(file []byte) (m image.Image, orientation int, err error) {
	read, config, orientation, progressive := png.Decode, png.DecodeConfig, 1, false
	if isJPEG(file) {
		read, config = jpeg.Decode, jpeg.DecodeConfig
		orientation, progressive = jpegHeader(file)
	}
	c, err := config(bytes.NewReader(file))
	if err != nil || c.Width < 1 || c.Height < 1 {
		return nil, 0, ErrUnreadable
	}
	if c.Width > maxSide || c.Height > maxSide || int64(c.Width)*int64(c.Height)*pixelBytes(c.ColorModel, progressive) > maxDecoded {
		return nil, 0, ErrTooLarge
	}
	if m, err = read(bytes.NewReader(file)); err != nil {
		return nil, 0, ErrUnreadable
	}
	return m, orientation, nil
}

// pixelBytes returns how many bytes decoding takes for each pixel of a color model. A
// progressive JPEG file takes more, because all of its coefficients are kept.
func pixelBytes(m color.Model, progressive bool) int64 {
	_, paletted := m.(color.Palette)
	switch {
	case progressive:
		return 15
	case paletted, m == color.GrayModel:
		return 1
	case m == color.YCbCrModel:
		return 3
	case m == color.RGBA64Model, m == color.NRGBA64Model:
		return 8
	}
	return 4
}

// jpegHeader returns the orientation that a JPEG file states, 1 to 8, and whether it is
// progressive. 1 is upright, and also the result without an orientation. Source: EXIF
// 2.3, tag 0x0112.
func jpegHeader(file []byte) (orientation int, progressive bool) {
	orientation = 1
	for at := 2; at+4 <= len(file) && file[at] == 0xff; {
		marker, size := file[at+1], int(binary.BigEndian.Uint16(file[at+2:]))
		if marker == 0xda || size < 2 || at+2+size > len(file) {
			break
		}
		segment := file[at+4 : at+2+size]
		switch {
		case marker == 0xe1 && bytes.HasPrefix(segment, []byte("Exif\x00\x00")):
			orientation = tiffOrientation(segment[6:])
		case marker == 0xc2:
			progressive = true
		}
		at += 2 + size
	}
	return orientation, progressive
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

// shrink returns the image on white paper, with each n by n pixels averaged so that its long
// side has at most twice longSide.
func shrink(m image.Image) *image.RGBA {
	b := m.Bounds()
	n := max(1, max(b.Dx(), b.Dy())/longSide)
	w, h := max(1, b.Dx()/n), max(1, b.Dy()/n)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	strip := image.NewRGBA(image.Rect(0, 0, b.Dx(), n))
	for y := range h {
		draw.Draw(strip, strip.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(strip, strip.Rect, m, image.Pt(b.Min.X, b.Min.Y+y*n), draw.Over)
		for x := range w {
			var sum [3]int
			for sy := range n {
				for sx := range n {
					p := strip.Pix[sy*strip.Stride+4*(x*n+sx):]
					sum[0], sum[1], sum[2] = sum[0]+int(p[0]), sum[1]+int(p[1]), sum[2]+int(p[2])
				}
			}
			to := out.Pix[out.PixOffset(x, y):]
			to[0], to[1], to[2], to[3] = byte(sum[0]/n/n), byte(sum[1]/n/n), byte(sum[2]/n/n), 255
		}
	}
	return out
}

// upright undoes an orientation.
func upright(m *image.RGBA, orientation int) *image.RGBA {
	if orientation == 1 {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			sx, sy := Stored(orientation, x, y, w, h)
			copy(out.Pix[out.PixOffset(x, y):], m.Pix[m.PixOffset(sx, sy):][:4])
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
