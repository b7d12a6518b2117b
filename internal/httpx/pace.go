package httpx

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of the time that a client can make the server wait: paceGrace, plus the time that
// the bytes take at minPace, but at most maxSilence at once. The handler's other work does
// not count. A request body has maxBodyTime altogether. An upload of 20 MB takes 11 minutes
// at 256 kbit/s, which is four times the pace.
const (
	paceGrace   = 15 * time.Second
	maxSilence  = 30 * time.Second
	minPace     = 8 << 10 // bytes a second
	maxBodyTime = 15 * time.Minute
)

// NewServer returns a server with the time limits of all listeners, whose handler must be
// that of LimitPace. It logs errors of connections as debug messages.
func NewServer(log *slog.Logger) *http.Server {
	return &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      maxSilence, // of answers without the handler, such as 431; LimitPace removes it
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		// Deadlines end HTTP/2's streams, not connections. A client must read to answer a ping.
		HTTP2:       &http.HTTP2Config{WriteByteTimeout: maxSilence, SendPingTimeout: maxSilence, PingTimeout: paceGrace},
		ConnContext: limitSendBuffer,
	}
}

// sendBuffer is the size in bytes of a connection's send buffer. One that grows by itself to
// megabytes lets a client at 256 kbit/s block writes for longer than maxSilence.
const sendBuffer = 128 << 10

func limitSendBuffer(ctx context.Context, c net.Conn) context.Context {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	if buffered, ok := c.(interface{ SetWriteBuffer(int) error }); ok {
		_ = buffered.SetWriteBuffer(sendBuffer) // the next write reports a broken connection
	}
	return ctx
}

// LimitPace ends requests whose body arrives too slowly, and responses that the client reads
// too slowly: reading or writing fails, and the connection (with HTTP/2, the stream) is
// closed. The pace counts, not the time: a large file can take an hour, and event streams
// have a deadline only while an event is written. Make it the outermost handler, because it
// needs the server's own http.ResponseWriter.
func LimitPace(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control, streams := http.NewResponseController(w), r.ProtoMajor >= 2
		paced := &pacedWriter{ResponseWriter: w, control: control, pace: pace{left: paceGrace}}
		paced.deadline(time.Time{})
		defer func() {
			paced.deadline(time.Now().Add(paced.left + time.Second)) // for what the server has buffered
		}()
		if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
			next.ServeHTTP(paced, r)
			return
		}
		body := &timedBody{ReadCloser: r.Body, control: control, streams: streams, pace: pace{left: paceGrace}, whole: maxBodyTime}
		r.Body = body
		if !body.streams {
			body.limit()
		}
		next.ServeHTTP(paced, r)
		body.end()
	})
}

// pace is how long a client may make the server wait for its next bytes.
type pace struct{ left time.Duration }

// count adds the time of n bytes at the minimum pace, without the time that they took.
func (p *pace) count(n int, took time.Duration) {
	p.left = max(0, min(maxSilence, p.left-took+time.Duration(n)*time.Second/minPace))
}

// maxPacedWrite is how many bytes have one deadline. They take 4 seconds at the minimum pace.
const maxPacedWrite = 32 << 10

// pacedWriter sets a deadline for each write. Unwrap gives http.ResponseController the rest.
type pacedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	pace
}

func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// deadline sets the write deadline. It ignores the error of a writer without a connection,
// as in tests.
func (w *pacedWriter) deadline(t time.Time) { _ = w.control.SetWriteDeadline(t) }

// within writes n bytes before the deadline. HTTP/2 fails a stream for good at a deadline,
// even without a write, so within removes it.
func (w *pacedWriter) within(n int, write func() (int, error)) (int, error) {
	began := time.Now()
	w.deadline(began.Add(w.left + time.Duration(n)*time.Second/minPace))
	written, err := write()
	w.count(written, time.Since(began))
	if err == nil {
		w.deadline(time.Time{})
	}
	return written, err
}

// Write writes parts of b, each before its deadline.
func (w *pacedWriter) Write(b []byte) (int, error) {
	written := 0
	for {
		part := b[written:min(len(b), written+maxPacedWrite)]
		n, err := w.within(len(part), func() (int, error) { return w.ResponseWriter.Write(part) })
		written += n
		if err != nil || written >= len(b) {
			return written, err
		}
	}
}

// FlushError sends what the server has buffered, before the deadline.
func (w *pacedWriter) FlushError() error {
	_, err := w.within(0, func() (int, error) { return 0, w.control.Flush() })
	return err
}
