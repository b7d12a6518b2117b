package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// paintFigures measures how long the apply page takes on a slow network, with and without
// the module.
func (p *server) paintFigures(ctx context.Context) ([]figure, error) {
	const rounds = "9"
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "node", "paint.mjs", p.Portal+applyPath, chromium, rounds)
	cmd.Stderr = os.Stderr
	raw, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("paint: %w", err)
	}
	var all struct {
		With, Without struct{ Paint, Key []float64 }
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	beside := func(name string, with, without []float64) figure {
		for _, series := range [][]float64{with, without} {
			for i := range series {
				series[i] *= 1e6 // nanoseconds
			}
		}
		f := compared(name, with, without, "≤ 1.05")
		f.ours, f.peer = fmt.Sprintf("%.0f ms", quantile(with, 0.5)/1e6), fmt.Sprintf("%.0f ms", quantile(without, 0.5)/1e6)
		return f
	}
	return []figure{
		beside("slow 4G, first paint, with / without module", all.With.Paint, all.Without.Paint),
		beside("slow 4G, first key, with / without module", all.With.Key, all.Without.Key),
	}, nil
}

// applyFigure requests the apply page alternately of our program and of a process that
// only writes the same bytes and headers.
func (p *server) applyFigure(ctx context.Context) (figure, error) {
	const rounds, lasts, at = 15, 300 * time.Millisecond, 4
	page, err := p.get(ctx, p.Portal+applyPath, "")
	if err != nil {
		return figure{}, err
	}
	file, err := os.CreateTemp("", "vestibule-bench-*.html")
	if err != nil {
		return figure{}, err
	}
	defer os.Remove(file.Name())
	if _, err := file.Write(page); err != nil {
		return figure{}, err
	}
	file.Close()
	self, err := os.Executable()
	if err != nil {
		return figure{}, err
	}
	cmd := exec.CommandContext(ctx, self, "-bare", file.Name())
	out, err := cmd.StdoutPipe()
	if err != nil {
		return figure{}, err
	}
	if err := cmd.Start(); err != nil {
		return figure{}, err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	bare, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return figure{}, err
	}
	rates := [2][]float64{}
	for round := range rounds + 1 {
		for turn := range 2 {
			who := (round + turn) % 2
			n, err := asked([]string{p.Portal, strings.TrimSpace(bare)}[who]+applyPath, at, lasts)
			if err != nil {
				return figure{}, err
			}
			if round > 0 {
				rates[who] = append(rates[who], n/lasts.Seconds())
			}
		}
	}
	f := compared("apply page, requests/s, ours / a bare handler", rates[0], rates[1], "≥ 0.50")
	f.ours, f.peer = fmt.Sprintf("%.0f/s", quantile(rates[0], 0.5)), fmt.Sprintf("%.0f/s", quantile(rates[1], 0.5))
	return f, nil
}

// bare serves the bytes of a file with the headers of a page, and prints its address.
func bare(file string) error {
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

// asked returns how many requests for a page were answered within a time, on a number of
// connections, by a minimal client.
func asked(address string, at int, within time.Duration) (float64, error) {
	u, err := url.Parse(address)
	if err != nil {
		return 0, err
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	total, failed := 0, error(nil)
	end := time.Now().Add(within)
	for range at {
		all.Go(func() {
			n, err := func() (n int, err error) {
				c, err := net.Dial("tcp", u.Host)
				if err != nil {
					return 0, err
				}
				defer c.Close()
				request := []byte("GET " + u.Path + " HTTP/1.1\r\nHost: " + u.Host + "\r\nAccept-Language: en\r\n\r\n")
				in := bufio.NewReaderSize(c, 32<<10)
				for ; time.Now().Before(end); n++ {
					if _, err := c.Write(request); err != nil {
						return n, err
					}
					length := -1
					for {
						line, err := in.ReadSlice('\n')
						if err != nil {
							return n, err
						}
						if len(line) == 2 {
							break
						}
						if said, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
							length, _ = strconv.Atoi(string(bytes.TrimSpace(said)))
						}
					}
					if length < 0 {
						return n, fmt.Errorf("%s says no length", u.Host)
					}
					if _, err := in.Discard(length); err != nil {
						return n, err
					}
				}
				return n, nil
			}()
			mu.Lock()
			defer mu.Unlock()
			total += n
			if err != nil {
				failed = err
			}
		})
	}
	all.Wait()
	return float64(total), failed
}

// streamsFigure measures the memory of 1,000 open event streams, of fifty applications in
// twenty tabs each.
func (p *server) streamsFigure(ctx context.Context) (figure, error) {
	const applications, tabs, limit = 50, 20, 60 << 20
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DisableKeepAlives: true}}
	var streams []*http.Request
	for range applications {
		form := url.Values{"product": {"cashflow"}, "mode": {"embedded"}, "firstName": {"Ana"}, "lastName": {"Lee"}, "email": {"ana@example.org"},
			"dob-month": {"2"}, "dob-day": {"3"}, "dob-year": {"1990"}}
		resp, err := client.PostForm(p.Portal+"/applications", form)
		if err != nil {
			return figure{}, err
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		_, path, _ := strings.Cut(resp.Header.Get("Location"), "/applications/")
		if resp.StatusCode != http.StatusSeeOther || len(path) < 36 || len(resp.Cookies()) == 0 {
			return figure{}, fmt.Errorf("an application is answered %s", resp.Status)
		}
		for range tabs {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Portal+"/applications/"+path[:36]+"/stream", nil)
			if err != nil {
				return figure{}, err
			}
			req.AddCookie(resp.Cookies()[0])
			streams = append(streams, req)
		}
	}
	before, err := p.memory()
	if err != nil {
		return figure{}, err
	}
	for _, req := range streams {
		resp, err := client.Do(req)
		if err != nil {
			return figure{}, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return figure{}, fmt.Errorf("a stream is answered %s", resp.Status)
		}
	}
	after, err := p.memory()
	if err != nil {
		return figure{}, err
	}
	return against("memory of 1,000 open event streams", "B", []float64{after - before}, limit, "≤ 1.00"), nil
}
