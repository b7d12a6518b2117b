package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vestibule/internal/testutil/program"
)

// memoryFigures compares the resident memory of the idle program with limits, after the first
// start, which creates the accounts, and after a later one, and the maximum while ten applicants
// upload a file of 20 MB each at once.
func memoryFigures(ctx context.Context, dir string) ([]figure, error) {
	bin, err := buildProgram(ctx, dir)
	if err != nil {
		return nil, err
	}
	var first, later, most series
	for round := range 3 {
		data := filepath.Join(dir, fmt.Sprint(round))
		for _, idle := range []*series{&first, &later} {
			p, err := startServer(ctx, bin, data, "serve")
			if err != nil {
				return nil, err
			}
			time.Sleep(2 * time.Second)
			resident, err := memoryOf(p.cmd.Process.Pid, "VmRSS")
			if *idle = append(*idle, resident); err == nil && idle == &later {
				resident, err = p.mostDuringUploads(ctx, filepath.Join(data, "data"))
				most = append(most, resident)
			}
			p.stop()
			if err != nil {
				return nil, err
			}
		}
	}
	return []figure{
		compare("resident memory, idle after the first start", "≤ 1.00", megabytes, first, series{70e6}),
		compare("resident memory, idle after a later start", "≤ 1.00", megabytes, later, series{45e6}),
		compare("most resident memory under ten uploads at once", "≤ 1.00", megabytes, most, series{300e6}),
	}, nil
}

// mostDuringUploads uploads ten files at once, each in a visit of its own, lets the reports be
// made, and returns the maximum of the program's resident memory meanwhile.
func (p *server) mostDuringUploads(ctx context.Context, data string) (float64, error) {
	const uploads = 10
	account, err := program.ReadCredentials(data)
	if err != nil {
		return 0, err
	}
	visits := make([]string, uploads)
	if err := parallel(1, uploads, func(i int) (err error) {
		visits[i], err = p.visitForUpload(ctx, account)
		return err
	}); err != nil {
		return 0, err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", "paystub.pdf")
	if err != nil {
		return 0, err
	}
	io.WriteString(file, "%PDF-1.7\n"+strings.Repeat("x", 20<<20-9))
	form.Close()
	pid := p.cmd.Process.Pid
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil { // the maximum begins anew
		return 0, err
	}
	err = parallel(uploads, uploads, func(i int) error {
		err := p.send(ctx, visits[i]+"/documents", form.FormDataContentType(), bytes.NewReader(body.Bytes()), nil)
		for _, action := range []string{"hand-in", "finish"} {
			if err == nil {
				err = p.send(ctx, visits[i], "application/x-www-form-urlencoded", strings.NewReader("action="+action), nil)
			}
		}
		return err
	})
	time.Sleep(5 * time.Second) // reports are made
	most, err2 := memoryOf(pid, "VmHWM")
	return most, errors.Join(err, err2)
}

// visitForUpload begins a visit, consents, and returns its path at the step of files.
func (p *server) visitForUpload(ctx context.Context, account program.Credentials) (string, error) {
	options, err := json.Marshal(map[string]any{"env": "sandbox", "productId": account.Products["income"], "publicId": account.PublicID,
		"prefill": map[string]string{"firstName": "Ada", "lastName": "Byron", "email": "ada@mail.example", "dob": "1990-12-10"}})
	if err != nil {
		return "", err
	}
	var begun struct{ Handle string }
	if err := p.send(ctx, "/widget/v1/visits", "application/json", bytes.NewReader(options), &begun); err != nil {
		return "", err
	}
	path := "/visit/" + begun.Handle
	for _, step := range []url.Values{{"action": {"consent"}}, {"action": {"source"}, "source": {"paystubs"}}} {
		if err := p.send(ctx, path, "application/x-www-form-urlencoded", strings.NewReader(step.Encode()), nil); err != nil {
			return "", err
		}
	}
	return path, nil
}

// send posts a body to the provider and reads JSON into v unless it is nil.
func (p *server) send(ctx context.Context, path, contentType string, body io.Reader, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Provider+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	return send(&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, req, v)
}
