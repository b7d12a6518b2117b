package ocr

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
)

// degradation is what happens to a page between printer and file.
type degradation struct {
	name    string
	dpi     int
	degrees float64 // rotation, falling to the right
	noise   float64 // standard deviation, of 255
	photo   bool    // uneven light, and edges that are not parallel
	quality int     // of JPEG
}

// degradations are scans of three resolutions, and photographs.
var degradations = []degradation{
	{name: "scan, 150 dpi", dpi: 150, degrees: 0.4, noise: 6, quality: 75},
	{name: "scan, 200 dpi", dpi: 200, degrees: -0.6, noise: 8, quality: 75},
	{name: "scan, 200 dpi, turned by 5°", dpi: 200, degrees: 5, noise: 8, quality: 75},
	{name: "scan, 200 dpi, noise and JPEG artifacts", dpi: 200, degrees: -3, noise: 20, quality: 40},
	{name: "photograph, 200 dpi", dpi: 200, degrees: 2, noise: 10, quality: 60, photo: true},
	{name: "scan, 300 dpi", dpi: 300, degrees: 1, noise: 8, quality: 80},
}

// apply returns the JPEG file of a page after the degradation.
func (d degradation) apply(g *gray, draw *rand.Rand) []byte {
	g = g.turn(-d.degrees, 1)
	out := image.NewGray(image.Rect(0, 0, g.w, g.h))
	lightX, lightY := 0.3+0.4*draw.Float64(), 0.3+0.4*draw.Float64()
	for y := range g.h {
		for x := range g.w {
			sx, sy := float64(x), float64(y)
			light := 1.0
			if d.photo {
				// The far edge of the page is 3% narrower.
				far := 1 - sy/float64(g.h)
				sx = float64(g.w)/2 + (sx-float64(g.w)/2)*(1+0.03*far)
				dx, dy := float64(x)/float64(g.w)-lightX, float64(y)/float64(g.h)-lightY
				light = 1 - 0.55*math.Hypot(dx, dy)
			}
			v := float64(g.at(sx, sy))*light*0.97 + 5 + draw.NormFloat64()*d.noise
			out.Pix[y*out.Stride+x] = byte(min(255, max(0, v)))
		}
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, out, &jpeg.Options{Quality: d.quality}) // a buffer takes everything
	return b.Bytes()
}

// at returns the brightness between pixels; outside of the image it is white.
func (g *gray) at(x, y float64) byte {
	x0, y0 := math.Floor(x), math.Floor(y)
	ix, iy := int(x0), int(y0)
	if ix < 0 || iy < 0 || ix+1 >= g.w || iy+1 >= g.h {
		return 255
	}
	dx, dy := x-x0, y-y0
	a, b := g.px[iy*g.w+ix:], g.px[(iy+1)*g.w+ix:]
	return byte((float64(a[0])*(1-dx)+float64(a[1])*dx)*(1-dy) + (float64(b[0])*(1-dx)+float64(b[1])*dx)*dy + 0.5)
}
