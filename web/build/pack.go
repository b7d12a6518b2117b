package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"

	"vestibule/web/manifest"
)

// result is a party's packed folder before it replaces the previous one.
type result struct {
	dir   string
	count int
	bytes int // of the smallest encodings together
}

// pack writes the assets, their encodings and the manifest to a new folder in
// parent. It reuses the encodings of content that previous has, because compression
// is the slowest step.
func pack(parent string, p party, assets []asset, previous string) (result, error) {
	dir, err := os.MkdirTemp(parent, ".build-")
	if err != nil {
		return result{}, err
	}
	r := result{dir: dir, count: len(assets)}
	list := manifest.Manifest{}
	for _, a := range assets {
		e, n, err := packOne(dir, a, slices.Contains(p.stable, a.name), previous)
		if err != nil {
			return r, fmt.Errorf("%s: %w", a.name, err)
		}
		list[a.name] = e
		r.bytes += n
	}
	raw, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return r, err
	}
	return r, os.WriteFile(filepath.Join(dir, manifest.Name), append(raw, '\n'), 0o644)
}

func packOne(dir string, a asset, stable bool, previous string) (manifest.Entry, int, error) {
	media, ok := mediaType(a.name)
	if !ok {
		return manifest.Entry{}, 0, fmt.Errorf("no content type")
	}
	e := manifest.Entry{File: a.name, Type: media, Hash: fingerprint(a), Size: len(a.content), Stable: stable}
	if !stable {
		ext := path.Ext(a.name)
		e.File = strings.TrimSuffix(a.name, ext) + "-" + e.Hash + ext
	}
	if err := os.WriteFile(filepath.Join(dir, e.File), a.content, 0o644); err != nil {
		return e, 0, err
	}
	smallest := len(a.content)
	for _, c := range codings {
		packed, err := encode(c, a.content, previous, e.File)
		if err != nil {
			return e, 0, err
		}
		if len(packed) >= len(a.content) {
			continue
		}
		smallest = min(smallest, len(packed))
		e.Encodings = append(e.Encodings, c.name)
		if err := os.WriteFile(filepath.Join(dir, e.File+manifest.Suffix(c.name)), packed, 0o644); err != nil {
			return e, 0, err
		}
	}
	return e, smallest, nil
}

// fingerprint is 64 bits of SHA-256 over the content and what belongs to it.
// The order of the two does not matter, so that both files of a pair agree.
func fingerprint(a asset) string {
	own, other := sha256.Sum256(a.content), sha256.Sum256(a.with)
	if a.with == nil {
		return hex.EncodeToString(own[:8])
	}
	if bytes.Compare(own[:], other[:]) > 0 {
		own, other = other, own
	}
	both := sha256.Sum256(append(own[:], other[:]...))
	return hex.EncodeToString(both[:8])
}

type coding struct {
	name   string
	writer func(io.Writer) (io.WriteCloser, error)
}

// codings are made in the order in which browsers are offered them.
var codings = []coding{
	{"br", func(w io.Writer) (io.WriteCloser, error) {
		return brotli.NewWriterLevel(w, brotli.BestCompression), nil
	}},
	{"gzip", func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestCompression) }},
}

func encode(c coding, content []byte, previous, file string) ([]byte, error) {
	if previous != "" {
		if plain, err := os.ReadFile(filepath.Join(previous, file)); err == nil && bytes.Equal(plain, content) {
			if packed, err := os.ReadFile(filepath.Join(previous, file+manifest.Suffix(c.name))); err == nil {
				return packed, nil
			}
		}
	}
	var out bytes.Buffer
	w, err := c.writer(&out)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// replace puts the folder from in the place of to.
func replace(to, from string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.Chmod(from, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}
