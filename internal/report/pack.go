package report

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"sync"
)

// compressors are used again, because each has a megabyte of tables.
var compressors = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
	return z
}}

// Pack compresses JSON to be stored. Data of different customers must not be packed together.
func Pack(raw []byte) []byte {
	var b bytes.Buffer
	z := compressors.Get().(*gzip.Writer)
	defer compressors.Put(z)
	z.Reset(&b)
	z.Write(raw) // a buffer takes all
	z.Close()
	return b.Bytes()
}

// Unpack decompresses the output of Pack.
func Unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(min(binary.LittleEndian.Uint32(packed[len(packed)-4:]), 1<<24)) + bytes.MinRead) // gzip ends with the size
	_, err = b.ReadFrom(z)
	return b.Bytes(), err
}
