package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	"vestibule/internal/testutil/paystubtest"
)

// visitFigures measures the maximum memory of a visit with as many and as large pay stubs
// as allowed: they are uploaded, stored encrypted, and read for the report. One visit has
// stubs with a large image, the other one the most expensive known files.
func visitFigures(ctx context.Context, worst []byte) ([]figure, error) {
	dir, err := os.MkdirTemp("", "vestibule-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := newService(ctx, store.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	defer s.stop()
	const megabytes = 200.0
	var out []figure
	for _, of := range []struct {
		name string
		file []byte
	}{{"memory: a visit of ten stubs of 19 MB", pictured(19_000_000)},
		{"memory: a visit of ten hostile files", worst[:min(len(worst), 19_000_000)]}} {
		memory, err := s.visit(ctx, of.file)
		if err != nil {
			return nil, err
		}
		share := memory / megabytes
		out = append(out, figure{name: of.name, ours: fmt.Sprintf("%.0f MB", memory), peer: fmt.Sprintf("%.0f MB", megabytes),
			ratio: share, low: share, high: share, wanted: "≤ 1.00"})
	}
	return out, nil
}

// pictured returns a stub with an image of a number of bytes.
func pictured(size int) []byte {
	draw := rand.New(rand.NewPCG(3, 2)).IntN
	s := paystubtest.Random(draw)
	stub := s.Printed(draw, paystubtest.Layouts()[0])
	end := bytes.LastIndex(stub, []byte("startxref"))
	out := make([]byte, 0, len(stub)+size)
	out = append(append(out, stub...), "\n%"...)
	out = append(out, bytes.Repeat([]byte("picture "), size/8)...)
	return append(append(out, '\n'), stub[end:]...)
}

// visit uploads a file ten times and generates the report. It returns the maximum memory in
// MB, without what this process used before.
func (s *service) visit(ctx context.Context, file []byte) (float64, error) {
	body, err := json.Marshal(submission(fmt.Sprint("visit", len(file)), 10, s.now()))
	if err != nil {
		return 0, err
	}
	token, err := s.submit(ctx, body)
	if err != nil {
		return 0, err
	}
	if err := s.idle(ctx); err != nil {
		return 0, err
	}
	var key string
	if err := s.db.SQL.QueryRowContext(ctx, `SELECT key_id FROM reports WHERE public_token = $1`, token).Scan(&key); err != nil {
		return 0, err
	}
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the most so far begins anew
		return 0, err
	}
	before := mostMemory()
	uploads := &documents.Service{DB: s.db}
	var files []reports.StubFile
	for range documents.MaxFiles {
		d, err := uploads.Upload(ctx, documents.New{PublicToken: token, KeyID: key, Kind: "PAYSTUB", Name: "paystub.pdf"}, bytes.NewReader(file))
		if err != nil {
			return 0, err
		}
		err = s.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			if kept, err := uploads.Keep(ctx, tx, token, d.ID); err != nil || !kept {
				return errors.Join(err, errors.New("a file was not kept"))
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		files = append(files, reports.StubFile{Name: "paystub.pdf", Body: func() ([]byte, error) {
			from, err := uploads.Open(ctx, token, d.ID)
			if err != nil {
				return nil, err
			}
			body := make([]byte, d.Size)
			_, err = io.ReadFull(from, body)
			return body, err
		}})
	}
	if _, err := (reports.StubReader{}).Read(ctx, files, reports.StubsOf{Consumer: &bankdata.Person{FirstName: "Ana", LastName: "Perez"},
		Link: token, At: time.Now()}, bankdata.Data{}); err != nil {
		return 0, err
	}
	return mostMemory() - before, nil
}
