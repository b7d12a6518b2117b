package httpx_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"vestibule/internal/httpx"
)

// responses runs f in a bubble against a server that sends size bytes on /file, which knows
// ranges, 100 bytes each 10 seconds for an hour on /stream, and a page after 5 minutes on /late.
// ended returns when the last handler and the last connection ended, and the handler's error.
func responses(t *testing.T, size int, f func(t *testing.T, l *pipes, ended func() (handler, conn time.Time, err error))) {
	synctest.Test(t, func(t *testing.T) {
		var at, closed time.Time
		var failed error
		mux := http.NewServeMux()
		mux.HandleFunc("GET /file", func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "a.pdf", time.Time{}, bytes.NewReader(make([]byte, size)))
		})
		mux.HandleFunc("GET /whole", func(w http.ResponseWriter, _ *http.Request) {
			_, failed = w.Write(make([]byte, size))
		})
		mux.HandleFunc("GET /stream", func(w http.ResponseWriter, _ *http.Request) {
			for range 6 * 60 {
				if _, failed = w.Write(make([]byte, 100)); failed == nil {
					failed = http.NewResponseController(w).Flush()
				}
				if failed != nil {
					return
				}
				time.Sleep(10 * time.Second)
			}
		})
		mux.HandleFunc("GET /late", func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(5 * time.Minute)
			fmt.Fprint(w, "late")
		})
		server := httpx.NewServer(slog.New(slog.DiscardHandler))
		server.Handler = httpx.LimitPace(httpx.Wrap(slog.New(slog.DiscardHandler), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mux.ServeHTTP(w, r)
			at = time.Now()
		})))
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
		server.Protocols.SetUnencryptedHTTP2(true)
		server.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				closed = time.Now()
			}
		}
		l, done := newPipes(), make(chan struct{})
		go func() { server.Serve(l); close(done) }()
		f(t, l, func() (time.Time, time.Time, error) {
			synctest.Wait()
			return at, closed, failed
		})
		server.Close()
		<-done
	})
}

func TestSlowReadersEnd(t *testing.T) {
	const phone = 256_000 / 8 // bytes a second
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		for name, c := range map[string]struct {
			path   string
			size   int
			read   int           // bytes at once
			every  time.Duration // the pause before each
			whole  bool          // the response arrives
			within time.Duration
		}{
			"20 MB by a slow phone":         {"/whole", 20 << 20, 8 << 10, time.Second * (8 << 10) / phone, true, 14 * time.Minute},
			"20 MB just above the rate":     {"/file", 20 << 20, 9 << 10, time.Second, true, 45 * time.Minute},
			"a pause of 10 seconds":         {"/file", 200 << 10, 100 << 10, 10 * time.Second, true, time.Minute},
			"nothing is read":               {"/whole", 20 << 20, 1, 24 * time.Hour, false, time.Minute},
			"a byte a second":               {"/file", 20 << 20, 1, time.Second, false, 2 * time.Minute},
			"a stream that is read":         {"/stream", 0, 4 << 10, time.Millisecond, true, 61 * time.Minute},
			"a response after five minutes": {"/late", 0, 4 << 10, time.Millisecond, true, 6 * time.Minute},
		} {
			t.Run(protocol+"/"+name, func(t *testing.T) {
				responses(t, c.size, func(t *testing.T, l *pipes, ended func() (_, _ time.Time, _ error)) {
					began := time.Now()
					reader := client(l, protocol)
					// The client's own buffer is small beside the response.
					reader.Transport.(*http.Transport).HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10}
					resp, err := reader.Get("http://service.test" + c.path)
					if err != nil {
						t.Fatal(err)
					}
					defer resp.Body.Close()
					n, err := 0, error(nil)
					for err == nil && time.Since(began) < time.Hour*2 {
						time.Sleep(c.every)
						var m int
						m, err = io.ReadFull(resp.Body, make([]byte, c.read))
						n += m
					}
					at, _, failed := ended()
					if took := at.Sub(began); at.IsZero() || took > c.within {
						t.Errorf("the handler ended after %s, want at most %s", took, c.within)
					}
					complete := (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) && n >= max(1, c.size)
					if complete != c.whole {
						t.Errorf("%d bytes of %d arrived, then %v", n, c.size, err)
					}
					if c.whole && failed != nil || c.path == "/whole" && !c.whole && !errors.Is(failed, os.ErrDeadlineExceeded) {
						t.Errorf("the handler's error is %v", failed)
					}
				})
			})
		}
	}
}

// TestUnreadConnectionsAreClosed sends requests by hand and reads nothing.
func TestUnreadConnectionsAreClosed(t *testing.T) {
	// HTTP/2: the preface, settings, and headers of stream 1: GET /stream of host a (RFC 7541, appendix A).
	const settings, headers = "\x00\x00\x00\x04\x00\x00\x00\x00\x00", "\x00\x00\x0d\x01\x05\x00\x00\x00\x01" +
		"\x82\x86\x04\x07/stream\x41\x01a"
	for name, sent := range map[string]string{
		"HTTP/1.1 a file":             "GET /file HTTP/1.1\r\nHost: a\r\n\r\n",
		"HTTP/1.1 a stream":           "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n",
		"HTTP/1.1 an error":           "GET /none HTTP/1.1\r\nHost: a\r\n\r\n",
		"HTTP/1.1 an invalid request": "GET\r\n\r\n",
		"HTTP/2.0 a stream":           "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings + headers,
	} {
		t.Run(name, func(t *testing.T) {
			responses(t, 1<<20, func(t *testing.T, l *pipes, ended func() (_, _ time.Time, _ error)) {
				began := time.Now()
				conn, err := l.dial(t.Context(), "", "")
				if err != nil {
					t.Fatal(err)
				}
				go io.WriteString(conn, sent)
				time.Sleep(time.Hour)
				if _, closed, _ := ended(); closed.IsZero() || closed.Sub(began) > time.Minute {
					t.Errorf("closed after %s", closed.Sub(began))
				}
				conn.Close()
			})
		})
	}
}

func TestRangesOfPacedResponses(t *testing.T) {
	responses(t, 1<<20, func(t *testing.T, l *pipes, _ func() (_, _ time.Time, _ error)) {
		r, _ := http.NewRequest("GET", "http://service.test/file", nil)
		r.Header.Set("Range", "bytes=1000-200999")
		resp, err := client(l, "HTTP/1.1").Do(r)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(resp.Body)
		if resp.StatusCode != 206 || resp.Header.Get("Content-Range") != "bytes 1000-200999/1048576" || len(raw) != 200_000 || err != nil {
			t.Errorf("%s, %s: %d bytes, then %v", resp.Status, resp.Header.Get("Content-Range"), len(raw), err)
		}
	})
}

// buffered is a connection that records the size of its send buffer.
type buffered struct {
	net.Conn
	size *int
}

func (b buffered) SetWriteBuffer(bytes int) error { *b.size = bytes; return nil }

// A send buffer that grows to megabytes makes a slow reader look like one that has stopped.
func TestSendBuffersAreSmall(t *testing.T) {
	for name, wrap := range map[string]func(net.Conn) net.Conn{
		"plain": func(c net.Conn) net.Conn { return c },
		"TLS":   func(c net.Conn) net.Conn { return tls.Server(c, &tls.Config{}) },
	} {
		server, size := httpx.NewServer(slog.New(slog.DiscardHandler)), 0
		server.ConnContext(t.Context(), wrap(buffered{size: &size}))
		// A third of the buffer must become free before a write goes on: within 30 seconds at the minimum pace.
		if size == 0 || size/3 > 30*(8<<10) {
			t.Errorf("%s: a send buffer of %d bytes", name, size)
		}
	}
}
