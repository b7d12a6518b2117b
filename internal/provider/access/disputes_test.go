package access_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
)

var (
	disputeForm = regexp.MustCompile(`"(/access/dispute/[\w-]+)\?`)
	onceField   = regexp.MustCompile(`name="once" value="([\w-]+)"`)
	numberIn    = regexp.MustCompile(`D-2026-[0-9A-Z]{6}`)
)

// fileOf is a file of a form.
type fileOf struct{ name, contents string }

// send posts a form with files as a browser without script does.
func send(b *providertest.Browser, path string, form url.Values, files ...fileOf) providertest.Answer {
	var body bytes.Buffer
	out := multipart.NewWriter(&body)
	for name := range form {
		_ = out.WriteField(name, form.Get(name))
	}
	for _, f := range files {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="file"; filename=%q`, f.name))
		h.Set("Content-Type", "text/html") // ignored: the contents decide
		part, _ := out.CreatePart(h)
		_, _ = part.Write([]byte(f.contents))
	}
	_ = out.Close()
	return b.Do("POST", path, body.String(), func(r *http.Request) { r.Header.Set("Content-Type", out.FormDataContentType()) })
}

// disputeOf returns a filled form for the newest report of a browser's session, and its path.
func disputeOf(t *testing.T, b *providertest.Browser) (string, url.Values) {
	t.Helper()
	m := disputeForm.FindStringSubmatch(b.Do("GET", "/access/disputes?lang=en", nil).Body)
	if m == nil {
		t.Fatal("there is no report to dispute")
	}
	once := onceField.FindStringSubmatch(b.Do("GET", m[1]+"?lang=en", nil).Body)
	if once == nil {
		t.Fatal("the form has no field once")
	}
	return m[1], url.Values{"once": {once[1]}, "kind": {"transaction"}, "about": {"the canary deposit"},
		"statement": {"The canary deposit is not mine."}, "note": {"I was paid once."}}
}

const pdf = "%PDF-1.7\n<script>alert(1)</script>"

// TestConsumerDisputes walks a dispute from the consumer's form to the letter of the result.
func TestConsumerDisputes(t *testing.T) {
	start(t, func(t *testing.T, s *testServer) {
		publicToken := s.share("Ana", "ana@example.com")
		s.share("Eve", "eve@example.com")
		b, eve := s.open(s.link("ana@example.com", 1)), s.open(s.link("eve@example.com", 2))
		path, form := disputeOf(t, b)
		opened := send(b, path+"?lang=es", form, fileOf{"../../letter.pdf", pdf})
		number := numberIn.FindString(opened.Header.Get("Location"))
		checkBody(t, opened, http.StatusSeeOther, nil, nil)
		address := "/access/disputes/" + number
		page := func() providertest.Answer { return b.Do("GET", address+"?lang=en", nil) }
		note := func(b *providertest.Browser, words string) providertest.Answer {
			return b.Do("POST", address+"/note?lang=en", url.Values{"note": {words}})
		}
		file := regexp.MustCompile(`"(` + address + `/files/[\w-]+)"`).FindStringSubmatch(page().Body)[1]
		s.run("it has a letter of receipt, a page, and its file", func(t *testing.T) {
			receipt := s.emails(3)[2]
			if !strings.Contains(receipt.Subject, number) || !strings.Contains(receipt.Text, "21 de diciembre de 2026") ||
				strings.Contains(receipt.Text+receipt.HTML+receipt.Subject, "canary") || receipt.To != "ana@example.com" {
				t.Errorf("the letter of receipt: %+v", receipt)
			}
			checkBody(t, page(), 200, []string{"The canary deposit is not mine.", "December 21, 2026", "I was paid once.", "letter.pdf",
				"Vestibule"}, []string{publicToken, ".."})
			got := b.Do("GET", file, nil)
			if got.Status != 200 || got.Body != pdf || got.Header.Get("Content-Type") != "application/pdf" ||
				!strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment") ||
				!strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("the file: %d %v", got.Status, got.Header)
			}
		})
		s.run("a form that is sent again opens nothing", func(t *testing.T) {
			if again := send(b, path, form); again.Header.Get("Location") != address+"?lang=en" || s.Count(`SELECT count(*) FROM disputes`) != 1 {
				t.Errorf("sent twice: %d %s", again.Status, again.Header.Get("Location"))
			}
		})
		s.run("another person reaches nothing of it", func(t *testing.T) {
			for _, address := range []string{address, file, path} {
				checkBody(t, eve.Do("GET", address, nil), http.StatusNotFound, nil, nil)
				checkBody(t, s.Browser().Do("GET", address, nil), http.StatusForbidden, nil, nil)
			}
			checkBody(t, eve.Do("POST", address+"/facts", url.Values{"facts": {"x"}}), http.StatusNotFound, nil, nil)
			checkBody(t, send(eve, path, form), http.StatusNotFound, nil, nil)
		})
		s.run("new facts extend the time once", func(t *testing.T) {
			facts := url.Values{"facts": {"Here is a letter of the bank."}}
			checkBody(t, b.Do("POST", address+"/facts?lang=en", facts), http.StatusSeeOther, nil, nil)
			checkBody(t, b.Do("POST", address+"/facts?lang=en", facts), http.StatusSeeOther, nil, nil)
			checkBody(t, page(), 200, []string{"January 5, 2027", "Here is a letter of the bank."}, nil)
			s.emails(4)
			if n := s.Count(`SELECT count(*) FROM audit WHERE action IN ('dispute opened', 'dispute extended')`); n != 2 {
				t.Errorf("%d lines in the audit trail", n)
			}
		})
		s.run("once the report is found right, the consumer alone can add a statement, once", func(t *testing.T) {
			if note(b, "Too early."); s.Count(`SELECT count(*) FROM disputes WHERE attached`) != 0 {
				t.Error("a statement before the answer is attached")
			}
			if _, err := s.DB.SQL.ExecContext(t.Context(), `UPDATE disputes SET state = 'answered', result = 'confirmed',
				answered_at = opened_at`); err != nil {
				t.Fatal(err)
			}
			checkBody(t, page(), 200, []string{address + "/note"}, nil)
			checkBody(t, note(b, strings.Repeat("word ", 101)), 422, nil, nil)
			checkBody(t, note(eve, "Theirs."), http.StatusNotFound, nil, nil)
			checkBody(t, note(b, "I still say that it is not mine."), http.StatusSeeOther, nil, nil)
			checkBody(t, note(b, "Twice."), http.StatusSeeOther, nil, nil)
			if n := s.Count(`SELECT count(*) FROM report_revisions`); n != 1 {
				t.Errorf("%d revisions", n)
			}
			checkBody(t, page(), 200, []string{"I still say that it is not mine."}, []string{"Twice.", address + "/note"})
		})
		stored := onDisk(s)
		for _, text := range []string{"I still say", "canary", "letter of the bank", "alert(1)"} {
			if strings.Contains(stored, text) {
				t.Errorf("the database has %q of a dispute, which is not encrypted", text)
			}
		}
	})
}

// onDisk returns the rows of the disputes.
func onDisk(s *testServer) string {
	s.t.Helper()
	rows, err := s.DB.SQL.QueryContext(s.t.Context(), `SELECT d.about, d.statement, d.note, coalesce(d.facts, d.note),
		coalesce(f.contents, d.note)
		FROM disputes d LEFT JOIN dispute_files f ON f.number = d.number`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	var out bytes.Buffer
	for rows.Next() {
		var all [5][]byte
		if err := rows.Scan(&all[0], &all[1], &all[2], &all[3], &all[4]); err != nil {
			s.t.Fatal(err)
		}
		for _, b := range all {
			out.Write(b)
		}
	}
	return out.String()
}

// TestRefusedDisputes checks the message at the field of each refused form, that nothing is
// stored of it, and the limit of a person.
func TestRefusedDisputes(t *testing.T) {
	start(t, func(t *testing.T, s *testServer) {
		s.share("Ana", "ana@example.com")
		s.share("Eve", "eve@example.com")
		b := s.open(s.link("ana@example.com", 1))
		path, form := disputeOf(t, b)
		big := pdf + strings.Repeat("x", disputes.MaxFileSize)
		for name, c := range map[string]struct {
			field, value string
			files        []fileOf
		}{
			"no kind":                {"kind", "everything", nil},
			"two lines":              {"about", "a\nb", nil},
			"no statement":           {"statement", " \n", nil},
			"a long statement":       {"statement", strings.Repeat("é", 4001), nil},
			"a bell":                 {"statement", "a\x07b", nil},
			"101 words":              {"note", strings.Repeat("word ", 101), nil},
			"a page as a file":       {"file", "", []fileOf{{"a.pdf", "<html><script>alert(1)</script>"}}},
			"an empty file":          {"file", "", []fileOf{{"a.pdf", ""}}},
			"a file that is too big": {"file", "", []fileOf{{"a.pdf", big}}},
			"four files":             {"file", "", []fileOf{{"a", pdf}, {"b", pdf}, {"c", pdf}, {"d", pdf}}},
		} {
			wrong := url.Values{}
			for k, v := range form {
				wrong[k] = v
			}
			if c.field != "file" {
				wrong.Set(c.field, c.value)
			}
			a := send(b, path+"?lang=en", wrong, c.files...)
			if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `id="`+c.field+`-error"`) ||
				!strings.Contains(a.Body, i18ntest.EN(i18n.Key("disputes.invalid."+c.field))) {
				t.Errorf("%s: %d", name, a.Status)
			}
		}
		if a := send(b, path, form, fileOf{"a", strings.Repeat("x", 16<<20)}); a.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("a form of 16 MB: %d", a.Status)
		}
		many := url.Values{}
		for i := range 20000 {
			many.Set(fmt.Sprint("field", i), "")
		}
		if a := send(b, path, many); a.Status != http.StatusRequestEntityTooLarge && a.Status != http.StatusBadRequest {
			t.Errorf("a form of 20,000 empty fields: %d", a.Status)
		}
		if n := s.Count(`SELECT count(*) FROM disputes`) + s.Count(`SELECT count(*) FROM dispute_files`); n != 0 {
			t.Errorf("%d rows of refused disputes", n)
		}
		// However often a person tries, five are opened an hour and ten a day, and another person of the same company disputes as before.
		for hour, opened := range []int{5, 10, 10} {
			for i := range 50 {
				form.Set("once", fmt.Sprint("another form ", hour, i))
				if a := send(b, path, form); a.Status != http.StatusSeeOther && a.Status != http.StatusTooManyRequests {
					t.Errorf("dispute %d: %d", i, a.Status)
				}
			}
			if n := s.Count(`SELECT count(*) FROM disputes`); n != opened {
				t.Errorf("%d disputes after %d hours, want %d", n, hour+1, opened)
			}
			s.Advance(time.Hour + time.Second)
			b = s.open(s.link("ana@example.com", 2+hour+opened)) // each dispute has a letter of receipt
		}
		eve := s.open(s.link("eve@example.com", 15))
		path, form = disputeOf(t, eve)
		if a := send(eve, path, form); a.Status != http.StatusSeeOther {
			t.Errorf("another person's dispute: %d %s", a.Status, a.Body)
		}
	})
}

// TestDisputesAtOnce sends one form and one answer many times at once: each counts once.
func TestDisputesAtOnce(t *testing.T) {
	start(t, func(t *testing.T, s *testServer) {
		s.share("Ana", "ana@example.com")
		b := s.open(s.link("ana@example.com", 1))
		path, form := disputeOf(t, b)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() { send(b, path, form) })
		}
		wait.Wait()
		if n := s.Count(`SELECT count(*) FROM disputes`); n != 1 {
			t.Errorf("%d disputes of one form", n)
		}
	})
}
