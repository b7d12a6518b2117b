package pageimage

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strconv"

	"vestibule/internal/subprocess"
)

// childName is the name of the child process that decodes an image.
const childName = "vestibule-image"

// childMemory is the limit of the child's writable memory, in kilobytes. It is above maxDecoded,
// because the collector maps memory in steps of 64 MB; little of the difference is ever resident.
const childMemory = 288 << 10

func init() { subprocess.Serve(childName, child) }

// decoding lets one image be decoded at a time, because each can take maxDecoded bytes.
var decoding = make(chan struct{}, 1)

// convert decodes an image file in a child process, which shrinks it, turns it upright and
// encodes it: as PGM if pixels have one byte, and otherwise as PNG or JPEG.
func convert(ctx context.Context, file []byte, longSide, pixelBytes int) ([]byte, error) {
	orientation, size, err := inspect(file, longSide, pixelBytes)
	if err != nil {
		return nil, err
	}
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	limits := subprocess.Limits{Time: pageTime, Memory: childMemory, Output: size + 1<<20}
	out, err := subprocess.RunSelf(ctx, file, limits, childName,
		strconv.Itoa(longSide), strconv.Itoa(pixelBytes), strconv.Itoa(orientation))
	return out, failure(ctx, err)
}

// child decodes the image of its input by the arguments that convert gives.
func child(args []string, in io.Reader, out io.Writer) error {
	var n [3]int
	for i := range n {
		if len(args) != len(n) {
			return errors.New("pageimage: arguments are missing")
		}
		n[i], _ = strconv.Atoi(args[i]) // convert wrote them
	}
	m, isPNG, err := decode(in)
	if err != nil {
		return err
	}
	longSide, pixelBytes, orientation := n[0], n[1], n[2]
	small := shrink(m, factor(m.Bounds().Dx(), m.Bounds().Dy(), longSide), pixelBytes).upright(orientation)
	if pixelBytes == 1 {
		if _, err = fmt.Fprintf(out, "P5\n%d %d\n255\n", small.w, small.h); err == nil {
			_, err = out.Write(small.px)
		}
		return err
	}
	page := &image.RGBA{Pix: small.px, Stride: 4 * small.w, Rect: image.Rect(0, 0, small.w, small.h)}
	if isPNG {
		return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(out, page)
	}
	return jpeg.Encode(out, page, &jpeg.Options{Quality: 85})
}

// Gray returns the brightness of a PNG or JPEG file's pixels in PGM format, on white paper,
// upright, and with a long side below twice longSide.
func Gray(ctx context.Context, file []byte, longSide int) ([]byte, error) {
	return convert(ctx, file, longSide, 1)
}

// picture returns an image file as a page.
func picture(ctx context.Context, file []byte) (Image, error) {
	kind := "image/jpeg"
	if isPNG(file) {
		kind = "image/png"
	}
	body, err := convert(ctx, file, longSide, 4)
	return Image{kind, body}, err
}
