package visits_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
)

var (
	forms      = regexp.MustCompile(`(?s)<form[^>]*method="post"[^>]*>.*?</form>`)
	nonceField = regexp.MustCompile(`<input type="hidden" name="nonce" value="([^"]+)">`)
)

// nonce is that of the step which is shown now. Each form of it that is posted has it.
func (a applicant) nonce(t *testing.T) string {
	t.Helper()
	body := a.get(t).Body
	nonce := ""
	for _, form := range forms.FindAllString(body, -1) {
		m := nonceField.FindStringSubmatch(form)
		if m == nil || nonce != "" && m[1] != nonce {
			t.Fatalf("nonce %v, beside %q, in the form %s", m, nonce, form)
		}
		nonce = m[1]
	}
	return nonce
}

func (a applicant) events(t *testing.T) int {
	return a.Count(`SELECT count(*) FROM visit_events e JOIN visits v ON v.id = e.visit_id WHERE v.public_token = $1`, a.publicToken)
}

// TestOutdatedFormsHaveNoEffect posts forms again: at the next step, at a later one, and at the
// same step after a refused input. They change nothing.
func TestOutdatedFormsHaveNoEffect(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := newcomer(t, r, providertest.Prefill())
		var posted []url.Values
		do := func(form ...string) {
			t.Helper()
			values := url.Values{"nonce": {a.nonce(t)}}
			for i := 0; i < len(form); i += 2 {
				values.Add(form[i], form[i+1])
			}
			before := a.events(t)
			want := http.StatusSeeOther
			if values.Get("password") == "wrong" {
				want = http.StatusUnprocessableEntity
			}
			if page := r.Do("POST", a.path, values); page.Status != want {
				t.Fatalf("%v answers %d", values, page.Status)
			}
			if n := a.events(t); n != before+1 {
				t.Fatalf("%v made %d inputs", values, n-before)
			}
			posted = append(posted, values)
			step := a.step(t)
			for _, p := range posted {
				if page := r.Do("POST", a.path, p); page.Status != http.StatusSeeOther {
					t.Errorf("%v again answers %d", p, page.Status)
				}
			}
			if n := a.events(t); n != before+1 || a.step(t) != step {
				t.Fatalf("%d inputs of forms that were posted before, at %s, then %s", n-before-1, step, a.step(t))
			}
		}
		do("action", "consent")
		do("action", "bank", "bank", "kestrel-bank")
		do("action", "sign-in", "username", "default", "password", "wrong")
		do("action", "rechoose")
		do("action", "bank", "bank", "kestrel-bank")
		do("action", "sign-in", "username", "multi", "password", "x")
		do("action", "code", "code", "123456")
		do("action", "close")
		do("action", "reopen")
	})
}

// TestConcurrentFormActsOnce posts a form many times concurrently: one counts, also at a step
// that accepts the same form again.
func TestConcurrentFormActsOnce(t *testing.T) {
	startOnEach(t, func(t *testing.T, r *providertest.Server) {
		a := newcomer(t, r, providertest.Prefill())
		a.toSignIn(t)
		form := url.Values{"action": {"sign-in"}, "username": {"default"}, "password": {"wrong"}, "nonce": {a.nonce(t)}}
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() { r.Do("POST", a.path, form) })
		}
		wg.Wait()
		if n := r.Count(`SELECT tries FROM visits WHERE public_token = $1`, a.publicToken); n != 1 {
			t.Errorf("%d wrong passwords were counted", n)
		}
	})
}

// TestOutdatedUploadsAreRejected checks that the visit accepts all files of the present form
// and none of an outdated one.
func TestOutdatedUploadsAreRejected(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := earner(t, r, providertest.Prefill())
		a.toSource(t, "paystubs")
		send := func(nonce string, names ...string) int {
			t.Helper()
			var body bytes.Buffer
			form := multipart.NewWriter(&body)
			form.WriteField("nonce", nonce)
			for _, name := range names {
				w, err := form.CreateFormFile("file", name)
				if err != nil {
					t.Fatal(err)
				}
				io.WriteString(w, pdfOf(name))
			}
			form.Close()
			return a.Do("POST", a.path+"/documents", body.String(),
				func(r *http.Request) { r.Header.Set("Content-Type", form.FormDataContentType()) }).Status
		}
		first := a.nonce(t)
		if got := send(first, "paystub-1.pdf", "paystub-2.pdf"); got != http.StatusSeeOther {
			t.Fatalf("answers %d", got)
		}
		if got := send(first, "paystub-3.pdf"); got != http.StatusSeeOther {
			t.Errorf("outdated, answers %d", got)
		}
		body := a.get(t).Body
		if !strings.Contains(body, i18ntest.EN("visit.documents.added.other", "n", "2")) || strings.Contains(body, "paystub-3") {
			t.Errorf("the page has other files: %s", body)
		}
		if got := send(strings.Repeat("9", 1000), "paystub-4.pdf"); got != http.StatusBadRequest {
			t.Errorf("a nonce that is too long answers %d", got)
		}
	})
}
