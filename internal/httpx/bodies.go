package httpx

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// Limits of the time that reads of a request body may wait: bodyGrace, plus the time
// that the received bytes take at minBodyRate, but at most maxSilence at once and
// maxBodyTime altogether. The handler's other work does not count. An upload of 20 MB
// takes 11 minutes at 256 kbit/s, which is four times the rate.
const (
	bodyGrace   = 15 * time.Second
	maxSilence  = 30 * time.Second
	minBodyRate = 8 << 10 // bytes a second
	maxBodyTime = 15 * time.Minute
)

// LimitBodies ends requests whose body arrives too slowly: reading it fails, and the
// connection (with HTTP/2, the stream) is closed. Requests without a body, such as
// event streams, have no deadline. Make it the outermost handler, because it needs the
// server's own http.ResponseWriter.
func LimitBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		body := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w),
			streams: r.ProtoMajor >= 2, left: bodyGrace, whole: maxBodyTime}
		r.Body = body
		if !body.streams {
			body.limit()
		}
		next.ServeHTTP(w, r)
		body.end()
	})
}

// timedBody sets a deadline before each read. After the handler, HTTP/1.1's server
// reads the rest of the body under the last deadline. HTTP/2 fails the stream for good
// at a deadline, even without a read, so Read clears it.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	streams bool          // HTTP/2
	left    time.Duration // remaining wait of reads at the present rate
	whole   time.Duration // remaining wait of reads altogether
	ended   bool
}

func (b *timedBody) limit() { b.deadline(time.Now().Add(max(0, min(b.left, b.whole)))) }

// deadline sets the read deadline. It ignores the error of a writer without a
// connection, as in tests.
func (b *timedBody) deadline(t time.Time) { _ = b.control.SetReadDeadline(t) }

// Read reads until the deadline.
func (b *timedBody) Read(p []byte) (int, error) {
	b.limit()
	began := time.Now()
	n, err := b.ReadCloser.Read(p)
	waited := time.Since(began)
	b.whole -= waited
	b.left = min(maxSilence, b.left-waited+time.Duration(n)*time.Second/minBodyRate)
	// At the end of the body, the server watches the connection for closing without a
	// deadline.
	b.ended = b.ended || errors.Is(err, io.EOF)
	if b.ended || b.streams {
		b.deadline(time.Time{})
	}
	return n, err
}

// end gives HTTP/1.1's server up to a second to read the rest of the body.
func (b *timedBody) end() {
	if !b.ended && !b.streams {
		b.left = min(b.left, time.Second)
		b.limit()
	}
}
