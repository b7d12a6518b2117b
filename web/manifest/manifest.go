// Package manifest is the interface between the build of the assets, which writes
// a manifest, and the program, which reads it: assets with their file names and
// encodings. It depends on neither.
package manifest

// Name is the manifest's file name in a party's folder of web/dist.
const Name = "manifest.json"

// Manifest maps an asset's name, as templates use it, to its built files.
type Manifest map[string]Entry

// Entry is one asset.
type Entry struct {
	File      string   `json:"file"`                // file of the plain content, relative to the folder
	Type      string   `json:"type"`                // content type
	Hash      string   `json:"hash"`                // of the plain content; 16 hexadecimal characters
	Size      int      `json:"size"`                // bytes of the plain content
	Encodings []string `json:"encodings,omitempty"` // "br", "gzip": those that made it smaller, best first
	Stable    bool     `json:"stable,omitempty"`    // its name does not change with its content
}

// Variant is one file of an asset; an empty Encoding is the plain content.
type Variant struct{ Encoding, Path string }

// Variants lists the files of an entry: the plain one, then the best encoding
// first.
func (e Entry) Variants() []Variant {
	out := []Variant{{Path: e.File}}
	for _, enc := range e.Encodings {
		out = append(out, Variant{enc, e.File + Suffix(enc)})
	}
	return out
}

// Suffix is what an encoding's file has after the plain one's name.
func Suffix(encoding string) string {
	if encoding == "gzip" {
		return ".gz"
	}
	return "." + encoding
}
