package visits_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
)

// upload sends files, given as name and contents, by a form without script.
func (a applicant) upload(t *testing.T, files ...string) providertest.Answer {
	t.Helper()
	return a.uploadFrom(t, "", files...)
}

// uploadFrom uploads files from an address that a proxy forwards.
func (a applicant) uploadFrom(t *testing.T, from string, files ...string) providertest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(files); i += 2 {
		w, err := form.CreateFormFile("file", files[i])
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, files[i+1])
	}
	form.Close()
	return a.Do("POST", a.path+"/documents", body.String(), func(r *http.Request) {
		r.Header.Set("Content-Type", form.FormDataContentType())
		r.Header.Set("X-Forwarded-For", from)
	})
}

func pdfOf(text string) string { return "%PDF-1.4\n" + text }

var (
	documentIDs = regexp.MustCompile(`name="document" value="([^"]+)"`)
	errorText   = regexp.MustCompile(`id="file-error"[^>]*>([^<]+)<`)
)

// TestAddingPayStubs adds files, which the page lists, removes them, and checks that the page
// names refused files.
func TestAddingPayStubs(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := earner(t, r, providertest.Prefill())
		a.toSource(t, "paystubs")
		if page := a.post(t, "action", "hand-in"); page.Status != 422 || !strings.Contains(page.Body, "at least one") {
			t.Errorf("nothing handed in answers %d", page.Status)
		}
		for name, c := range map[string]struct {
			files []string
			want  string
		}{
			"no file":         {nil, i18ntest.EN("visit.documents.not_chosen")},
			"an empty field":  {[]string{"", ""}, i18ntest.EN("visit.documents.not_chosen")},
			"a letter":        {[]string{"letter.txt", "Dear Sir"}, "We couldn’t add “letter.txt”: it’s not a PDF"},
			"a false name":    {[]string{"paystub.pdf", "<html>"}, i18ntest.EN("visit.documents.wrong_type")},
			"an empty file":   {[]string{"paystub.pdf", ""}, i18ntest.EN("visit.documents.empty")},
			"too large a one": {[]string{"paystub.pdf", pdfOf(strings.Repeat("x", 20<<20))}, "larger than 20 MB"},
		} {
			got := a.upload(t, c.files...)
			if m := errorText.FindStringSubmatch(got.Body); got.Status != 422 || m == nil || !strings.Contains(m[1], c.want) {
				t.Errorf("%s answers %d %v, want %q", name, got.Status, m, c.want)
			}
		}
		if n := r.Count(`SELECT count(*) FROM documents`); n != 0 {
			t.Fatalf("%d files stay of what was refused", n)
		}
		got := a.upload(t, `C:\papers\paystub one.pdf`, pdfOf("1"), "letter.txt", "x", "paystub<2>.png", "\x89PNG\r\n\x1a\n2")
		if got.Status != 422 || !strings.Contains(got.Body, "letter.txt") || len(documentIDs.FindAllString(got.Body, -1)) != 2 ||
			!strings.Contains(got.Body, "paystub one.pdf") || strings.Contains(got.Body, "papers") || strings.Contains(got.Body, "paystub<2>") {
			t.Errorf("a bad file among good ones answers %d %s", got.Status, got.Body)
		}
		id := documentIDs.FindStringSubmatch(a.get(t).Body)[1]
		other := earner(t, r, providertest.Prefill())
		other.toSource(t, "paystubs")
		other.post(t, "action", "remove", "document", id)
		a.post(t, "action", "remove", "document", "00000000-0000-0000-0000-000000000000")
		if n := len(documentIDs.FindAllString(a.get(t).Body, -1)); n != 2 {
			t.Errorf("%d files after another's was to be removed", n)
		}
		a.post(t, "action", "remove", "document", id)
		if page := a.get(t); len(documentIDs.FindAllString(page.Body, -1)) != 1 || strings.Contains(page.Body, "paystub one.pdf") {
			t.Errorf("not removed: %s", page.Body)
		}
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				if got := a.upload(t, fmt.Sprintf("paystub%d.pdf", i), pdfOf(fmt.Sprint(i))); got.Status != http.StatusSeeOther &&
					got.Status != http.StatusUnprocessableEntity {
					t.Errorf("one of many at once answers %d", got.Status)
				}
			})
		}
		wg.Wait()
		if n := r.Count(`SELECT count(*) FROM documents WHERE public_token = $1`, a.publicToken); n != 10 {
			t.Errorf("%d files after many at once, want ten", n)
		}
		if page := a.upload(t, "paystub.pdf", pdfOf("")); page.Status != 422 ||
			!strings.Contains(page.Body, i18ntest.EN("visit.documents.too_many", "n", "10")) {
			t.Errorf("one more answers %d", page.Status)
		}
		if got := a.Do("POST", a.path+"/documents", map[string]any{}); got.Status != 415 {
			t.Errorf("JSON answers %d", got.Status)
		}
		cut := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"paystub.pdf\"\r\n\r\n" + pdfOf("cut")
		before := r.Count(`SELECT count(*) FROM documents`)
		if got := a.Do("POST", a.path+"/documents", cut,
			func(r *http.Request) { r.Header.Set("Content-Type", "multipart/form-data; boundary=x") }); got.Status != 400 ||
			r.Count(`SELECT count(*) FROM documents`) != before {
			t.Errorf("a body that is cut off answers %d", got.Status)
		}
		a.post(t, "action", "hand-in")
		a.post(t, "action", "finish")
		r.Until("the end", func() bool { return a.step(t) == "end" })
		a.upload(t, "paystub.pdf", pdfOf(""))
		a.post(t, "action", "remove", "document", documentIDs.FindString("none"))
		if n := r.Count(`SELECT count(*) FROM documents WHERE public_token = $1`, a.publicToken); n != 10 {
			t.Errorf("%d files after they were handed in, want ten", n)
		}
	})
}

// TestRejectedPayStubs checks refused files, and that files which the applicant does not
// submit are deleted when the visit ends.
func TestRejectedPayStubs(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		for name, end := range map[string]func(applicant){
			"the visit expires": func(a applicant) { r.Advance(72 * time.Hour); a.get(t) },
			"a payroll provider is taken instead": func(a applicant) {
				a.post(t, "action", "turn")
				a.post(t, "action", "source", "source", "payroll")
				a.post(t, "action", "employer", "employer", "paywright")
				a.post(t, "action", "sign-in", "username", "default", "password", "x")
				a.post(t, "action", "code", "code", "123456")
				a.post(t, "action", "finish")
			},
			"the sign-in fails there": func(a applicant) {
				a.post(t, "action", "turn")
				a.post(t, "action", "source", "source", "bank")
				a.post(t, "action", "bank", "bank", "kestrel-bank")
				a.post(t, "action", "sign-in", "username", "supplier_unresponsive", "password", "x")
				a.giveUp(t)
			},
		} {
			a := earner(t, r, providertest.Prefill())
			a.toSource(t, "paystubs")
			a.upload(t, "paystub.pdf", pdfOf(""))
			if n := r.Count(`SELECT count(*) FROM documents WHERE public_token = $1`, a.publicToken); n != 1 {
				t.Fatalf("%s: %d files", name, n)
			}
			end(a)
			if n := r.Count(`SELECT count(*) FROM documents WHERE public_token = $1`, a.publicToken); n != 0 {
				t.Errorf("%s: %d files stay", name, n)
			}
		}
		a := earner(t, r, providertest.Prefill())
		a.toSource(t, "paystubs")
		a.upload(t, "paystub.pdf", pdfOf(""))
		a.post(t, "action", "close")
		a.post(t, "action", "reopen")
		if got := a.step(t); got != "source" {
			t.Errorf("reopened at %s", got)
		}
		a.post(t, "action", "source", "source", "paystubs")
		if n := len(documentIDs.FindAllString(a.get(t).Body, -1)); n != 1 {
			t.Errorf("%d files after coming back, want the one", n)
		}
	})
}

// TestUploadLimitsOfVisitsWithoutToken checks the limits of a visit's, a network's and an
// account's files, which do not apply to visits with a token.
func TestUploadLimitsOfVisitsWithoutToken(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := providertest.Start(t, db, "get", func(c *provider.Config) { c.Limits.WidgetFiles, c.BehindProxy = 25, true })
		begin := func(options map[string]any) applicant {
			options["productId"] = r.Seed.Products[contract.Income]
			a := register(r, options)
			if a.Status != 201 {
				t.Fatalf("register: %d %s", a.Status, a.Body)
			}
			out := applicant{r, "/visit/" + a.JSON["handle"].(string), a.JSON["publicToken"].(string)}
			out.toSource(t, "paystubs")
			return out
		}
		loose := func() applicant { return begin(map[string]any{"prefill": providertest.Prefill()}) }
		file := pdfOf(strings.Repeat("x", 1<<20))
		accepted := func(what string, a applicant, from string) {
			t.Helper()
			if got := a.uploadFrom(t, from, "a.pdf", file); got.Status != http.StatusSeeOther {
				t.Errorf("%s answers %d", what, got.Status)
			}
		}
		refused := func(what string, a applicant, from, reason string) {
			t.Helper()
			before := r.Count(`SELECT count(*) FROM documents`)
			got := a.uploadFrom(t, from, "b.pdf", pdfOf("b"))
			if shown := errorText.FindStringSubmatch(got.Body); got.Status != 422 || shown == nil || !strings.Contains(shown[1], reason) {
				t.Errorf("%s answers %d, %q", what, got.Status, shown)
			}
			if r.Count(`SELECT count(*) FROM documents`) != before {
				t.Errorf("%s is stored", what)
			}
		}
		const stranger, other = "2001:db8:1:1::1", "2001:db8:2:1::1"
		first := loose()
		accepted("the first file", first, stranger)
		refused("one more file of the visit", first, other, "this visit")
		accepted("another visit of the network", loose(), "2001:db8:1:1::2")
		last := loose()
		accepted("the last file of the network", last, stranger)
		refused("one more file of the network", loose(), "2001:db8:1:3::1", "your network")
		accepted("an applicant of another network", loose(), other)

		byToken := begin(map[string]any{"token": token(r, map[string]any{"productId": r.Seed.Products[contract.Income]})})
		accepted("a visit by a token", byToken, stranger)
		// Many visits from many networks filled the account.
		if _, err := r.DB.SQL.Exec(`UPDATE documents SET size = $1 WHERE public_token = $2`, int64(25<<20), first.publicToken); err != nil {
			t.Fatal(err)
		}
		refused("one more file of the account", loose(), "203.0.113.7", "this company")
		r.Advance(24*time.Hour + time.Second)
		accepted("a day later", loose(), stranger)
	})
}
