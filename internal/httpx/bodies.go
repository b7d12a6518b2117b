package httpx

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// A request's body may keep a handler waiting for bodyGrace, and for as much longer as
// what has come is worth at minBodyRate, but never for more than maxSilence at once or
// maxBodyTime altogether. Time that the handler spends on other things does not count.
// An upload of 20 MB takes 11 minutes at 256 kbit/s, which is four times the rate.
const (
	bodyGrace   = 15 * time.Second
	maxSilence  = 30 * time.Second
	minBodyRate = 8 << 10 // bytes a second
	maxBodyTime = 15 * time.Minute
)

// LimitBodies ends requests whose body is sent too slowly: reading it fails, and the
// connection (of HTTP/2, the stream) is closed. Requests without a body, event streams
// among them, have no deadline. Use it around everything else, for it needs the
// server's own http.ResponseWriter.
func LimitBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		body := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w), streams: r.ProtoMajor >= 2, left: bodyGrace, whole: maxBodyTime}
		r.Body = body
		if !body.streams {
			body.limit()
		}
		next.ServeHTTP(w, r)
		body.end()
	})
}

// timedBody sets a deadline before each read. HTTP/1.1's server goes on to read what a
// handler has left, by the deadline that was set last; HTTP/2's fails a stream for
// good at the deadline even if it is not read, so there none is left behind.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	streams bool          // HTTP/2
	left    time.Duration // that reads may still wait before the body is too slow
	whole   time.Duration // that they may still wait altogether
	ended   bool
}

func (b *timedBody) limit() { b.deadline(time.Now().Add(max(0, min(b.left, b.whole)))) }

// deadline sets one; a writer without a connection, as in tests, has none.
func (b *timedBody) deadline(t time.Time) { _ = b.control.SetReadDeadline(t) }

// Read reads until the deadline.
func (b *timedBody) Read(p []byte) (int, error) {
	b.limit()
	began := time.Now()
	n, err := b.ReadCloser.Read(p)
	waited := time.Since(began)
	b.whole -= waited
	b.left = min(maxSilence, b.left-waited+time.Duration(n)*time.Second/minBodyRate)
	// At the end the server watches the connection for its closing, without an end.
	b.ended = b.ended || errors.Is(err, io.EOF)
	if b.ended || b.streams {
		b.deadline(time.Time{})
	}
	return n, err
}

// end leaves HTTP/1.1's server a moment to read what the handler has left.
func (b *timedBody) end() {
	if !b.ended && !b.streams {
		b.left = min(b.left, time.Second)
		b.limit()
	}
}
