package svcapi

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vestibule/internal/contract"
)

func TestInvites(t *testing.T) {
	var paths, bodies []string
	s := &service{}
	var link string
	s.handler = func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		_, _, ok := r.BasicAuth()
		if !ok || r.Header.Get("X-Public-Id") != "svc-child" {
			t.Errorf("%s with %v", r.URL.Path, r.Header)
		}
		paths, bodies = append(paths, r.Method+" "+r.URL.Path), append(bodies, string(raw))
		writeJSON(w, 200, map[string]any{"inviteLink": link, "publicToken": token1, "exp": 1795520100})
	}
	c := s.client()
	link = strings.TrimSuffix(c.BaseURL, "/") + "/invite/handle-canary"
	in := InitRequest{PublicID: "svc-child", ProductID: token2, Prefill: &Prefill{FirstName: "Ada"}}
	got, err := c.InviteLink(t.Context(), in)
	if want := (Invite{link, token1, time.Unix(1795520100, 0).UTC()}); err != nil || got.Link != want.Link ||
		got.PublicToken != want.PublicToken || !got.Exp.Equal(want.Exp) {
		t.Errorf("%q %q %s, %v", got.Link, got.PublicToken, got.Exp, err)
	}
	if _, err := c.SendInvite(t.Context(), in, "ada@example.org"); err != nil {
		t.Error(err)
	}
	if want := "POST /connect/invite-link POST /connect/invite"; strings.Join(paths, " ") != want {
		t.Errorf("asked %q, want %s", paths, want)
	}
	if want := `{"productId":"` + token2 + `","prefill":{"firstName":"Ada"}}`; bodies[0] != want {
		t.Errorf("sent %s, want %s", bodies[0], want)
	}
	if want := `{"productId":"` + token2 + `","prefill":{"firstName":"Ada"},"deliverTo":"ada@example.org"}`; bodies[1] != want {
		t.Errorf("sent %s, want %s", bodies[1], want)
	}
	if text := fmt.Sprintf("%v %+v %#v", got, got, got); strings.Contains(text, "canary") {
		t.Errorf("printed as %s", text)
	}
	if _, err := c.SendInvite(t.Context(), in, ""); CodeOf(err) != contract.CodeMalformedBody || len(paths) != 2 {
		t.Errorf("without a recipient: %v", err)
	}
	for _, bad := range []string{"", "https://elsewhere.example/invite/x", "javascript:alert(1)", link + "\n"} {
		link = bad
		if got, err := c.InviteLink(t.Context(), in); CodeOf(err) != contract.CodeUpstream || got != (Invite{}) {
			t.Errorf("a link to %q: %v", bad, err)
		}
	}
}

func TestInviteIsNotRetriedIfPossiblySent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			writeJSON(w, 503, map[string]any{"error": "UNAVAILABLE"})
		}}
		if _, err := s.client().SendInvite(t.Context(), InitRequest{ProductID: token2},
			"ada@example.org"); CodeOf(err) != contract.CodeUnavailable || calls.Load() != 1 {
			t.Errorf("%v after %d calls", err, calls.Load())
		}
	})
}
