package review

import (
	"encoding/json"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// TestShowsStatedValues checks that what the applicant stated is shown on the
// application, on the report and in the exported JSON, next to the report's findings.
func TestShowsStatedValues(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		text, stated, gross := contract.Null[string], int64(64_000), report.Cents(89_856_00)
		ref := report.RecordRef{SourceID: "PAY", SourceRecordID: text(token)}
		raw, err := report.Encode(report.Income{
			Meta: &report.Meta{PublicToken: token, CreatedAt: report.TimestampOf(noon), APIVersion: "1.0.0", Status: contract.StatusSuccess},
			Identities: []report.IncomeIdentity{{SourceID: report.ConsumerInput, FullName: text("Zoë O’Hara"),
				Matching: &report.IncomeMatching{FullName: report.RecordMatching{Unmatched: []report.RecordRef{ref}}}},
				{SourceID: "PAY", SourceRecordID: text(token), FullName: text("Z. Ohara-Smith"), Emails: []string{"ZOE@example.org"}}},
			Employment: []report.Employment{
				{SourceID: report.ConsumerInput, EmployerName: text("Harbor Mill"),
					Matching: &report.EmploymentMatching{EmployerName: report.RecordMatching{Matched: []report.RecordRef{ref}}}},
				{SourceID: "PAY", SourceRecordID: text(token), EmployerName: text("HARBOR MILL LLC")}},
			Income: &report.IncomeNode{Summary: report.IncomeSummary{AnnualGross: &gross}},
		})
		if err != nil {
			t.Fatal(err)
		}
		d.change(appReady, func(r *stored) { r.Product, r.Body = contract.Income, raw })
		who := prefill.Fields{FirstName: "Zoë", LastName: "O’Hara", Email: "zoe@example.org", DOB: "1990-02-03", Phone: "2125550142",
			Address: "1 Main St", City: "Boston", State: "MA", ZIP: "02101", StatedAnnualIncome: &stated, StatedEmployerName: "Harbor Mill"}
		d.change(appReady, func(r *stored) { r.Applicant = &who })
		for _, path := range []string{own, own + "/report"} {
			_, page := d.get(path)
			at := strings.Index(page, `id="stated"`)
			if at < 0 {
				t.Fatalf("%s shows none of it:\n%s", path, page)
			}
			card, _, _ := strings.Cut(page[at:], "</section>")
			d.requireText(path, card, "$64,000", "$89,856.00, ", "140%", i18ntest.EN("review.stated.of_it"), "+$25,856.00",
				"Feb 3, 1990", "1 Main St, Boston, MA 02101", "212-555-0142",
				"Harbor Mill", "HARBOR MILL LLC", "Z. Ohara-Smith", "ZOE@example.org")
			if n := strings.Count(card, "badge-success"); n != 3 { // the email address, the employer, the income
				t.Errorf("%s: %d details agree:\n%s", path, n, card)
			}
			if n := strings.Count(card, "badge-danger"); n != 1 { // the name
				t.Errorf("%s: %d details differ:\n%s", path, n, card)
			}
		}
		_, page := d.get(own + "?lang=es")
		d.requireText("in Spanish", page, i18ntest.ES("review.stated.title"), "140%", i18ntest.ES("review.stated.of_it"),
			i18ntest.ES("review.stated.income"))
		var out struct {
			Stated prefill.Fields
			Meta   struct {
				Token string `json:"public_token"`
			}
		}
		_, body := d.get(own + "/report.json")
		if err := json.Unmarshal([]byte(body), &out); err != nil || out.Stated.DOB != who.DOB ||
			*out.Stated.StatedAnnualIncome != stated || out.Meta.Token != token ||
			!strings.HasSuffix(body, string(raw)[1:]) {
			t.Errorf("the exported JSON: %v\n%s", err, body)
		}
		d.change(appReady, func(r *stored) { r.Body, r.Report, r.Journey.State = nil, applications.StoredReport{}, journey.Pending })
		_, page = d.get(own)
		d.requireText("before there is a report", page, i18ntest.EN("review.stated.by_applicant"), "$64,000", "Harbor Mill")
		if strings.Contains(page, i18ntest.EN("review.report.not_compared")) {
			t.Error("before there is a report, the page compares with it")
		}
	})
}

// TestWithStatedKeepsReport checks that the report's own bytes and members do not
// change.
func TestWithStatedKeepsReport(t *testing.T) {
	f := prefill.Fields{FirstName: "Ana"}
	for raw, want := range map[string]string{
		"{}":                             `{"stated":{"firstName":"Ana"}}`,
		" {\n \"meta\": {\"a\": 1.50} }": " {\"stated\":{\"firstName\":\"Ana\"},\n \"meta\": {\"a\": 1.50} }",
		`{"stated":"theirs"}`:            `{"stated":"theirs"}`,
		"[]":                             "[]",
		"{broken":                        "{broken",
	} {
		if got := string(withStated([]byte(raw), f)); got != want {
			t.Errorf("%s becomes %s, want %s", raw, got, want)
		}
	}
}
