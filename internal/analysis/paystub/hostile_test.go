package paystub_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
	"vestibule/internal/testutil/tools"
)

// TestHostileFiles reads files that are designed to be expensive. None of them is a pay
// stub, and none may exceed the memory limit. They are of the maximum size in make test-full.
// FuzzOpen reads small ones.
func TestHostileFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	size := paystubtest.Large
	if !tools.Full() {
		size /= 4
	}
	paystubtest.HostileFiles(size, func(h paystubtest.Hostile) {
		debug.FreeOSMemory()
		before, counts := peak(true)
		began := time.Now()
		d := paystub.Open(h.File)
		took := time.Since(began)
		after, _ := peak(false)
		if d.Outcome == paystub.Read || h.Much && size == paystubtest.Large && d.Outcome != paystub.TooLarge {
			t.Errorf("%s: the outcome is %s", h.Name, d.Outcome)
		}
		if d.Stub.NetTotal != nil || len(d.Stub.ConsistencyChecks) != len(report.PaystubChecks()) {
			t.Errorf("%s: it has amounts, or not all checks", h.Name)
		}
		t.Logf("%-40s %6.1f MB %-13s %8s, %d MB", h.Name, float64(len(h.File))/1e6, d.Outcome, took.Round(time.Millisecond), (after-before)/1000)
		if counts && after-before > 180_000 {
			t.Errorf("%s: %d kB of memory beside the file, want 180,000 at most", h.Name, after-before)
		}
	})
}

var high = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak returns the process's peak memory in kB, and whether the system provides it. With
// reset, the peak is measured from now on.
func peak(reset bool) (int, bool) {
	if reset {
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
			return 0, false
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	m := high.FindSubmatch(status)
	if err != nil || m == nil {
		return 0, false
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n, true
}

// TestOutcomes checks the outcomes of files that are not pay stubs.
func TestOutcomes(t *testing.T) {
	draw := source(5)
	s := paystubtest.Random(draw)
	stub := s.PDF(paystubtest.Layouts()[0], paystubtest.Genuine(draw, &s))
	edit := func(from, to string) []byte {
		if !bytes.Contains(stub, []byte(from)) {
			t.Fatalf("no %q in the file", from)
		}
		return bytes.Replace(stub, []byte(from), []byte(to), 1)
	}
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x03\x20\x00\x00\x02\x58\x08\x02\x00\x00\x00\x15\x14\x15\x27"
	huge := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x0f\xff\xff\x00\x0f\xff\xff\x08\x02\x00\x00\x00"
	tests := []struct {
		name string
		file []byte
		want paystub.Outcome
		kind string
	}{
		{"a stub", stub, paystub.Read, report.FilePDF},
		{"nothing", nil, paystub.Empty, ""},
		{"words", []byte("net pay 12.00"), paystub.Unsupported, ""},
		{"a program", []byte("\x7fELF\x02\x01\x01"), paystub.Unsupported, ""},
		{"a page of the web", []byte("<html>" + strings.Repeat(" ", 2000) + "%PDF-1.4"), paystub.Unsupported, ""},
		{"more than is taken", make([]byte, paystub.MaxFile+1), paystub.TooLarge, ""},
		{"a picture", withSum(png), paystub.Image, report.FileImage},
		{"a photograph", photograph(t), paystub.Image, report.FileImage},
		{"a picture that is cut off", []byte(png[:20]), paystub.Malformed, report.FileImage},
		{"a picture too large to be one", withSum(huge), paystub.TooLarge, report.FileImage},
		{"the mark of JPEG alone", []byte("\xff\xd8\xff\xe0"), paystub.Malformed, report.FileImage},
		{"a file that is encrypted", edit("/Root ", "/Encrypt 1 0 R/Root "), paystub.Encrypted, report.FilePDF},
		{"half a file", stub[:len(stub)/2], paystub.Malformed, report.FilePDF},
		{"only the mark", []byte("%PDF-1.4"), paystub.Malformed, report.FilePDF},
		{"a page without text", paystubtest.Scan(), paystub.NoText, report.FilePDF},
		{"a letter", paystubtest.Letter(), paystub.NoPayStub, report.FilePDF},
	}
	for _, tt := range tests {
		d := paystub.Open(tt.file)
		if d.Outcome != tt.want || d.FileType != tt.kind {
			t.Errorf("%s: %s %q, want %s %q", tt.name, d.Outcome, d.FileType, tt.want, tt.kind)
		}
		status, sub := d.Status()
		want := map[bool]contract.Status{true: contract.StatusSuccess, false: contract.StatusNotAuthenticated}[tt.want == paystub.Read]
		why := map[bool]contract.Substatus{true: contract.SubIncomplete}[tt.want == paystub.Image]
		if status != want || sub != why {
			t.Errorf("%s: status %s %q, want %s %q", tt.name, status, sub, want, why)
		}
		p := paystub.Report([]*paystub.Document{d}, paystub.Bank{}, s.Pay)[0]
		if len(p.ConsistencyChecks) != len(report.PaystubChecks()) {
			t.Errorf("%s: %d checks, want all", tt.name, len(p.ConsistencyChecks))
		}
	}
}

func photograph(t *testing.T) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 16)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withSum appends the checksum to the first chunk of a PNG file.
func withSum(head string) []byte {
	part := []byte(head[12:29])
	sum := ^uint32(0)
	for _, b := range part {
		sum ^= uint32(b)
		for range 8 {
			sum = sum>>1 ^ 0xedb88320*(sum&1)
		}
	}
	sum = ^sum
	return append([]byte(head[:29]), byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum), 0, 0, 0, 0, 'I', 'D', 'A', 'T')
}

// TestImagesNeedReview checks the result for images.
func TestImagesNeedReview(t *testing.T) {
	d := paystub.Open(withSum("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x03\x20\x00\x00\x02\x58\x08\x02\x00\x00\x00"))
	v := paystub.Report([]*paystub.Document{d}, paystub.Bank{}, report.Date{})[0].IrregularityDetection
	if v.Status != report.IrregularityReview || len(v.Reasons) != 1 || v.Reasons[0] != paystub.ImageNotRead ||
		v.FileType == nil || *v.FileType != report.FileImage || v.GenuinePDF != nil {
		t.Errorf("%+v", v)
	}
}

// FuzzOpen checks that reading any bytes ends with an outcome, which is the same each time.
func FuzzOpen(f *testing.F) {
	draw := source(6)
	for _, l := range paystubtest.Layouts() {
		year := paystubtest.Year(draw, 2)
		if l.Family != "" {
			f.Add(year[0].PDF(l, paystubtest.Making{Plain: true}))
			f.Add(year[0].Printed(draw, l))
		}
	}
	for k := range paystubtest.Kinds {
		f.Add(paystubtest.Forge(draw, k, paystubtest.Layouts()[k%4], paystubtest.Year(draw, 2))[0])
	}
	paystubtest.HostileFiles(20_000, func(h paystubtest.Hostile) {
		// Without this limit, the fuzzer would only try small files that are expensive.
		if !bytes.Contains(h.File, []byte("FlateDecode")) || len(h.File) < 5_000 {
			f.Add(h.File)
		}
	})
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 1<<16 {
			return
		}
		d := paystub.Open(file)
		if d.Outcome == "" {
			t.Fatal("no outcome")
		}
		p := paystub.Report([]*paystub.Document{d, d}, paystub.Bank{}, report.Date{})
		if len(p) != 2 || !slices.Equal(p[0].IrregularityDetection.Reasons, p[1].IrregularityDetection.Reasons) {
			t.Fatalf("%v, then %v", p[0].IrregularityDetection, p[1].IrregularityDetection)
		}
	})
}
