package branding

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"path/filepath"
	"strings"

	"vestibule/internal/theme"
)

// picture is a served image.
type picture struct {
	url, kind     string
	body          []byte
	width, height int // scaled to the header's height
}

// picture reads, cleans and stores an image; nil if none exists or it is invalid.
func (l *loader) picture(field, name string) *picture {
	if name == "" {
		return nil
	}
	extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(name)), ".")
	limit, ok := map[string]int64{"svg": theme.MaxSVG, "png": theme.MaxPNG}[extension]
	if !ok {
		l.problem(field, fmt.Errorf("%q: must be a .svg or .png file", name))
		return nil
	}
	var p theme.Picture
	raw, err := l.read(name, limit)
	if err == nil {
		p, err = theme.Clean(extension, raw)
	}
	if err != nil {
		l.problem(field, err)
		return nil
	}
	return &picture{url: l.publish(extension, p.Type, p.Body), kind: p.Type, body: p.Body, width: p.Width, height: p.Height}
}

// opaque returns the pixels of a PNG file over white.
func opaque(raw []byte) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	paper := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(paper, paper.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(paper, paper.Bounds(), img, img.Bounds().Min, draw.Over)
	var out bytes.Buffer
	err = png.Encode(&out, paper)
	return out.Bytes(), err
}
