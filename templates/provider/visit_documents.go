package provider

import (
	"cmp"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
)

// FileProblems holds the messages for rejected files.
type FileProblems struct{ TooLarge, Empty, Type, TooMany string }

// Document is an uploaded file.
type Document struct {
	ID, Name string
	Size     int64 // bytes
}

// shown returns the file's name, or a text for a file without a name.
func (d Document) shown(v Visit) string {
	return cmp.Or(d.Name, i18n.T(v.Lang, "visit.documents.unnamed"))
}

// size formats the file's size.
func (d Document) size() string {
	if d.Size < 1<<20 {
		return strconv.FormatInt((d.Size+1023)>>10, 10) + " KB"
	}
	tenths := d.Size * 10 >> 20
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + " MB"
}

// added returns the text with the number of documents.
func (v Visit) added() string {
	if len(v.Documents) == 1 {
		return i18n.T(v.Lang, "visit.documents.added.one")
	}
	n := strconv.Itoa(len(v.Documents))
	return i18n.T(v.Lang, "visit.documents.added.other", "n", n)
}

// uploadLimits returns the limits that the script checks before it sends files, and the
// messages for rejected files. A percent sign is replaced by the file's name.
func (v Visit) uploadLimits() templ.Attributes {
	return templ.Attributes{
		"data-max-size":  strconv.FormatInt(v.MaxFileSize, 10),
		"data-max-files": strconv.Itoa(v.MaxFiles - len(v.Documents)),
		"data-too-large": v.FileProblems.TooLarge,
		"data-empty":     v.FileProblems.Empty,
		"data-type":      v.FileProblems.Type,
		"data-too-many":  v.FileProblems.TooMany,
		"data-cancelled": i18n.T(v.Lang, "visit.documents.cancelled"),
	}
}

// limitsText says which files can be uploaded.
func (v Visit) limitsText() string {
	return i18n.T(v.Lang, "visit.documents.limits", "limit", strconv.FormatInt(v.MaxFileSize>>20, 10), "n", strconv.Itoa(v.MaxFiles))
}

func (v Visit) uploadAction() templ.SafeURL {
	return templ.SafeURL(v.Path + "/documents?" + url.Values{"lang": {string(v.Lang)}}.Encode())
}
