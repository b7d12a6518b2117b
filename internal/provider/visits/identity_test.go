package visits_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
)

// passportAt opens a visit for a passport and chooses a supplier.
func passportAt(t *testing.T, r *providertest.Server, supplier string) applicant {
	t.Helper()
	a := register(r, map[string]any{"prefill": providertest.Prefill(), "productId": r.Seed.Products[contract.Passport]})
	if a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	v := applicant{r, "/visit/" + a.JSON["handle"].(string), a.JSON["publicToken"].(string)}
	v.post(t, "action", "consent")
	v.post(t, "action", "supplier", "supplier", supplier)
	if step := v.step(t); step != "confirm" {
		t.Fatalf("the step is %q", step)
	}
	return v
}

// identityDocuments confirms the supplier and returns the documents in the passport.
func (a applicant) identityDocuments(t *testing.T) (all []report.IdentityDocument) {
	t.Helper()
	a.post(t, "action", "confirm")
	a.Until("the end", func() bool { return a.step(t) == "end" })
	token := a.Do("GET", "/connect/accesstoken", nil, a.Basic).JSON["accessToken"].(string)
	answer := a.Do("GET", "/connect/passport/v4/json", nil, func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+base64.StdEncoding.EncodeToString([]byte(token)))
		r.Header.Set("X-PUBLIC-TOKEN", a.publicToken)
	})
	got, err := report.ParsePassport([]byte(answer.Body))
	if err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	for _, identity := range got.Identities {
		all = append(all, identity.Documents...)
	}
	return all
}

func TestIdentityDocuments(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		kept := func(a applicant) int {
			return r.Count(`SELECT count(*) FROM documents WHERE public_token = $1 AND completed_at IS NOT NULL`, a.publicToken)
		}
		a := passportAt(t, r, "PHL_CRIF")
		if page := a.get(t); !strings.Contains(page.Body, i18ntest.EN("visit.identity.title")) ||
			!strings.Contains(page.Body, i18ntest.EN("visit.documents.limits", "limit", "8", "n", "2")) {
			t.Errorf("the page: %s", page.Body)
		}
		if got := a.upload(t, "passport.jpg", "\xff\xd8\xff photo"); got.Status != http.StatusSeeOther {
			t.Fatalf("an upload answers %d %s", got.Status, got.Body)
		}
		if got := a.upload(t, "back.pdf", pdfOf("x"), "third.pdf", pdfOf("y")); got.Status != 422 || kept(a) != 2 ||
			!strings.Contains(got.Body, i18ntest.EN("visit.documents.too_many", "n", "2")) {
			t.Errorf("a third file answers %d, %d are kept", got.Status, kept(a))
		}
		if n := r.Count(`SELECT count(*) FROM documents d JOIN document_parts p ON p.document_id = d.id
			WHERE d.public_token = $1 AND CAST(p.sealed AS TEXT) LIKE '%photo%'`, a.publicToken); n != 0 {
			t.Error("a file is stored in the clear")
		}
		id := documentIDs.FindStringSubmatch(a.get(t).Body)[1]
		a.post(t, "action", "remove", "document", id)
		if kept(a) != 1 {
			t.Errorf("%d are kept after one was removed", kept(a))
		}
		if all := a.identityDocuments(t); len(all) != 1 {
			t.Errorf("the passport has the documents %+v", all)
		}
		if kept(a) != 1 {
			t.Errorf("%d are kept after the report", kept(a))
		}
		if a.upload(t, "late.jpg", "\xff\xd8\xff"); kept(a) != 1 {
			t.Errorf("%d are kept after the end", kept(a))
		}

		if all := passportAt(t, r, "PHL_CRIF").identityDocuments(t); len(all) != 0 {
			t.Errorf("without an upload the passport has the documents %+v", all)
		}
	})
}

func TestRejectedIdentityDocuments(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := passportAt(t, r, "PHL_CRIF")
		for name, content := range map[string]string{"letter.txt": "Dear Sir", "page.jpg": "<html><script>", "empty.png": "",
			"large.pdf": pdfOf(strings.Repeat("x", 8<<20))} {
			if got := a.upload(t, name, content); got.Status != 422 || !strings.Contains(got.Body, name) {
				t.Errorf("%s answers %d", name, got.Status)
			}
		}
		if n := r.Count(`SELECT count(*) FROM documents`); n != 0 {
			t.Errorf("%d rejected files are stored", n)
		}

		// A supplier that reads no documents gets none, and those uploaded for another are deleted.
		a.upload(t, "passport.jpg", "\xff\xd8\xff")
		a.post(t, "action", "rechoose")
		a.post(t, "action", "supplier", "supplier", "MEX_CDC")
		if page := a.get(t); strings.Contains(page.Body, i18ntest.EN("visit.identity.title")) {
			t.Error("a supplier that reads no documents asks for one")
		}
		a.upload(t, "another.jpg", "\xff\xd8\xff")
		if n := r.Count(`SELECT count(*) FROM documents`); n != 1 {
			t.Errorf("%d files are stored", n)
		}
		if all := a.identityDocuments(t); len(all) != 0 || r.Count(`SELECT count(*) FROM documents`) != 0 {
			t.Errorf("the passport has the documents %+v", all)
		}
	})
}
