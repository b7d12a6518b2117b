//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"vestibule/internal/testutil/program"
)

// memoryFigures compares the resident memory of the idle program with limits, after the first
// start, which creates the accounts, and after a later one, and the maximum while ten applicants
// upload a file of 20 MB each at once.
func memoryFigures(ctx context.Context, dir string) []figure {
	bin := buildProgram(ctx, dir)
	var first, later, most series
	for round := range 3 {
		data := filepath.Join(dir, fmt.Sprint(round))
		for _, idle := range []*series{&first, &later} {
			func() {
				p := startServer(ctx, bin, data, "serve")
				defer p.stop()
				time.Sleep(2 * time.Second)
				if *idle = append(*idle, memoryOf(p.cmd.Process.Pid, "VmRSS")); idle == &later {
					most = append(most, p.mostDuringUploads(ctx, filepath.Join(data, "data")))
				}
			}()
		}
	}
	return []figure{
		compare("resident memory, idle after the first start", "≤ 1.00", megabytes, first, series{70e6}),
		compare("resident memory, idle after a later start", "≤ 1.00", megabytes, later, series{45e6}),
		compare("most resident memory under ten uploads at once", "≤ 1.00", megabytes, most, series{300e6}),
	}
}

// mostDuringUploads uploads ten files at once, each in a visit of its own, lets the reports be
// made, and returns the maximum of the program's resident memory meanwhile.
func (p *server) mostDuringUploads(ctx context.Context, data string) float64 {
	const uploads = 10
	account := must(program.ReadCredentials(data))
	visits := make([]string, uploads)
	for i := range visits {
		visits[i] = p.visitForUpload(ctx, account)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	io.WriteString(must(form.CreateFormFile("file", "paystub.pdf")), "%PDF-1.7\n"+strings.Repeat("x", 20<<20-9))
	form.Close()
	pid := p.cmd.Process.Pid
	forgetMost(pid)
	parallel(uploads, uploads, func(i int) {
		p.send(ctx, visits[i]+"/documents", form.FormDataContentType(), bytes.NewReader(body.Bytes()), nil)
		for _, action := range []string{"hand-in", "finish"} {
			p.send(ctx, visits[i], asForm, strings.NewReader("action="+action), nil)
		}
	})
	time.Sleep(5 * time.Second) // reports are made
	return memoryOf(pid, "VmHWM")
}

const asForm = "application/x-www-form-urlencoded"

// visitForUpload begins a visit, consents, and returns its path at the step of files.
func (p *server) visitForUpload(ctx context.Context, account program.Credentials) string {
	options := must(json.Marshal(map[string]any{"env": "sandbox", "productId": account.Products["income"], "publicId": account.PublicID,
		"prefill": map[string]string{"firstName": "Ada", "lastName": "Byron", "email": "ada@mail.example", "dob": "1990-12-10"}}))
	var begun struct{ Handle string }
	p.send(ctx, "/widget/v1/visits", "application/json", bytes.NewReader(options), &begun)
	path := "/visit/" + begun.Handle
	for _, step := range []string{"action=consent", "action=source&source=paystubs"} {
		p.send(ctx, path, asForm, strings.NewReader(step), nil)
	}
	return path
}

// send posts a body to the provider and reads JSON into v unless it is nil.
func (p *server) send(ctx context.Context, path, contentType string, body io.Reader, v any) {
	req := must(http.NewRequestWithContext(ctx, http.MethodPost, p.Provider+path, body))
	req.Header.Set("Content-Type", contentType)
	send(&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, req, v)
}
