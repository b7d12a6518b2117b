package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/sandbox/fdxbank"
	"vestibule/internal/webhook"
)

// FaultInjector makes the service do rare things that the API allows. Events arrive
// twice and out of order; a finished report is PENDING for one or two polls; access
// tokens announce an early expiry; answers have unknown members and another order of
// members; some requests are slow, or return 429 or 503 once. It affects the
// customer's API and its events; pages and the key set change only in the order of
// members.
//
// The same seed and the same requests give the same faults.
type FaultInjector struct {
	Seed uint64
	Log  *slog.Logger
	Now  func() time.Time

	counts fdxbank.Counter // requests by method and address, and polls by report
}

func (a *FaultInjector) count(name string) uint64 { return uint64(a.counts.Next(name)) }

// chance returns a pseudorandom number for name and n.
func (a *FaultInjector) chance(name string, n uint64) uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.BigEndian, []uint64{a.Seed, n})
	io.WriteString(h, name)
	x := h.Sum64() // the lower bits alone are too similar
	x = (x ^ x>>31) * 0x9e3779b97f4a7c15
	return x ^ x>>29
}

// hasFault reports whether the n-th request of a name gets a fault. A quarter do, but
// never two in a row, so that a retry succeeds.
func (a *FaultInjector) hasFault(name string, n uint64) bool {
	return n > 0 && a.chance(name, n)%4 == 0 && !a.hasFault(name, n-1)
}

// Wrap injects faults into next.
func (a *FaultInjector) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if !strings.HasPrefix(path, "/connect/") && path != "/secure-redirect" {
			next.ServeHTTP(w, r)
			return
		}
		name := r.Method + " " + path
		if n := a.count(name); path != "/connect/jwkset" && a.hasFault(name, n) {
			kinds := uint64(2) // what may have changed something is not to be repeated after a 503
			if r.Method == http.MethodGet {
				kinds = 3
			}
			switch c := a.chance(name+" how", n); c % kinds {
			case 0:
				if httpx.Sleep(r.Context(), time.Duration(200+c>>8%600)*time.Millisecond) != nil {
					return
				}
			case 1:
				w.Header().Set("Retry-After", "1")
				a.refuse(w, r, contract.CodeRateLimited)
				return
			case 2:
				a.refuse(w, r, contract.CodeUnavailable)
				return
			}
		}
		rec := &bufferedResponse{header: w.Header(), status: http.StatusOK}
		next.ServeHTTP(rec, r)
		body := rec.body.Bytes()
		if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
			body = a.reordered(r, body)
			w.Header().Del("Content-Length")
		}
		w.WriteHeader(rec.status)
		w.Write(body) // on error the client is gone
	})
}

func (a *FaultInjector) refuse(w http.ResponseWriter, r *http.Request, code contract.Code) {
	httpx.WriteError(w, r, a.Log, httpx.NewError(code, errors.New("injected fault")))
}

// reordered returns the body in another order of members, with the changes for its path.
func (a *FaultInjector) reordered(r *http.Request, body []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber() // as it was written
	var v any
	if dec.Decode(&v) != nil {
		return body
	}
	if all, ok := v.(map[string]any); ok {
		switch r.URL.Path {
		case "/connect/status":
			a.delayStatus(r, all)
		case "/connect/accesstoken":
			if _, ok := all["exp"]; ok {
				// Slightly more than the 30 seconds before the end at which clients request a new
				// token.
				all["exp"] = a.Now().Add(time.Duration(32+a.count("exp")%20) * time.Second).Unix()
			}
		}
		all["x_new"] = map[string]any{"since": "2031", "of": []any{1, nil, map[string]any{"x": "y"}}}
		if meta, ok := all["meta"].(map[string]any); ok {
			meta["x_new"] = []any{}
		}
	}
	var out bytes.Buffer
	a.write(&out, v)
	return out.Bytes()
}

// delayStatus answers PENDING to the first one or two requests for a finished report.
func (a *FaultInjector) delayStatus(r *http.Request, all map[string]any) {
	status, _ := all["status"].(string)
	if !contract.Status(status).Final() {
		return
	}
	name := "poll " + r.Header.Get("X-Public-Token") + " " + r.Header.Get("X-External-Id")
	if a.count(name) <= 1+a.chance(name, 0)%2 {
		all["status"], all["substatus"] = string(contract.StatusPending), nil
	}
}

// write writes a value as JSON with shuffled members.
func (a *FaultInjector) write(out *bytes.Buffer, v any) {
	switch v := v.(type) {
	case map[string]any:
		names := slices.SortedFunc(maps.Keys(v), func(x, y string) int {
			if a.chance(x, 0) < a.chance(y, 0) {
				return -1
			}
			return 1
		})
		out.WriteByte('{')
		for i, name := range names {
			if i > 0 {
				out.WriteByte(',')
			}
			a.write(out, name)
			out.WriteByte(':')
			a.write(out, v[name])
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				out.WriteByte(',')
			}
			a.write(out, e)
		}
		out.WriteByte(']')
	default:
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v) // of text, numbers and literals
		out.Truncate(out.Len() - 1)
	}
}

// Sender sends each event twice, some so late that later events arrive first.
func (a *FaultInjector) Sender(to webhook.Deliverer) webhook.Deliverer {
	return duplicatingSender{to, a}
}

type duplicatingSender struct {
	webhook.Deliverer
	a *FaultInjector
}

func (t duplicatingSender) Deliver(ctx context.Context, to webhook.Target, id string, body []byte) webhook.Result {
	name := "event"
	if n := t.a.count(name); t.a.chance(name, n)%2 == 0 {
		_ = httpx.Sleep(ctx, time.Duration(t.a.chance(name, n)>>8%1200)*time.Millisecond)
	}
	first := t.Deliverer.Deliver(ctx, to, id, body)
	if first.Outcome == webhook.Delivered {
		t.Deliverer.Deliver(ctx, to, id, body)
	}
	return first
}
