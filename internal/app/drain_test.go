package app_test

import (
	"io"
	"strings"
	"testing"
	"time"
)

// TestShutdownWaitsForRequests ends the program while it answers: the answer is
// complete, a stream ends, and new connections are refused.
func TestShutdownWaitsForRequests(t *testing.T) {
	t.Parallel()
	w := startServer(t, "")
	id, token := w.application(t, "embedded")
	cookie := w.enter(t, id, token)
	w.connect(t, id, cookie)
	good(t, 201, ask(t, "POST", w.Control+"/faults", `{"match":"GET /connect/jwkset","action":"delay:700ms"}`, "Content-Type", asJSON))

	stream, err := direct.Do(ask(t, "GET", w.Portal+"/applications/"+id+"/stream", "", "Cookie", cookie))
	if err != nil || stream.StatusCode != 200 {
		t.Fatalf("stream: %v %v", stream, err)
	}
	defer stream.Body.Close()
	keys := make(chan reply, 1)
	request := ask(t, "GET", w.Provider+"/connect/jwkset", "")
	go func() {
		got, err := send(request)
		if err != nil {
			t.Error(err)
		}
		keys <- got
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range tick.C { // until the delayed request is being answered
		if got := good(t, 200, ask(t, "GET", w.Control+"/faults", "")); strings.TrimSpace(string(got.Body)) == "[]" {
			break
		}
	}
	w.Stop()
	if raw, err := io.ReadAll(stream.Body); err != nil || !strings.Contains(string(raw), "event: state") {
		t.Errorf("the stream ended with %v after %q", err, raw)
	}
	if got := <-keys; got.Status != 200 || !strings.Contains(string(got.Body), `"keys"`) {
		t.Errorf("keys: %d %s", got.Status, got.Body)
	}
	if err := w.End(); err != nil { // as with a stream that does not end by itself
		t.Error(err)
	}
	if got, err := send(ask(t, "GET", w.Portal+"/", "")); err == nil {
		t.Errorf("a request after the end is answered %d", got.Status)
	}
}
