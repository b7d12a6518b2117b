package svcapi

import (
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

func (c *Client) files(ctx context.Context, list string, ref Ref) ([]File, error) {
	a, err := c.get(ctx, "files", list, ref, maxAnswer, answerTimeout)
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

func (c *Client) file(ctx context.Context, list string, ref Ref, path string) (Content, error) {
	const op = "file"
	h, err := ref.headers(op)
	if err != nil {
		return Content{}, err
	}
	below, err := belowFiles(path)
	if err != nil {
		return Content{}, &Error{Op: op, Code: contract.CodeNotFound, Err: err}
	}
	a, err := c.do(ctx, call{op: op, method: http.MethodGet, path: list + below, header: h,
		auth: byToken, repeatable: true, anyType: true, limit: maxReport, timeout: reportTimeout})
	return Content{a.contentType, a.body}, err
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
