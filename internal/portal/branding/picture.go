package branding

import (
	"fmt"
	"path/filepath"
	"strings"

	"vestibule/internal/theme"
)

// picture is a served image.
type picture struct {
	url, kind     string
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
	return &picture{url: l.publish(extension, p.Type, p.Body), kind: p.Type, width: p.Width, height: p.Height}
}
