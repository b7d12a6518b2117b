package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/sandbox/fdxbank"
)

// Fault is a simulated fault.
type Fault struct {
	Match  string `json:"match"`  // "METHOD /path"; * for any method, and at the end of a path for any rest
	Times  int    `json:"times"`  // how many requests it still meets; less than 0: all
	Action string `json:"action"` // "status:500", "delay:2s", "drop", "truncate"; "bank:repeat" and the like, see Bank
}

// Faults is the list of faults of this process.
type Faults struct {
	Log *slog.Logger

	mu   sync.Mutex
	list []Fault
}

const maxDelay = time.Minute

// check returns the invalid field of a fault and the problem.
func (f Fault) check() (field, words string) {
	method, path, ok := strings.Cut(f.Match, " ")
	if !ok || method == "" || !strings.HasPrefix(path, "/") {
		return "match", "must be a method, a space and a path"
	}
	kind, arg, _ := strings.Cut(f.Action, ":")
	switch kind {
	case "status":
		if n, err := strconv.Atoi(arg); err != nil || n < 400 || n > 599 {
			return "action", "status must be from 400 to 599"
		}
	case "delay":
		if d, err := time.ParseDuration(arg); err != nil || d <= 0 || d > maxDelay {
			return "action", "delay must be a duration of at most a minute, as in delay:2s"
		}
	case "drop", "truncate":
		if arg != "" {
			return "action", kind + " takes no argument"
		}
	case bankAction:
		if !slices.Contains(fdxbank.Faults(), fdxbank.Fault(arg)) {
			return "action", "unknown fault of a bank"
		}
		if f.Times > 0 {
			return "times", "must be negative: a fault of a bank lasts until it is deleted"
		}
	default:
		return "action", "must be status:CODE, delay:DURATION, drop, truncate or bank:FAULT"
	}
	return "", ""
}

const bankAction = "bank"

// bank returns the fault of a bank that the action names.
func (f Fault) bank() (fdxbank.Fault, bool) {
	kind, arg, _ := strings.Cut(f.Action, ":")
	return fdxbank.Fault(arg), kind == bankAction
}

// Bank returns the fault of a user at an FDX institution: that of the oldest action
// bank:FAULT whose path begins with the institution, or else the one that the username
// selects. Such an action meets all requests, whatever its method.
func (f *Faults) Bank(institution, username string) fdxbank.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.list {
		_, path, _ := strings.Cut(fault.Match, " ")
		prefix := strings.TrimSuffix(path, "*")
		if kind, ok := fault.bank(); ok && (prefix == "/" || strings.TrimSuffix(prefix, "/") == "/"+institution) {
			return kind
		}
	}
	return fdxbank.FaultOf(username)
}

func (f Fault) matches(r *http.Request) bool {
	method, path, _ := strings.Cut(f.Match, " ")
	if _, ofBank := f.bank(); ofBank || method != "*" && method != r.Method {
		return false
	}
	if rest, ok := strings.CutSuffix(path, "*"); ok {
		return strings.HasPrefix(r.URL.Path, rest)
	}
	return path == r.URL.Path
}

// Add adds a fault. Of several that match a request, the oldest applies.
func (f *Faults) Add(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, fault)
}

// List returns the faults that are still active.
func (f *Faults) List() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Fault{}, f.list...)
}

// Clear removes all faults.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
}

func (f *Faults) match(r *http.Request) (action string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.list {
		if !f.list[i].matches(r) {
			continue
		}
		action = f.list[i].Action
		if f.list[i].Times > 0 {
			if f.list[i].Times--; f.list[i].Times == 0 {
				f.list = append(f.list[:i], f.list[i+1:]...)
			}
		}
		return action, true
	}
	return "", false
}

// Wrap applies the faults to requests for next.
func (f *Faults) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action, ok := f.match(r)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		kind, arg, _ := strings.Cut(action, ":")
		switch kind {
		case "status":
			status, _ := strconv.Atoi(arg) // checked when it was dialled in
			httpx.WriteError(w, r, f.Log, &httpx.Error{Code: codeFor(status), Status: status, Why: errors.New("fault on purpose")})
		case "delay":
			d, _ := time.ParseDuration(arg)
			select {
			case <-time.After(d):
				next.ServeHTTP(w, r)
			case <-r.Context().Done():
			}
		case "drop":
			panic(http.ErrAbortHandler)
		case "truncate":
			truncate(w, r, next)
		}
	})
}

func codeFor(status int) contract.Code {
	switch status {
	case 401:
		return contract.CodeExpiredToken
	case 403:
		return contract.CodeForbidden
	case 404:
		return contract.CodeNotFound
	case 410:
		return contract.CodeGone
	case 429:
		return contract.CodeRateLimited
	case 502, 503, 504:
		return contract.CodeUnavailable
	}
	if status < 500 {
		return contract.CodeInvalidParameters
	}
	return contract.CodeInternal
}

// truncate sends the headers of the full answer and the first half of the body, then
// closes the connection.
func truncate(w http.ResponseWriter, r *http.Request, next http.Handler) {
	rec := &bufferedResponse{header: w.Header(), status: http.StatusOK}
	next.ServeHTTP(rec, r)
	w.Header().Set("Content-Length", fmt.Sprint(max(rec.body.Len(), 2)))
	w.WriteHeader(rec.status)
	w.Write(rec.body.Bytes()[:rec.body.Len()/2])
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// bufferedResponse buffers an answer.
type bufferedResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *bufferedResponse) Header() http.Header         { return k.header }
func (k *bufferedResponse) WriteHeader(status int)      { k.status = status }
func (k *bufferedResponse) Write(b []byte) (int, error) { return k.body.Write(b) }
