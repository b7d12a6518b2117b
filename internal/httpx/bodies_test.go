package httpx_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vestibule/internal/httpx"
)

// pipes is a listener whose connections are in memory, so that their deadlines follow
// a synctest bubble's clock.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	shut  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), shut: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.shut:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.shut) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.shut:
		return nil, net.ErrClosed
	}
}

// bodies runs f in a bubble against a server that reads bodies, except on /unread, and
// that sends an event a minute for an hour on /stream.
func bodies(t *testing.T, f func(t *testing.T, l *pipes, read func() (int, time.Time, error))) {
	synctest.Test(t, func(t *testing.T) {
		var n int
		var failed error
		var ended time.Time
		var protocols http.Protocols
		protocols.SetHTTP1(true)
		protocols.SetUnencryptedHTTP2(true)
		mux := http.NewServeMux()
		mux.HandleFunc("POST /read", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Minute) // the handler's own time does not count
			raw, err := io.ReadAll(r.Body)
			n, failed = len(raw), err
			time.Sleep(time.Minute)
			if r.Context().Err() != nil && err == nil {
				failed = r.Context().Err()
			}
			fmt.Fprint(w, n)
		})
		mux.HandleFunc("POST /unread", func(http.ResponseWriter, *http.Request) {})
		mux.HandleFunc("GET /stream", func(w http.ResponseWriter, r *http.Request) {
			for range 60 {
				fmt.Fprint(w, ": still here\n\n")
				http.NewResponseController(w).Flush()
				time.Sleep(time.Minute)
			}
		})
		l := newPipes()
		server := &http.Server{Handler: httpx.LimitPace(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mux.ServeHTTP(w, r)
			ended = time.Now()
		})), Protocols: &protocols, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
		done := make(chan struct{})
		go func() { server.Serve(l); close(done) }()
		f(t, l, func() (int, time.Time, error) {
			synctest.Wait()
			return n, ended, failed
		})
		server.Close()
		<-done
	})
}

// chunks is a body that sends fast bytes at once, and then size bytes after each pause.
type chunks struct {
	size, left, fast int
	every            time.Duration
	ctx              context.Context
}

func (c *chunks) Read(p []byte) (int, error) {
	n := min(c.fast, c.left, len(p))
	if n > 0 {
		c.fast -= n
	} else if c.left > 0 {
		select {
		case <-time.After(c.every):
		case <-c.ctx.Done():
			return 0, c.ctx.Err()
		}
		n = min(c.size, c.left, len(p))
	} else {
		return 0, io.EOF
	}
	c.left -= n
	return n, nil
}

func client(l *pipes, protocol string) *http.Client {
	var protocols http.Protocols
	protocols.SetHTTP1(protocol == "HTTP/1.1")
	protocols.SetUnencryptedHTTP2(protocol == "HTTP/2.0")
	return &http.Client{Transport: &http.Transport{DialContext: l.dial, Protocols: &protocols, DisableKeepAlives: true}}
}

func TestSlowBodiesEnd(t *testing.T) {
	const phone = 256_000 / 8 // bytes a second
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		for name, c := range map[string]struct {
			path   string
			body   chunks
			reads  bool
			within time.Duration // of the handlers' two minutes too
		}{
			"20 MB by a slow phone": {"/read", chunks{size: 8 << 10, left: 20 << 20, every: time.Second * (8 << 10) / phone},
				true, 14 * time.Minute},
			"a pause on the way":       {"/read", chunks{size: 1, left: 1<<20 + 1, fast: 1 << 20, every: 25 * time.Second}, true, 3 * time.Minute},
			"nothing arrives":          {"/read", chunks{size: 1, left: 1000, every: time.Hour}, false, 3 * time.Minute},
			"a byte a second":          {"/read", chunks{size: 1, left: 1 << 20, every: time.Second}, false, 3 * time.Minute},
			"fast, then nothing":       {"/read", chunks{size: 1, left: 2 << 20, fast: 1 << 20, every: time.Hour}, false, 3 * time.Minute},
			"at the rate, without end": {"/read", chunks{size: 10 << 10, left: 1 << 40, every: time.Second}, false, 18 * time.Minute},
			"unread, nothing":          {"/unread", chunks{size: 1, left: 1000, every: time.Hour}, true, 20 * time.Second},
			"unread, and it ends":      {"/unread", chunks{size: 1000, left: 1000}, true, 20 * time.Second},
		} {
			t.Run(protocol+"/"+name, func(t *testing.T) {
				bodies(t, func(t *testing.T, l *pipes, read func() (int, time.Time, error)) {
					began, want := time.Now(), c.body.left
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					body := c.body
					body.ctx = ctx
					r, _ := http.NewRequestWithContext(ctx, "POST", "http://service.test"+c.path, io.NopCloser(&body))
					r.ContentLength = int64(want)
					resp, err := client(l, protocol).Do(r)
					if err == nil {
						io.Copy(io.Discard, resp.Body)
						resp.Body.Close()
					}
					cancel()
					n, ended, failed := read()
					took := ended.Sub(began)
					if took > c.within {
						t.Errorf("it took %s, want at most %s", took, c.within)
					}
					if c.path != "/read" {
						return
					}
					if c.reads && (failed != nil || n != want || err != nil) {
						t.Errorf("%d bytes of %d were read: %v, %v", n, want, failed, err)
					} else if !c.reads && !errors.Is(failed, os.ErrDeadlineExceeded) {
						t.Errorf("%d bytes were read, then %v; want the deadline", n, failed)
					}
				})
			})
		}
	}
}

func TestStalledConnectionsAreClosed(t *testing.T) {
	for name, head := range map[string]string{
		"a body that never arrives":          "POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n",
		"a body that is not read":            "POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{",
		"chunks that stop":                   "POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
		"an address that is not there":       "POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n",
		"a GET with a body":                  "GET /none HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n",
		"a body that waits for 100 Continue": "POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
		"a header that does not end":         "POST /read HTTP/1.1\r\nHost: a\r\n",
		"HTTP/2 that stops at its preface":   "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			bodies(t, func(t *testing.T, l *pipes, _ func() (int, time.Time, error)) {
				began := time.Now()
				conn, err := l.dial(t.Context(), "", "")
				if err != nil {
					t.Fatal(err)
				}
				go io.WriteString(conn, head)
				io.Copy(io.Discard, conn) // until the server closes it
				conn.Close()
				most := 20 * time.Second
				if strings.HasPrefix(head, "POST /read") {
					most += 2 * time.Minute // the handler's own
				}
				if took := time.Since(began); took > most {
					t.Errorf("closed after %s", took)
				}
			})
		})
	}
}

// TestRestOfASlowBodyIsRead checks that a client gets the answer to a body that the handler does not
// read: a connection that is closed while the client sends loses the answer.
func TestRestOfASlowBodyIsRead(t *testing.T) {
	bodies(t, func(t *testing.T, l *pipes, _ func() (int, time.Time, error)) {
		conn, err := l.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		const size, phone = 100_000, 256_000 / 8 // bytes a second
		fmt.Fprintf(conn, "POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", size)
		for sent := 0; sent < size; sent += size / 10 {
			time.Sleep(time.Second * (size / 10) / phone)
			if _, err := conn.Write(make([]byte, size/10)); err != nil {
				t.Fatalf("after %d bytes: %v", sent, err)
			}
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.Close {
			t.Fatalf("the answer: %+v, %v; want one that leaves the connection open", resp, err)
		}
	})
}

// page renders unless its context has ended.
type page struct{}

func (page) Render(ctx context.Context, w io.Writer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "too slow")
	return err
}

func TestSlowFormGetsAnErrorPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		server := &http.Server{Handler: httpx.LimitPace(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, err := httpx.DecodeForm(w, r, 1000)
			if err := httpx.HTML(w, r, httpx.AsError(err).HTTPStatus(), page{}); err != nil {
				t.Error(err)
			}
		}))}
		done := make(chan struct{})
		go func() { server.Serve(l); close(done) }()
		conn, err := l.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		go io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na=b")
		raw, _ := io.ReadAll(conn)
		if !strings.HasPrefix(string(raw), "HTTP/1.1 400 ") || !strings.Contains(string(raw), "too slow") {
			t.Errorf("the answer is\n%s", raw)
		}
		conn.Close()
		server.Close()
		<-done
	})
}

func TestStreamsAndIdleConnectionsHaveNoBodyDeadline(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			bodies(t, func(t *testing.T, l *pipes, _ func() (int, time.Time, error)) {
				r, _ := http.NewRequest("GET", "http://service.test/stream", nil)
				resp, err := client(l, protocol).Do(r)
				if err != nil {
					t.Fatal(err)
				}
				raw, err := io.ReadAll(resp.Body)
				if err != nil || strings.Count(string(raw), "still here") != 60 || resp.Proto != protocol {
					t.Errorf("%s: %d events, then %v", resp.Proto, strings.Count(string(raw), "still here"), err)
				}
			})
		})
	}
	bodies(t, func(t *testing.T, l *pipes, _ func() (int, time.Time, error)) {
		conn, err := l.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		for i := range 3 { // one connection, a minute and more between its requests
			go io.Copy(conn, bytes.NewReader([]byte("POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}")))
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("request %d: %v", i, err)
			}
			resp.Body.Close()
			time.Sleep(90 * time.Second)
		}
		conn.Close()
	})
}

func TestStrictTransport(t *testing.T) {
	for address, want := range map[string]string{
		"https://apply.example.com": "max-age=31536000", "https://apply.example.com:8443": "max-age=31536000",
		"http://apply.example.com": "", "http://localhost:8080": "", "https://localhost:8443": "",
		"https://127.0.0.1": "", "https://[::1]:8443": "",
	} {
		var got string
		w := httptest.NewRecorder()
		httpx.StrictTransport(address, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			got = w.Header().Get("Strict-Transport-Security")
		})).ServeHTTP(w, &http.Request{})
		if got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
