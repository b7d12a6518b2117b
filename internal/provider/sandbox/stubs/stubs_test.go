package stubs

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/analysis/paystub"
	"vestibule/internal/analysis/paystub/paystubtest"
	"vestibule/internal/report"
	"vestibule/internal/svc"
)

var at = time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC)

var ada = &bankdata.Person{FirstName: "Ada", LastName: "Pérez-O’Hara (née Lovelace)"}

type file struct {
	name string
	body []byte
}

func read(t *testing.T, r Reader, files []file, who *bankdata.Person, link string) []income.Paystub {
	t.Helper()
	all := make([]File, len(files))
	for i, f := range files {
		all[i] = File{Name: f.name, Body: func() ([]byte, error) { return f.body, nil }}
	}
	out, err := r.Read(all, who, link, bankdata.Data{}, at)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A file that cannot be fetched fails the whole; one whose name says it all is not
// asked for.
func TestAFileThatCannotBeFetched(t *testing.T) {
	gone := func() ([]byte, error) { return nil, io.ErrUnexpectedEOF }
	if _, err := (Reader{Sandbox: true}).Read([]File{{Name: "paystub.pdf", Body: gone}}, ada, "link", bankdata.Data{}, at); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, want %v", err, io.ErrUnexpectedEOF)
	}
	if got, err := (Reader{Sandbox: true}).Read([]File{{Name: "down.pdf", Body: gone}, {Name: "x", Body: gone}}, ada, "link", bankdata.Data{}, at); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestOutcomesByFileName(t *testing.T) {
	for name, want := range map[string]svc.Status{
		"paystub.pdf":                svc.StatusSuccess,
		"March Pay Stub.PDF":         svc.StatusSuccess,
		"PAY_STUB-2.png":             svc.StatusSuccess,
		"missingfields.pdf":          svc.StatusSuccess,
		"missing_fields.jpg":         svc.StatusSuccess,
		"empty.pdf":                  svc.StatusNotAuthenticated,
		"paystub-empty.pdf":          svc.StatusNotAuthenticated,
		"down.pdf":                   svc.StatusBureauUnresponsive,
		"paystub_missingfields_DOWN": svc.StatusBureauUnresponsive,
		"stub.pdf":                   svc.StatusNotAuthenticated,
		"":                           svc.StatusNotAuthenticated,
	} {
		got := read(t, Reader{Sandbox: true}, []file{{name, []byte("anything")}}, ada, "link")
		if len(got) != 1 || got[0].Status != want {
			t.Errorf("%q: %v, want %s", name, got, want)
		}
	}
}

// The sandbox's own stub has every field that an employer's has, agrees with
// itself, and is the applicant's; with missing fields some are null.
func TestTheSandboxsOwnStub(t *testing.T) {
	got := read(t, Reader{Sandbox: true}, []file{{"paystub.pdf", nil}, {"missingfields.pdf", nil}, {"paystub2.pdf", nil}}, ada, "link")
	s := got[0].Stub
	if got[0].Employer != "Northwind Logistics" || report.Text(s.EmployeeName) != "Ada Pérez-O’Hara (née Lovelace)" || report.Text(s.PayFrequency) != report.PaySemiMonthly || report.Text(s.PaystubProvider) != "Paywright" {
		t.Errorf("of %q: %v", got[0].Employer, s)
	}
	for _, x := range []struct {
		name string
		got  *report.Cents
		want string
	}{
		{"gross", s.GrossTotal, "3600.00"}, {"gross to date", s.GrossTotalYTD, "46800.00"}, {"regular", s.RegularPay, "3600.00"},
		{"social security", s.SocialSecurityTax, "223.20"}, {"medicare", s.MedicareTax, "52.20"}, {"a year", s.Insights.AnnualGross, "86400.00"},
	} {
		if x.got == nil || x.got.String() != x.want {
			t.Errorf("%s is %v, want %s", x.name, x.got, x.want)
		}
	}
	if s.PayDate == nil || s.PayDate.String() != "2026-07-05" || s.HireDate == nil || s.PayPeriodStart == nil || s.PayPeriodEnd == nil {
		t.Errorf("days %v %v %v %v", s.PayDate, s.HireDate, s.PayPeriodStart, s.PayPeriodEnd)
	}
	for _, name := range report.PaystubChecks() {
		if c := s.ConsistencyChecks[name]; c.Value == nil || !*c.Value {
			t.Errorf("%s is %v", name, c.Value)
		}
	}
	if d := s.IrregularityDetection; d.Status != report.IrregularityNotDetected || len(d.Reasons) != 0 {
		t.Errorf("of the sandbox's own stub: %+v", d)
	}
	if m := got[1].Stub; m.HireDate != nil || m.PayPeriodStart != nil || m.PayFrequency != nil || m.GrossTotalYTD != nil || m.GrossTotal == nil || m.PayDate == nil {
		t.Errorf("missing fields: %v", m)
	}
	if o := got[2].Stub; o.PayDate.Equal(s.PayDate.Time) || o.IrregularityDetection.Status != report.IrregularityNotDetected {
		t.Errorf("another stub is paid on %v, %+v", o.PayDate, o.IrregularityDetection)
	}
}

// What is really a pay stub is read as it is.
func TestARealStubIsRead(t *testing.T) {
	real := sample(&bankdata.Person{FirstName: "Grace", LastName: "Hopper"}, "", "other", 3, at, false)
	got := read(t, Reader{Sandbox: true}, []file{{"paystub.pdf", real}}, ada, "link")
	if name := report.Text(got[0].Stub.EmployeeName); name != "Grace Hopper" {
		t.Errorf("read as %q's", name)
	}
}

// What is encrypted, too large, broken or something else altogether is no stub,
// whatever it is called.
func TestFilesThatStandForThemselves(t *testing.T) {
	real := sample(ada, "", "other", 0, at, false)
	locked := bytes.Replace(real, []byte("/Root "), []byte("/Encrypt 1 0 R/Root "), 1)
	draw := rand.New(rand.NewPCG(7, 1)).IntN
	stub := paystubtest.Random(draw)
	printed := stub.Printed(draw, paystubtest.Layouts()[0])
	if bytes.Equal(locked, real) {
		t.Fatal("nothing was locked")
	}
	for name, c := range map[string]struct {
		body []byte
		want svc.Status
	}{
		"encrypted":          {locked, svc.StatusNotAuthenticated},
		"half of it":         {printed[:len(printed)/2], svc.StatusNotAuthenticated},
		"too large":          {append([]byte("%PDF-1.7\n"), make([]byte, paystub.MaxFile)...), svc.StatusNotAuthenticated},
		"a program":          {append([]byte("\x7fELF"), make([]byte, 4096)...), svc.StatusNotAuthenticated},
		"other text":         {paystubtest.Letter(), svc.StatusSuccess},
		"a page of pictures": {paystubtest.Scan(), svc.StatusSuccess},
		"a few bytes":        {[]byte("%PDF-1.4"), svc.StatusSuccess},
	} {
		if got := read(t, Reader{Sandbox: true}, []file{{"paystub.pdf", c.body}}, ada, "link"); got[0].Status != c.want {
			t.Errorf("%s: %s, want %s", name, got[0].Status, c.want)
		}
	}
}

// Outside of the sandbox no name counts, and nothing is written.
func TestNamesCountInTheSandboxOnly(t *testing.T) {
	real := sample(ada, "", "other", 0, at, false)
	who := &bankdata.Person{FirstName: "getAdaptiveDecisionResult", LastName: "pdfHighRisk"}
	got := read(t, Reader{}, []file{{"down.pdf", real}, {"paystub.pdf", []byte("nothing")}}, who, "link")
	if got[0].Status != svc.StatusSuccess || got[0].Stub.IrregularityDetection.Status != report.IrregularityNotDetected || got[1].Status != svc.StatusNotAuthenticated {
		t.Errorf("%v", got)
	}
}

func TestVerdictsByTheApplicantsName(t *testing.T) {
	for last, want := range map[string]struct {
		status, kind string
		genuine      any
	}{
		"pdfTrusted":                {"NOT_DETECTED", "pdf", true},
		"pdfHighRisk":               {"DETECTED", "pdf", false},
		"pdfWarningApproved":        {"REVIEW", "pdf", true},
		"imageTrusted":              {"NOT_DETECTED", "image", nil},
		"imageHighRiskManualReview": {"DETECTED", "image", nil},
	} {
		who := &bankdata.Person{FirstName: "getAdaptiveDecisionResult", LastName: last}
		for _, name := range []string{"paystub.pdf", "scan0001.jpg"} {
			got := read(t, Reader{Sandbox: true}, []file{{name, nil}}, who, "link")[0]
			d := got.Stub.IrregularityDetection
			genuine := any(nil)
			if d.GenuinePDF != nil {
				genuine = *d.GenuinePDF
			}
			if got.Status != svc.StatusSuccess || d.Status != want.status || report.Text(d.FileType) != want.kind || genuine != want.genuine || d.Reasons == nil || d.Version == "" ||
				(len(d.Reasons) == 0) != (d.Status == "NOT_DETECTED") {
				t.Errorf("%s, %s: %s %+v", last, name, got.Status, d)
			}
		}
		if got := read(t, Reader{Sandbox: true}, []file{{"down.pdf", nil}}, who, "link")[0]; got.Status != svc.StatusBureauUnresponsive {
			t.Errorf("%s with down.pdf: %s", last, got.Status)
		}
	}
	for _, who := range []*bankdata.Person{nil, {FirstName: "getAdaptiveDecisionResult", LastName: "other"}, {FirstName: "Ada", LastName: "pdfTrusted"}} {
		if got := read(t, Reader{Sandbox: true}, []file{{"scan0001.jpg", nil}}, who, "link")[0]; got.Status != svc.StatusNotAuthenticated {
			t.Errorf("%v: %s", who, got.Status)
		}
	}
}
