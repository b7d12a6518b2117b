package provider_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

const (
	passportJSON = "/connect/passport/v4/json"
	passportPDF  = "/connect/passport/v4/pdf"
)

// passportVisit completes a visit at a supplier and returns the report's token.
func (b *testServer) passportVisit(supplier string, prefill map[string]any, more ...any) string {
	b.t.Helper()
	token := b.begin(append([]any{"productId", b.seed.Products[contract.Passport], "prefill", prefill}, more...)...)
	done := b.tryComplete(token, map[string]any{"supplier": supplier})
	b.want("visit at "+supplier, done, 200, "")
	if done.text("status") != "SUCCESS" {
		b.t.Fatalf("visit at %s: %s", supplier, done.raw)
	}
	return done.text("publicToken")
}

// tryComplete completes a visit by the control, and returns the answer, also of an error.
func (b *testServer) tryComplete(token string, how map[string]any) answer {
	b.t.Helper()
	return b.do("POST", "/visits/"+token+"/complete", how)
}

// applicantNamed returns a prefill with another name.
func applicantNamed(first, last string) map[string]any {
	return with(applicant, "firstName", first, "lastName", last)
}

// TestPassports completes a visit at each supplier, and reads the report as JSON, as PDF,
// and as a third party.
func TestPassports(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	each(t, func(t *testing.T, b *testServer) {
		var all []report.Supplier
		list := b.get("/connect/suppliers", b.basic())
		b.want("suppliers", list, 200, "")
		if err := json.Unmarshal(list.raw, &all); err != nil || len(all) != 26 {
			t.Fatalf("%d suppliers, %v: %s", len(all), err, list.raw)
		}
		if diff := cmp.Diff(report.Suppliers(), all); diff != "" {
			t.Error(diff)
		}
		names := map[string]string{"KOR_NICE": "김민준", "UKR_CI": "Коваленко Олена", "CHN_CCX": "欧阳雨桐"}
		for _, s := range all {
			who := map[string]map[string]any{"KOR_NICE": applicantNamed("Minjun", "Kim"), "UKR_CI": applicantNamed("Olena", "Kovalenko"),
				"CHN_CCX": applicantNamed("Yutong", "Ouyang")}[s.Code]
			if who == nil {
				who = applicant
			}
			token := b.passportVisit(s.Code, who, "externalId", "passport-"+s.Code)
			got := b.get(passportJSON, b.named(token))
			b.want(s.Code, got, 200, "")
			r, err := report.ParsePassport(got.raw)
			if err != nil {
				t.Fatal(err)
			}
			if r.Meta.PublicToken != token || report.Text(r.Meta.ExternalID) != "passport-"+s.Code ||
				len(r.Sources) != 2 || r.Sources[1].SourceID != s.Code ||
				len(r.Identities) != 2 || r.Product.ProductID != b.seed.Products[contract.Passport] {
				t.Errorf("%s: meta %+v, sources %+v", s.Code, r.Meta, r.Sources)
			}
			if (s.Code == report.DocumentSupplier) != (len(r.Tradelines) == 0) {
				t.Errorf("%s has %d tradelines", s.Code, len(r.Tradelines))
			}
			document := b.get(passportPDF, append(b.bearer(b.basic()), "X-EXTERNAL-ID", "passport-"+s.Code))
			if document.status != 200 || document.header.Get("Content-Type") != "application/pdf" ||
				document.header.Get("Cache-Control") != "no-store" {
				t.Fatalf("%s: PDF answered %d %v", s.Code, document.status, document.header)
			}
			text := textOf(t, document.raw)
			if want := names[s.Code]; !strings.Contains(text, token) || !strings.Contains(text, "passport-"+s.Code) ||
				!strings.Contains(text, want) || report.Text(r.Identities[1].FullName) != want && want != "" {
				t.Errorf("%s: no %q in %q", s.Code, want, text)
			}
			if again := b.get(passportPDF, b.named(token)); !bytes.Equal(again.raw, document.raw) {
				t.Errorf("%s: the second document differs", s.Code)
			}
		}
	})
}

// textOf returns the text of a PDF file, without line breaks.
func textOf(t *testing.T, raw []byte) string {
	t.Helper()
	file, err := pdf.Open(raw)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, p := range file.Pages {
		for _, run := range p.Runs {
			b.WriteString(run.Text)
		}
	}
	return b.String()
}

// TestPassportAccess checks that the owner and a third party can read a passport, the third
// party without the owner's labels.
func TestPassportAccess(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		token := b.passportVisit("MEX_BDC", applicant, "externalId", "mine-only")
		relayToken := b.relayed(token)
		for _, path := range []string{passportJSON, passportPDF} {
			theirs := b.get(path, b.relay(relayToken))
			if theirs.status != 200 {
				t.Fatalf("%s to a third party: %d %s", path, theirs.status, theirs.raw)
			}
			text := string(theirs.raw)
			if path == passportPDF {
				text = textOf(t, theirs.raw)
			}
			if strings.Contains(text, "mine-only") || strings.Contains(text, token) || !strings.Contains(text, relayToken) {
				t.Errorf("%s: the third party reads %.600s", path, text)
			}
			b.want(path+" of an unknown report", b.get(path, b.named("5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11")), 404, contract.CodeInvalidToken)
			b.want(path+" without credentials", b.get(path, headers{"X-PUBLIC-TOKEN", token}), 400, contract.CodeMalformedHeaders)
		}
		b.want("withdrawn", b.withdraw(relayToken), 200, "")
		b.want("suppliers without credentials", b.get("/connect/suppliers", headers{}), 400, contract.CodeMalformedHeaders)

		cashflow, _ := b.cashflowVisit("default", "prefill", applicant)
		b.want("another kind as a passport", b.get(passportJSON, b.named(cashflow)), 404, contract.CodeInvalidToken)
		b.want("another kind as a document", b.get(passportPDF, b.named(cashflow)), 404, contract.CodeInvalidToken)
		b.want("a passport as another kind", b.get("/connect/cashflow/v2/json", b.named(token)), 404, contract.CodeInvalidToken)
		b.begin("productId", b.seed.Products[contract.Passport], "externalId", "waiting", "prefill", applicant)
		for _, path := range []string{passportJSON, passportPDF} {
			b.want(path+" before it is made", b.get(path, append(b.bearer(b.basic()), "X-EXTERNAL-ID", "waiting")), 404, contract.CodeReportNotReady)
			b.want(path+" withdrawn", b.get(path, b.relay(relayToken)), 400, contract.CodeRelayTokenRevoked)
		}
		unread := b.relayed(b.passportVisit("GBR_EFX", applicant))
		b.advance("73h")
		for _, path := range []string{passportJSON, passportPDF} {
			b.want(path+" too late", b.get(path, b.relay(unread)), 400, contract.CodeRelayTokenExpired)
			b.want(path+" still the owner's", b.get(path, b.named(token)), 200, "")
		}
		b.advance("2160h")
		for _, path := range []string{passportJSON, passportPDF} {
			b.want(path+" after 90 days", b.get(path, b.named(token)), 404, contract.CodeInvalidToken)
		}
	})
}

// TestPassportsByControl checks which bodies of the control complete a visit of a passport.
func TestPassportsByControl(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		product := b.seed.Products[contract.Passport]
		first := b.tryComplete(b.begin("productId", product, "prefill", applicant), map[string]any{})
		b.want("without a supplier", first, 200, "")
		r, err := report.ParsePassport(b.get(passportJSON, b.named(first.text("publicToken"))).raw)
		if err != nil || r.Sources[1].SourceID != "MEX_BDC" {
			t.Errorf("without a supplier: %v %+v", err, r)
		}
		for name, body := range map[string]map[string]any{
			"unknown supplier":  {"supplier": "XXX_YY"},
			"two sources":       {"supplier": "GBR_EFX", "username": "default"},
			"payroll passports": {"payroll": map[string]any{"username": "default"}},
		} {
			b.want(name, b.tryComplete(b.begin("productId", product, "prefill", applicant), body), 400, contract.CodeMalformedBody)
		}
		b.want("a supplier's cashflow report", b.tryComplete(b.begin("prefill", applicant), map[string]any{"supplier": "GBR_EFX"}),
			400, contract.CodeMalformedBody)
		left := b.tryComplete(b.begin("productId", product, "prefill", applicant), map[string]any{"supplier": "GBR_EFX", "end": "exit"})
		if left.status != http.StatusOK || left.text("status") != "PENDING" {
			t.Errorf("left: %s", left.raw)
		}
	})
}
