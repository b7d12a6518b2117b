//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"vestibule/bench/fleet"
	"vestibule/internal/testutil/program"
)

const applyPath = "/apply/cashflow"

// pagesFigures builds and starts the program, and measures what a browser loads before the
// apply page is complete, the rate of that page, and the time to start.
func pagesFigures(ctx context.Context, dir string) ([]figure, error) {
	bin, err := buildProgram(ctx, dir)
	if err != nil {
		return nil, err
	}
	var starts series
	for round := range 6 {
		p, err := startServer(ctx, bin, dir, "serve")
		if err != nil {
			return nil, err
		}
		p.stop()
		if round > 0 { // the first one migrates
			starts = append(starts, float64(p.started))
		}
	}
	p, err := startServer(ctx, bin, dir, "serve")
	if err != nil {
		return nil, err
	}
	defer p.stop()
	page, err := p.weigh(ctx, applyPath)
	loader, err2 := compressed(ctx, p.Provider+"/widget/v1/widget.js")
	kit, err3 := compressed(ctx, p.Portal+"/embed/v1/embed.js")
	rate, err4 := p.applyFigure(ctx, dir)
	kibibytes := unit("%.1f KiB", 1<<10)
	return []figure{rate,
		compare("bytes until the apply page is complete", "≤ 1.00", kibibytes, series{page}, series{25 << 10}),
		compare("the provider's widget loader", "≤ 1.00", kibibytes, series{loader}, series{5 << 10}),
		compare("the portal's embed kit", "≤ 1.00", kibibytes, series{kit}, series{4 << 10}),
		compare("time until ready, once built", "≤ 1.00", millis, starts, series{1e9}),
	}, errors.Join(err, err2, err3, err4)
}

// server is a running program.
type server struct {
	program.Listeners
	cmd     *exec.Cmd
	started time.Duration
}

// startServer starts a command of the program on free ports, and waits until it is ready.
func startServer(ctx context.Context, bin, dir string, args ...string) (*server, error) {
	cmd := exec.CommandContext(ctx, bin, append(args, "--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0",
		"--data-dir="+filepath.Join(dir, "data"), "--log-level=error")...)
	cmd.Stderr = os.Stderr
	began := time.Now()
	l, err := program.StartProcess(cmd)
	return &server{Listeners: l, cmd: cmd, started: time.Since(began)}, err
}

func (p *server) stop() {
	p.cmd.Process.Signal(os.Interrupt)
	p.cmd.Wait()
}

// memoryOf returns a size in bytes from /proc/pid/status.
func memoryOf(pid int, field string) (float64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, field+": %f kB", &kb); n == 1 {
			return kb * 1024, nil
		}
	}
	return 0, fmt.Errorf("no %s", field)
}

var loads = regexp.MustCompile(`(?:href|src)="(/assets/[^"]+\.(?:css|js))"`)

// weigh returns the bytes sent to a browser that accepts brotli, for a page with the style
// sheets and scripts that it names. The page is not compressed. Images and the WASM
// module, which is loaded after the page is complete, do not count.
func (p *server) weigh(ctx context.Context, path string) (float64, error) {
	page, err := get(ctx, p.Portal+path, "")
	total := float64(len(page))
	for _, m := range loads.FindAllSubmatch(page, -1) {
		n, err := compressed(ctx, p.Portal+string(m[1]))
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, err
}

// compressed returns the bytes sent for a file to a browser that accepts brotli.
func compressed(ctx context.Context, url string) (float64, error) {
	raw, err := get(ctx, url, "br")
	return float64(len(raw)), err
}

func get(ctx context.Context, url, encoding string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", encoding)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 || resp.Header.Get("Content-Encoding") != encoding {
		return nil, fmt.Errorf("%s: %s, encoding %q", url, resp.Status, resp.Header.Get("Content-Encoding"))
	}
	return io.ReadAll(resp.Body)
}

// applyFigure requests the apply page of our program and of a process that only writes the
// same bytes with as many headers, in turns and with the same client.
func (p *server) applyFigure(ctx context.Context, dir string) (figure, error) {
	page, err := get(ctx, p.Portal+applyPath, "")
	if err != nil {
		return figure{}, err
	}
	file := filepath.Join(dir, "apply.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		return figure{}, err
	}
	peer, err := fleet.StartSelf(ctx, "", "-bare", file)
	if err != nil {
		return figure{}, err
	}
	defer peer.Stop()
	bare, err := peer.Line()
	if err != nil {
		return figure{}, err
	}
	request := func(base string) func(int) (*http.Request, error) {
		return func(int) (*http.Request, error) {
			return http.NewRequestWithContext(ctx, http.MethodGet, base+applyPath, nil)
		}
	}
	pace, _, err := besidePeer(ctx, request(p.Portal), request(bare))
	if err != nil {
		return figure{}, err
	}
	return compareRates("apply page, requests/s, ours / a bare handler", "≥ 0.50", pace[0], pace[1]), nil
}

// serveBare serves the bytes of a file with the headers of a page, and prints its address.
func serveBare(file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for _, name := range []string{"Cache-Control", "Content-Security-Policy",
			"Permissions-Policy", "Referrer-Policy", "X-Content-Type-Options"} {
			h.Set(name, "default-src 'none'")
		}
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Length", fmt.Sprint(len(body)))
		w.Write(body)
	}))
}
