package stubs

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/analysis/paystub"
	"vestibule/internal/contract"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
)

var at = time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC)

var ada = &bankdata.Person{FirstName: "Ada", LastName: "Pérez-O’Hara (née Lovelace)"}

type file struct {
	name string
	body []byte
}

func read(t *testing.T, by reports.StubScenario, files []file, who *bankdata.Person, link string) []income.Paystub {
	t.Helper()
	all := make([]reports.StubFile, len(files))
	for i, f := range files {
		all[i] = reports.StubFile{Name: f.name, Body: func() ([]byte, error) { return f.body, nil }}
	}
	out, err := reports.StubReader{Scenario: by}.Read(t.Context(), all, reports.StubSubject{Consumer: who, Link: link, At: at},
		bankdata.Data{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestUnavailableFile checks that a file that cannot be fetched is an error, and that a file
// whose name decides the outcome is not fetched.
func TestUnavailableFile(t *testing.T) {
	gone := func() ([]byte, error) { return nil, io.ErrUnexpectedEOF }
	reader, of := reports.StubReader{Scenario: Files{}}, reports.StubSubject{Consumer: ada, At: at}
	files := []reports.StubFile{{Name: "paystub.pdf", Body: gone}}
	if _, err := reader.Read(t.Context(), files, of, bankdata.Data{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, want %v", err, io.ErrUnexpectedEOF)
	}
	if got, err := reader.Read(t.Context(), []reports.StubFile{{Name: "down.pdf", Body: gone}, {Name: "empty", Body: gone}},
		of, bankdata.Data{}); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestOutcomesByFileName(t *testing.T) {
	for name, want := range map[string]contract.Status{
		"paystub.pdf":                contract.StatusSuccess,
		"March Pay Stub.PDF":         contract.StatusSuccess,
		"PAY_STUB-2.png":             contract.StatusNotAuthenticated,
		"missingfields.pdf":          contract.StatusSuccess,
		"missing_fields.jpg":         contract.StatusSuccess,
		"empty.pdf":                  contract.StatusNotAuthenticated,
		"paystub-empty.pdf":          contract.StatusNotAuthenticated,
		"down.pdf":                   contract.StatusBureauUnresponsive,
		"paystub_missingfields_DOWN": contract.StatusBureauUnresponsive,
		"stub.pdf":                   contract.StatusNotAuthenticated,
		"":                           contract.StatusNotAuthenticated,
	} {
		got := read(t, Files{}, []file{{name, []byte("anything")}}, ada, "link")
		if len(got) != 1 || got[0].Status != want {
			t.Errorf("%q: %v, want %s", name, got, want)
		}
	}
}

// TestGeneratedStub checks that the sandbox's stub has every field of an employer's, is
// consistent, and names the applicant; with missing fields some are null.
func TestGeneratedStub(t *testing.T) {
	got := read(t, Files{}, []file{{"paystub.pdf", nil}, {"missingfields.pdf", nil}, {"paystub2.pdf", nil}}, ada, "link")
	s := got[0].Stub
	if got[0].Employer != "Northwind Logistics" || report.Text(s.EmployeeName) != "Ada Pérez-O’Hara (née Lovelace)" ||
		report.Text(s.PayFrequency) != report.PaySemiMonthly || report.Text(s.PaystubProvider) != "Paywright" {
		t.Errorf("of %q: %v", got[0].Employer, s)
	}
	for _, x := range []struct {
		name string
		got  *report.Cents
		want string
	}{
		{"gross", s.GrossTotal, "4247.25"}, {"gross to date", s.GrossTotalYTD, "43624.26"}, {"regular", s.RegularPay, "4247.25"},
		{"social security", s.SocialSecurityTax, "263.32"}, {"medicare", s.MedicareTax, "61.58"}, {"a year", s.Insights.AnnualGross, "101934.00"},
	} {
		if x.got == nil || x.got.String() != x.want {
			t.Errorf("%s is %v, want %s", x.name, x.got, x.want)
		}
	}
	if s.PayDate == nil || s.PayDate.String() != "2026-06-30" || s.HireDate == nil || s.PayPeriodStart == nil || s.PayPeriodEnd == nil {
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
	if m := got[1].Stub; m.HireDate != nil || m.PayPeriodStart != nil || m.PayFrequency != nil ||
		m.GrossTotalYTD != nil || m.GrossTotal == nil || m.PayDate == nil {
		t.Errorf("missing fields: %v", m)
	}
	if o := got[2].Stub; o.PayDate.Equal(s.PayDate.Time) || o.IrregularityDetection.Status != report.IrregularityNotDetected {
		t.Errorf("another stub is paid on %v, %+v", o.PayDate, o.IrregularityDetection)
	}
}

// TestStubAgreesWithBank checks that the stubs of the sandbox's default person show the net pay
// that was deposited at that person's bank.
func TestStubAgreesWithBank(t *testing.T) {
	bank := profiles.Bank{}.Fetch("default", "link", at)
	all := make([]reports.StubFile, 4)
	for i := range all {
		all[i] = reports.StubFile{Name: "paystub.pdf", Body: func() ([]byte, error) { return nil, nil }}
	}
	who := &bank.Connections[0].Owners[0].Person
	got, err := reports.StubReader{Scenario: Files{}}.Read(t.Context(), all, reports.StubSubject{Consumer: who, Link: "link", At: at}, bank)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range got {
		if d := p.Stub.IrregularityDetection; d.Status != report.IrregularityNotDetected {
			t.Errorf("stub %d of %v, net %v: %s %v", i, p.Stub.PayDate, p.Stub.NetTotal, d.Status, d.Reasons)
		}
		found := slices.ContainsFunc(bank.Connections[0].Accounts[0].Transactions, func(x bankdata.Transaction) bool {
			return x.Posted.Equal(p.Stub.PayDate.Time) && x.Amount == *p.Stub.NetTotal
		})
		if !found {
			t.Errorf("stub %d of %v: no deposit of %v", i, p.Stub.PayDate, p.Stub.NetTotal)
		}
	}
}

// TestUploadedStubIsRead checks that the sandbox reads a real pay stub as it is.
func TestUploadedStubIsRead(t *testing.T) {
	real := sample(&bankdata.Person{FirstName: "Grace", LastName: "Hopper"}, "", "other", 3, at, false)
	got := read(t, Files{}, []file{{"paystub.pdf", real}}, ada, "link")
	if name := report.Text(got[0].Stub.EmployeeName); name != "Grace Hopper" {
		t.Errorf("read as %q's", name)
	}
}

// TestBrokenFilesAreNotReplaced checks that an encrypted, too large, broken or other file is
// not a pay stub, whatever its name.
func TestBrokenFilesAreNotReplaced(t *testing.T) {
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
		want contract.Status
	}{
		"encrypted":          {locked, contract.StatusNotAuthenticated},
		"half of it":         {printed[:len(printed)/2], contract.StatusNotAuthenticated},
		"too large":          {append([]byte("%PDF-1.7\n"), make([]byte, paystub.MaxFile)...), contract.StatusNotAuthenticated},
		"a program":          {append([]byte("\x7fELF"), make([]byte, 4096)...), contract.StatusNotAuthenticated},
		"other text":         {paystubtest.Letter(), contract.StatusSuccess},
		"a page of pictures": {paystubtest.Scan(), contract.StatusSuccess},
		"a few bytes":        {[]byte("%PDF-1.4"), contract.StatusSuccess},
	} {
		if got := read(t, Files{}, []file{{"paystub.pdf", c.body}}, ada, "link"); got[0].Status != c.want {
			t.Errorf("%s: %s, want %s", name, got[0].Status, c.want)
		}
	}
}

// TestFileNamesMatterInSandboxOnly checks that outside of the sandbox the names of files have
// no effect, and no stub is generated.
func TestFileNamesMatterInSandboxOnly(t *testing.T) {
	real := sample(ada, "", "other", 0, at, false)
	who := &bankdata.Person{FirstName: "getAdaptiveDecisionResult", LastName: "pdfHighRisk"}
	got := read(t, nil, []file{{"down.pdf", real}, {"paystub.pdf", []byte("nothing")}}, who, "link")
	if got[0].Status != contract.StatusSuccess || got[0].Stub.IrregularityDetection.Status != report.IrregularityNotDetected ||
		got[1].Status != contract.StatusNotAuthenticated {
		t.Errorf("%v", got)
	}
}

func TestVerdictsByApplicantName(t *testing.T) {
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
		for _, name := range []string{"paystub.pdf", "scan0001.pdf"} {
			got := read(t, Files{}, []file{{name, nil}}, who, "link")[0]
			d := got.Stub.IrregularityDetection
			genuine := any(nil)
			if d.GenuinePDF != nil {
				genuine = *d.GenuinePDF
			}
			if got.Status != contract.StatusSuccess || d.Status != want.status || report.Text(d.FileType) != want.kind ||
				genuine != want.genuine || d.Reasons == nil || d.Version == "" ||
				(len(d.Reasons) == 0) != (d.Status == "NOT_DETECTED") {
				t.Errorf("%s, %s: %s %+v", last, name, got.Status, d)
			}
		}
		if got := read(t, Files{}, []file{{"down.pdf", nil}}, who, "link")[0]; got.Status != contract.StatusBureauUnresponsive {
			t.Errorf("%s with down.pdf: %s", last, got.Status)
		}
	}
	for _, who := range []*bankdata.Person{nil, {FirstName: "getAdaptiveDecisionResult", LastName: "other"},
		{FirstName: "Ada", LastName: "pdfTrusted"}} {
		if got := read(t, Files{}, []file{{"scan0001.jpg", nil}}, who, "link")[0]; got.Status != contract.StatusNotAuthenticated {
			t.Errorf("%v: %s", who, got.Status)
		}
	}
}

// TestImagesStayImages: it is listed, nothing is read of it, and no stub is invented in
// its place, in the sandbox as in production.
func TestImagesStayImages(t *testing.T) {
	var drawn bytes.Buffer
	if err := jpeg.Encode(&drawn, image.NewGray(image.Rect(0, 0, 40, 30)), nil); err != nil {
		t.Fatal(err)
	}
	png := []byte("\x89PNG\r\n\x1a\n a beginning only")
	trusted := &bankdata.Person{FirstName: decisive, LastName: "pdfTrusted"}
	for name, c := range map[string]struct {
		by   reports.StubScenario
		file file
		who  *bankdata.Person
		want contract.Status
	}{
		"production":                  {nil, file{"IMG_0001.jpg", drawn.Bytes()}, ada, contract.StatusNotAuthenticated},
		"production, whatever names":  {nil, file{"missingfields.jpg", drawn.Bytes()}, trusted, contract.StatusNotAuthenticated},
		"sandbox":                     {Files{}, file{"paystub.jpg", drawn.Bytes()}, ada, contract.StatusNotAuthenticated},
		"named as a PDF file":         {Files{}, file{"paystub.pdf", drawn.Bytes()}, ada, contract.StatusNotAuthenticated},
		"of no recognized name":       {Files{}, file{"IMG_0001.jpg", drawn.Bytes()}, ada, contract.StatusNotAuthenticated},
		"a few bytes of one":          {Files{}, file{"paystub", png}, ada, contract.StatusNotAuthenticated},
		"a few bytes named as one":    {Files{}, file{"paystub.HEIC", []byte("anything")}, ada, contract.StatusNotAuthenticated},
		"a trusted PDF is another":    {Files{}, file{"paystub.jpg", drawn.Bytes()}, trusted, contract.StatusNotAuthenticated},
		"missing fields, all of them": {Files{}, file{"missingfields.jpg", drawn.Bytes()}, ada, contract.StatusSuccess},
	} {
		got := read(t, c.by, []file{c.file}, c.who, "link")[0]
		want := report.IrregularityDetection{Status: report.IrregularityReview, Reasons: []string{paystub.ImageNotRead},
			FileType: contract.Null(report.FileImage), Version: paystub.Version}
		if got.Status != c.want || !got.Image || !reflect.DeepEqual(got.Stub.IrregularityDetection, want) ||
			got.Stub.GrossTotal != nil || got.Stub.EmployeeName != nil || got.Employer != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, name := range []string{"empty.jpg", "down.jpg"} {
		if got := read(t, Files{}, []file{{name, drawn.Bytes()}}, ada, "link")[0]; got.Status == contract.StatusSuccess || got.Image {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
