// Package compress packs data that a party stores, such as reports.
package compress

import (
	"bytes"
	"compress/gzip"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/andybalholm/brotli/matchfinder"
)

// packed is what packed data begin with. JSON and gzip begin with other bytes.
const packed = "br"

// packLevel is about as fast as gzip at its fastest, and writes fewer bytes: two thirds for transactions.
const packLevel = 3

// Compressors and decompressors are used again, because each has large tables.
var (
	compressors   = sync.Pool{New: func() any { return brotli.NewWriterV2(nil, packLevel) }}
	decompressors = sync.Pool{New: func() any { return brotli.NewReader(nil) }}
)

// Pack compresses data to be stored, such as JSON. Data of different customers must not be packed together.
func Pack(raw []byte) []byte {
	b := bytes.NewBufferString(packed)
	z := compressors.Get().(*matchfinder.Writer)
	defer compressors.Put(z)
	z.Reset(b)
	z.Write(raw) // a buffer takes all
	z.Close()
	return b.Bytes()
}

// Unpack decompresses the output of Pack, and gzip, its former format. It returns other data unchanged: they were stored before
// data of their kind were packed.
func Unpack(stored []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(stored, []byte(packed)):
		z := decompressors.Get().(*brotli.Reader)
		defer decompressors.Put(z)
		if err := z.Reset(bytes.NewReader(stored[len(packed):])); err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case bytes.HasPrefix(stored, []byte{0x1f, 0x8b}): // gzip's first bytes
		z, err := gzip.NewReader(bytes.NewReader(stored))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	default:
		return stored, nil
	}
}
