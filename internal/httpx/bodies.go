package httpx

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// timedBody sets a deadline before each read. After the handler, HTTP/1.1's server
// reads the rest of the body under the last deadline. HTTP/2 fails the stream for good
// at a deadline, even without a read, so Read clears it.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	streams bool // HTTP/2
	pace
	whole time.Duration // remaining wait of reads altogether
	ended bool
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
	b.count(n, waited)
	// At the end of the body, the server watches the connection for closing without a
	// deadline.
	b.ended = b.ended || errors.Is(err, io.EOF)
	if b.ended || b.streams {
		b.deadline(time.Time{})
	}
	return n, err
}

// end limits how long HTTP/1.1's server reads the rest of the body. A client that still sends when
// the connection is closed does not get the response.
func (b *timedBody) end() {
	if !b.ended && !b.streams {
		b.limit()
	}
}
