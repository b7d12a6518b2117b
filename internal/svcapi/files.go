package svcapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"vestibule/internal/contract"
)

// File is an entry of the list of a report's files.
type File struct {
	DocumentType string `json:"document_type"`
	DocumentID   string `json:"document_id"`
	SourceID     string `json:"source_id"`
	SourceUUID   string `json:"source_uuid"`
	Path         string `json:"source_filepath"`
}

// maxFiles is the maximum length of a list of files.
const maxFiles = 10_000

// PassportDocument is the document type of a passport's PDF, used only in Files.
const PassportDocument = "PASSPORT_PDF"

const passportPath = "passport.pdf"

// Files lists the files of a report with the call for its product's kind. A passport
// has one file, its PDF.
func (c *Client) Files(ctx context.Context, product contract.Product, ref Ref) ([]File, error) {
	if product == contract.Passport {
		return []File{{DocumentType: PassportDocument, Path: passportPath}}, nil
	}
	if !product.Valid() {
		return nil, noSuchProduct("files")
	}
	a, err := c.get(ctx, "files", c.reports(product)+"/files", ref, maxAnswer, answerTimeout)
	if err != nil {
		return nil, err
	}
	var out []File
	if err := a.decode(&out); err != nil {
		return nil, err
	}
	if len(out) > maxFiles {
		return nil, badAnswer(a.op, a.status, "the list is too long")
	}
	return out, nil
}

// Content is a file with the type that the service names. It is untrusted: do not serve
// it to a browser unchecked.
type Content struct {
	Type string
	Body []byte
}

// File fetches one file that Files listed. A file past its retention gives an *Error with
// GONE. It refuses a passport that is not a PDF.
func (c *Client) File(ctx context.Context, product contract.Product, ref Ref, path string) (Content, error) {
	passport := product == contract.Passport && path == passportPath
	op, at := "file", c.reports(product)+"/files"
	switch {
	case passport:
		op, at = "passport as PDF", c.reports(product)+"/pdf"
	case product == contract.Passport || !product.Valid():
		return Content{}, noSuchProduct(op)
	}
	h, err := c.headers(op, ref)
	if err != nil {
		return Content{}, err
	}
	if !passport {
		below, err := belowFiles(path)
		if err != nil {
			return Content{}, &Error{Op: op, Code: contract.CodeNotFound, Err: err}
		}
		at += below
	}
	a, err := c.do(ctx, call{op: op, method: http.MethodGet, path: at, header: h,
		auth: byToken, repeatable: true, anyType: true, limit: maxReport, timeout: reportTimeout})
	switch {
	case err != nil || !passport:
		return Content{a.contentType, a.body}, err
	case !bytes.HasPrefix(a.body, []byte("%PDF-")):
		return Content{}, badAnswer(op, a.status, "the answer is not a PDF")
	}
	return Content{"application/pdf", a.body}, nil
}

// belowFiles escapes a path of the list for a URL, and refuses one that leads
// elsewhere.
func belowFiles(path string) (string, error) {
	var b strings.Builder
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "\\\x00\r\n") || len(path) > 1024 {
			return "", errors.New("not a path of the list")
		}
		b.WriteString("/" + url.PathEscape(part))
	}
	return b.String(), nil
}
