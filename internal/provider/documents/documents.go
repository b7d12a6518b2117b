// Package documents stores the files that applicants upload (API reference: Reports,
// the files endpoints). A file is written and read in parts, each encrypted under the
// report's data key; its type is detected from its contents and never from its name.
// Files are rejected if they are too large, empty, or neither PDF, PNG, nor JPEG.
//
// An uploaded file counts only after Keep, in the caller's transaction; files not kept
// within an hour are deleted, and all files after MaxAge.
package documents

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
)

// Limits of uploads.
const (
	MaxSize  = 20 << 20 // bytes of a file
	MaxFiles = 10       // of a report
)

// MaxAge is how long files are kept: as long as the other data that a report is made
// from.
const MaxAge = 30 * 24 * time.Hour

// uploadTimeout is the maximum duration of an upload.
const uploadTimeout = time.Hour

// partSize is the size in bytes of the parts that are encrypted and held in memory at
// a time.
const partSize = 256 << 10

// Reasons to reject a file.
var (
	ErrTooLarge = errors.New("documents: the file is too large")
	ErrEmpty    = errors.New("documents: the file is empty")
	ErrType     = errors.New("documents: the file is neither PDF, PNG nor JPEG")
)

// Types of contents.
const (
	PDF  = "application/pdf"
	PNG  = "image/png"
	JPEG = "image/jpeg"
	Any  = "application/octet-stream"
)

// Service stores uploaded files.
type Service struct{ DB *store.DB }

// New describes a file to upload.
type New struct {
	PublicToken string // of the report
	KeyID       string // its data key
	Kind        string // document_type
	Employer    int    // number of the stated employer that it is for, from 1; 0: none
	Name        string // file name on the applicant's device
	MaxSize     int64  // maximum size in bytes; 0: MaxSize
	Network     []byte // keyed hash of the client's network; nil: unknown
	AnyType     bool   // accept any contents, also empty ones; for the sandbox's control
}

// Document is a file without its contents.
type Document struct {
	ID, PublicToken string
	Kind, Type      string
	Employer        int
	Name            string
	Size            int64

	keyID string
}

// Path returns the last part of the file's source_filepath. It contains nothing of the
// name that the applicant gave it.
func (d Document) Path() string {
	return strings.ToLower(d.Kind) + map[string]string{PDF: ".pdf", PNG: ".png", JPEG: ".jpg"}[d.Type]
}

// TypeOf returns the content type of a file that begins with head, or "" for
// unsupported types.
func TypeOf(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return PDF
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return PNG
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG
	}
	return ""
}

// Upload stores a file while reading it; Keep must follow. Its errors are ErrTooLarge,
// ErrEmpty, ErrType, and those of from and of the database. Nothing of a rejected file
// remains.
func (s *Service) Upload(ctx context.Context, n New, from io.Reader) (Document, error) {
	d := Document{ID: uuid.NewString(), PublicToken: n.PublicToken, Kind: n.Kind, Employer: n.Employer,
		Name: httpx.CleanFileName(n.Name), keyID: n.KeyID}
	part := make([]byte, partSize)
	size, err := fill(from, part)
	if err != nil {
		return d, err
	}
	switch d.Type = TypeOf(part[:size]); {
	case d.Type == "" && n.AnyType:
		d.Type = Any
	case size == 0:
		return d, ErrEmpty
	case d.Type == "":
		return d, ErrType
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		name, err := s.DB.Vault.Seal(ctx, tx, d.keyID, nameCell(d.ID), []byte(d.Name))
		if err != nil {
			return err
		}
		return insertDocument(ctx, tx, d, name, n.Network)
	})
	if err != nil {
		return d, err
	}
	if err = s.parts(ctx, &d, from, part, size, cmp.Or(n.MaxSize, MaxSize)); err != nil {
		return d, errors.Join(err, s.discard(context.WithoutCancel(ctx), d.ID))
	}
	return d, nil
}

// parts encrypts and stores the first part, of size bytes, and the parts that follow, up
// to limit bytes.
func (s *Service) parts(ctx context.Context, d *Document, from io.Reader, part []byte, size int, limit int64) error {
	for seq := int64(0); size > 0; seq++ {
		if d.Size += int64(size); d.Size > limit {
			return ErrTooLarge
		}
		err := s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			sealed, err := s.DB.Vault.Seal(ctx, tx, d.keyID, partCell(d.ID, seq), part[:size])
			if err != nil {
				return err
			}
			return addPart(ctx, tx, d.ID, seq, sealed, d.Size)
		})
		if err != nil {
			return err
		}
		if size < len(part) {
			return nil
		}
		if size, err = fill(from, part); err != nil {
			return err
		}
	}
	return nil
}

// fill reads until part is full or from ends. A body that was cut off is an error and
// not an end; io.ReadFull would not distinguish the two.
func fill(from io.Reader, part []byte) (n int, err error) {
	for n < len(part) && err == nil {
		var more int
		more, err = from.Read(part[n:])
		n += more
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func (s *Service) discard(ctx context.Context, id string) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := remove(ctx, tx, `id = $1`, id)
		return err
	})
}

// Remove deletes a file of a report; it returns false without such a file.
func (s *Service) Remove(ctx context.Context, tx *store.Tx, publicToken, id string) (bool, error) {
	n, err := remove(ctx, tx, `public_token = $1 AND id = $2`, publicToken, id)
	return n > 0, err
}

// Drop deletes all files of a report.
func (s *Service) Drop(ctx context.Context, tx *store.Tx, publicToken string) error {
	_, err := remove(ctx, tx, `public_token = $1`, publicToken)
	return err
}

// List returns the kept files of a report in the order of Keep.
func (s *Service) List(ctx context.Context, q store.Queryer, publicToken string) ([]Document, error) {
	all, err := keptDocuments(ctx, q, publicToken)
	if err != nil {
		return nil, err
	}
	out := make([]Document, len(all))
	for i, k := range all {
		name, err := s.DB.Vault.Open(ctx, q, k.keyID, nameCell(k.ID), k.name)
		if err != nil {
			return nil, err
		}
		out[i] = k.Document
		out[i].Name = httpx.CleanFileName(string(name)) // older versions did not clean names
	}
	return out, nil
}

// sweepBatch is the maximum number of files that one transaction of the sweep deletes;
// files are large.
const sweepBatch = 5

// Sweep deletes files that were never kept and files past their retention.
func (s *Service) Sweep(ctx context.Context) error {
	step := func(where string, age time.Duration) store.Step {
		return func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			ids, err := documentsBefore(ctx, tx, where, tx.Now.Add(-age), limit)
			for _, id := range ids {
				if _, err := remove(ctx, tx, `id = $1`, id); err != nil {
					return 0, err
				}
			}
			return int64(len(ids)), err
		}
	}
	return s.DB.Sweep(ctx, sweepBatch, step(`completed_at IS NULL AND `, uploadTimeout), step(``, MaxAge))
}

// Open returns the contents of a file of a report, or store.ErrNotFound. They can be
// read until ctx ends.
func (s *Service) Open(ctx context.Context, publicToken, id string) (io.ReadSeeker, error) {
	d, err := find(ctx, s.DB.SQL, publicToken, id)
	return &contents{ctx: ctx, s: s, d: d, part: -1}, err
}

// contents reads one part at a time.
type contents struct {
	ctx   context.Context
	s     *Service
	d     Document
	at    int64
	part  int64 // number of the part in plain; -1: none
	plain []byte
}

// Read implements io.Reader.
func (c *contents) Read(p []byte) (int, error) {
	if c.at >= c.d.Size {
		return 0, io.EOF
	}
	if seq := c.at / partSize; seq != c.part {
		sealed, err := part(c.ctx, c.s.DB.SQL, c.d.ID, seq)
		if err != nil {
			return 0, err
		}
		if c.plain, err = c.s.DB.Vault.Open(c.ctx, c.s.DB.SQL, c.d.keyID, partCell(c.d.ID, seq), sealed); err != nil {
			return 0, err
		}
		c.part = seq
	}
	from := c.at % partSize
	if from >= int64(len(c.plain)) {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, c.plain[from:])
	c.at += int64(n)
	return n, nil
}

// Seek implements io.Seeker.
func (c *contents) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.at
	case io.SeekEnd:
		offset += c.d.Size
	}
	if offset < 0 {
		return 0, errors.New("documents: before the beginning")
	}
	c.at = offset
	return offset, nil
}

func nameCell(id string) store.Cell { return store.Cell{Table: "documents", Column: "name", Row: id} }

func partCell(id string, seq int64) store.Cell {
	return store.Cell{Table: "document_parts", Column: "sealed", Row: id + "/" + strconv.FormatInt(seq, 10)}
}
