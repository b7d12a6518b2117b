package theme

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"image/png"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Picture is a logo or an icon without anything but its visible content.
type Picture struct {
	Type          string // media type
	Extension     string // "svg" or "png"
	Body          []byte
	Width, Height int // in pixels, scaled to the height of a header
}

// Bounds of a picture: bytes by format, pixels each way, and its height in a header.
const (
	MaxSVG    = 64 << 10
	MaxPNG    = 256 << 10
	maxPixels = 2048
	headerPx  = 40
)

// Clean reads a picture of the extension "svg" or "png" and drops everything but its
// visible content. An SVG with active content is an error that names the element.
func Clean(extension string, raw []byte) (Picture, error) {
	p := Picture{Extension: extension}
	var w, h float64
	var err error
	limit := MaxSVG
	switch extension {
	case "svg":
		p.Type = "image/svg+xml"
	case "png":
		p.Type, limit = "image/png", MaxPNG
	default:
		return Picture{}, errors.New("must be a .svg or .png file")
	}
	if len(raw) > limit {
		return Picture{}, fmt.Errorf("is larger than %d KB", limit>>10)
	}
	if extension == "svg" {
		p.Body, w, h, err = cleanSVG(raw)
	} else {
		p.Body, w, h, err = cleanPNG(raw)
	}
	if err == nil && (w/h > 8 || h/w > 2) {
		err = errors.New("is too long: it must be at most eight times as wide as high, and at most twice as high as wide")
	}
	if err != nil {
		return Picture{}, err
	}
	p.Height, p.Width = headerPx, int(headerPx*w/h+0.5)
	return p, nil
}

// cleanPNG re-encodes the pixels, dropping all other data.
func cleanPNG(raw []byte) (out []byte, w, h float64, err error) {
	c, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, 0, 0, errors.New("is not a PNG file")
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxPixels || c.Height > maxPixels {
		return nil, 0, 0, fmt.Errorf("has %d × %d pixels, and must have at most %d each way", c.Width, c.Height, maxPixels)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, 0, 0, errors.New("is not a complete PNG file")
	}
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img)
	return b.Bytes(), float64(c.Width), float64(c.Height), err
}

// The allowed elements, attributes and style properties of an SVG, and the refused
// elements. Others are dropped; refused ones are an error, since the image would look
// different without them.
var (
	shapes = strings.Fields(`svg g defs path rect circle ellipse line polyline polygon text tspan symbol use clipPath mask
		linearGradient radialGradient stop`)
	refused = strings.Fields(`script style foreignObject image a iframe object embed audio video animate animateMotion
		animateTransform set filter pattern switch`)
	attributes = strings.Fields(`id d x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy width height points viewBox preserveAspectRatio
		transform gradientTransform gradientUnits spreadMethod offset clipPathUnits maskUnits maskContentUnits pathLength href`)
	appearance = strings.Fields(`fill fill-opacity fill-rule clip-rule clip-path mask stroke stroke-width stroke-linecap stroke-linejoin
		stroke-miterlimit stroke-dasharray stroke-dashoffset stroke-opacity opacity stop-color stop-opacity color display visibility
		font-family font-size font-weight font-style letter-spacing textLength lengthAdjust text-anchor dominant-baseline`)
)

const (
	maxShapes = 5000
	maxDepth  = 32
)

// cleanSVG rewrites an SVG with the allowed elements and attributes only, and returns
// its proportions.
func cleanSVG(raw []byte) (out []byte, w, h float64, err error) {
	d := xml.NewDecoder(bytes.NewReader(raw))
	var b bytes.Buffer
	var drawn drawing
	depth, skip, count := 0, 0, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, 0, errors.New("is not well-formed SVG")
		}
		switch t := token.(type) {
		case xml.Directive:
			return nil, 0, 0, errors.New("has a document type or entities: save it as plain SVG")
		case xml.StartElement:
			name := t.Name.Local
			if count++; count > maxShapes || depth+skip > maxDepth {
				return nil, 0, 0, fmt.Errorf("has more than %d elements or is nested deeper than %d: simplify it", maxShapes, maxDepth)
			}
			foreign := t.Name.Space != "" && t.Name.Space != "http://www.w3.org/2000/svg"
			if skip > 0 || foreign || !slices.Contains(shapes, name) && !slices.Contains(refused, name) {
				skip++
				continue
			}
			if slices.Contains(refused, name) {
				return nil, 0, 0, fmt.Errorf("has an element <%s>: save it as plain SVG, with its shapes and presentation attributes alone", name)
			}
			if (depth == 0) != (name == "svg" && b.Len() == 0) {
				return nil, 0, 0, errors.New("is not an SVG drawing, or has one inside another")
			}
			b.WriteString("<" + name)
			if depth == 0 {
				b.WriteString(` xmlns="http://www.w3.org/2000/svg"`)
				box := ""
				if box, w, h, err = viewBox(t.Attr); err != nil {
					return nil, 0, 0, err
				}
				fmt.Fprintf(&b, ` viewBox="%s"`, box)
			}
			allowed := allowedAttributes(t.Attr)
			drawn.begin(name, allowed)
			for _, a := range allowed {
				if depth == 0 && slices.Contains([]string{"viewBox", "width", "height", "x", "y"}, a[0]) {
					continue
				}
				fmt.Fprintf(&b, ` %s="%s"`, a[0], html.EscapeString(a[1]))
			}
			b.WriteString(">")
			depth++
		case xml.EndElement:
			if skip > 0 {
				skip--
				continue
			}
			depth--
			drawn.end()
			b.WriteString("</" + t.Name.Local + ">")
		case xml.CharData:
			if skip == 0 && depth > 0 && len(bytes.TrimSpace(t)) > 0 {
				b.WriteString(html.EscapeString(string(t)))
			}
		}
	}
	if w == 0 {
		return nil, 0, 0, errors.New("is not an SVG drawing")
	}
	if !drawn.fits(0, 0, 0) {
		return nil, 0, 0, fmt.Errorf("draws more than %d elements, or has more than %d levels of <use>: simplify it", maxDrawn, maxUses)
	}
	return b.Bytes(), w, h, nil
}

// allowedAttributes returns the allowed attributes, including those of a style attribute.
func allowedAttributes(all []xml.Attr) [][2]string {
	var out [][2]string
	add := func(name, value string) {
		value = strings.TrimSpace(value)
		reference := strings.ReplaceAll(strings.ToLower(value), " ", "")
		switch {
		case name == "href" && !strings.HasPrefix(value, "#"):
		case strings.Contains(strings.ReplaceAll(reference, "url(#", ""), "url("), strings.ContainsAny(value, "<>\\@{};"):
		case slices.ContainsFunc(out, func(o [2]string) bool { return o[0] == name }):
		default:
			out = append(out, [2]string{name, value})
		}
	}
	for _, a := range all {
		if a.Name.Local == "style" && a.Name.Space == "" {
			for declaration := range strings.SplitSeq(a.Value, ";") {
				if name, value, ok := strings.Cut(declaration, ":"); ok && slices.Contains(appearance, strings.TrimSpace(name)) {
					add(strings.TrimSpace(name), value)
				}
			}
		}
	}
	for _, a := range all {
		href := a.Name.Local == "href" && (a.Name.Space == "" || a.Name.Space == "http://www.w3.org/1999/xlink" || a.Name.Space == "xlink")
		if href || a.Name.Space == "" && a.Name.Local != "href" &&
			(slices.Contains(attributes, a.Name.Local) || slices.Contains(appearance, a.Name.Local)) {
			add(a.Name.Local, a.Value)
		}
	}
	return out
}

// viewBox returns the SVG's viewBox, by default derived from its width and height.
func viewBox(all []xml.Attr) (box string, w, h float64, err error) {
	values := map[string]string{}
	for _, a := range all {
		if a.Name.Space == "" {
			values[a.Name.Local] = a.Value
		}
	}
	parts := strings.FieldsFunc(values["viewBox"], func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
	if values["viewBox"] == "" {
		parts = []string{"0", "0", strings.TrimSuffix(values["width"], "px"), strings.TrimSuffix(values["height"], "px")}
	}
	var n [4]float64
	for i := 0; i < 4 && err == nil && len(parts) == 4; i++ {
		n[i], err = strconv.ParseFloat(parts[i], 64)
	}
	if err != nil || len(parts) != 4 || !(n[2] > 0 && n[2] < 1e6 && n[3] > 0 && n[3] < 1e6) || n[0] != n[0] || n[1] != n[1] {
		return "", 0, 0, errors.New("has no viewBox, nor a width and a height")
	}
	return strings.Join(parts, " "), n[2], n[3], nil
}
