package applications

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/storetest"
)

// analysisOf returns a small analysis of a report.
func analysisOf(t *testing.T, token string) []byte {
	t.Helper()
	day := report.DateOf(time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC))
	to := report.DateOf(time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC))
	raw, err := report.Encode(report.Analysis{Version: report.AnalysisVersion, PublicToken: token,
		From: &day, To: to, Total: []report.Cents{1_00, -2_50}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// ready returns an application that has its report but not its analysis yet.
func (b *testServer) ready() Application {
	b.t.Helper()
	a := b.apply()
	b.begin(a.ID)
	events["webhook"](b, a)
	b.jobs = nil
	later := b.filesErr
	b.filesErr = &svcapi.Error{HTTP: 503, Code: contract.CodeUpstream}
	if err := b.fetchReport(b.t.Context(), FetchReport{Application: a.ID}); err != nil {
		b.t.Fatal(err)
	}
	if a = b.now(a.ID); a.Journey.State != journey.Ready || b.lists.Load() != 1 || len(b.jobs) != 1 {
		b.t.Fatalf("state %s, %d lists, %d jobs: the report waits for its analysis", a.Journey.State, b.lists.Load(), len(b.jobs))
	}
	b.filesErr = later
	b.lists.Store(0)
	return a
}

func TestAnalysisIsEncryptedBesideTheReport(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		b.files = []svcapi.File{{DocumentType: "STATEMENT", Path: "a/b.pdf"}, {DocumentType: report.AnalysisDocument, Path: "a/analysis.json"}}
		b.analysis = analysisOf(t, strings.ToUpper(publicToken))
		a := b.ready()
		if raw, pending, err := b.Analysis(t.Context(), a.ID, 0, -1); raw != nil || !pending || err != nil {
			t.Errorf("before the job: %q, pending %v, %v", raw, pending, err)
		}
		if err := b.fetchAnalysis(t.Context(), FetchAnalysis{Application: a.ID}); err != nil {
			t.Fatal(err)
		}
		raw, pending, err := b.Analysis(t.Context(), a.ID, 0, -1)
		if !bytes.Equal(raw, b.analysis) || pending || err != nil {
			t.Errorf("Analysis = %q, pending %v, %v", raw, pending, err)
		}
		var kept []byte
		if err := db.SQL.QueryRow(`SELECT analysis FROM application_report_revisions WHERE application_id = $1`, a.ID).Scan(&kept); err != nil {
			t.Fatal(err)
		}
		if len(kept) == 0 || bytes.Contains(kept, []byte("2.50")) {
			t.Errorf("kept in the clear: %q", kept)
		}
		if err := b.fetchAnalysis(t.Context(), FetchAnalysis{Application: a.ID}); err != nil || b.lists.Load() != 1 || b.fetches.Load() != 1 {
			t.Errorf("again: %v, %d lists, %d reports", err, b.lists.Load(), b.fetches.Load())
		}
	})
}

func TestAnalysisArrivesWithTheReport(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		b.files = []svcapi.File{{DocumentType: report.AnalysisDocument, Path: "a/analysis.json"}}
		const transactions = `[{"bins":"C"},{"bins":"A"}]`
		figures, whole := strings.CutSuffix(string(analysisOf(t, publicToken)), `,"transactions":null}`)
		b.analysis = []byte(figures + `,"transactions":` + transactions + `}`)
		a := b.apply()
		b.begin(a.ID)
		events["webhook"](b, a)
		b.work(false)
		raw, pending, err := b.Analysis(t.Context(), a.ID, 0, -1)
		if string(raw) != figures+`,"counted_bins":"CA"}` || pending || err != nil || b.lists.Load() != 1 || !whole {
			t.Errorf("Analysis = %q, pending %v, %v, %d lists", raw, pending, err, b.lists.Load())
		}
		if raw, err := b.Transactions(t.Context(), a.ID, 1, 0); string(raw) != transactions || err != nil {
			t.Errorf("Transactions = %q, %v", raw, err)
		}
	})
}

func TestReportWithoutAnalysis(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		file := []svcapi.File{{DocumentType: report.AnalysisDocument, Path: "a/analysis.json"}}
		for name, tc := range map[string]struct {
			files    []svcapi.File
			analysis []byte
			err      error
		}{
			"another provider's files": {files: []svcapi.File{{DocumentType: "STATEMENT", Path: "x"}}},
			"no files at all":          {},
			"not enabled":              {err: &svcapi.Error{HTTP: 403, Code: contract.CodeForbidden}},
			"no such list":             {err: &svcapi.Error{HTTP: 404, Code: contract.CodeNotFound}},
			"gone":                     {err: &svcapi.Error{HTTP: 410, Code: contract.CodeGone}},
			"a bad request":            {err: &svcapi.Error{HTTP: 400, Code: contract.CodeMalformedBody}},
			"nonsense":                 {files: file, analysis: []byte(`{"broken`)},
			"no object":                {files: file, analysis: []byte(`["broken"]`)},
			"without a token":          {files: file, analysis: []byte(`{"broken": {"public_token": "x"}}`)},
			"of another report":        {files: file, analysis: analysisOf(t, "00000000-0000-4000-8000-000000000000")},
			"too large":                {files: file, analysis: make([]byte, maxAnalysis+1)},
		} {
			b := newTestServer(t, db)
			var log bytes.Buffer
			b.Log = slog.New(slog.NewTextHandler(&log, nil))
			b.files, b.analysis, b.filesErr = tc.files, tc.analysis, tc.err
			a := b.ready()
			for range 2 {
				if err := b.fetchAnalysis(t.Context(), FetchAnalysis{Application: a.ID}); err != nil {
					t.Errorf("%s: explain = %v, want it settled", name, err)
				}
			}
			raw, pending, err := b.Analysis(t.Context(), a.ID, 0, -1)
			if raw != nil || pending || err != nil || b.lists.Load() != 1 {
				t.Errorf("%s: Analysis = %q, pending %v, %v after %d lists", name, raw, pending, err, b.lists.Load())
			}
			if !strings.Contains(log.String(), a.ID) || strings.Contains(log.String(), "broken") || strings.Contains(log.String(), publicToken) {
				t.Errorf("%s: the log says %q", name, log.String())
			}
		}
	})
}

func TestAnalysisRetriesEnd(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		b.files = []svcapi.File{{DocumentType: report.AnalysisDocument, Path: "a/analysis.json"}}
		b.analysis = analysisOf(t, publicToken)
		b.filesErr = &svcapi.Error{HTTP: 503, Code: contract.CodeUpstream}
		a, lost := b.ready(), Application{}
		if err := b.fetchAnalysis(t.Context(), FetchAnalysis{Application: a.ID}); err == nil {
			t.Fatal("a provider that does not answer settles it")
		}
		b.filesErr = nil
		if err := b.fetchAnalysis(t.Context(), FetchAnalysis{Application: a.ID}); err != nil {
			t.Fatal(err)
		}
		if raw, _, _ := b.Analysis(t.Context(), a.ID, 0, -1); raw == nil {
			t.Error("it was not kept when the provider answered again")
		}
		b.lists.Store(0)
		lost = b.ready()
		b.filesErr = &svcapi.Error{Code: contract.CodeUpstream, Err: errors.New("away")}
		runs := 0
		for at := time.Duration(0); ; runs++ {
			every, more := analysisPace.next(at)
			err := b.fetchAnalysis(t.Context(), FetchAnalysis{Application: lost.ID})
			if (err != nil) != more {
				t.Fatalf("after %v: explain = %v, more %v", at, err, more)
			}
			if err == nil {
				break
			}
			at += every
			b.advanceClock(every)
		}
		if _, pending, _ := b.Analysis(t.Context(), lost.ID, 0, -1); pending || runs < 20 || runs > 100 {
			t.Errorf("pending %v after %d runs", pending, runs)
		}
	})
}

// The queue keeps the job of a missing analysis, so that a start need not read every report to find
// applications without one.
func TestStartReadsNoReports(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		b.ready()
		if kind := b.jobs[0].Kind(); kind != (FetchAnalysis{}).Kind() {
			t.Fatalf("a report without its analysis has a job %s", kind)
		}
		if _, err := db.SQL.ExecContext(t.Context(), `DROP TABLE application_report_revisions`); err != nil {
			t.Fatal(err)
		}
		if err := b.Resume(t.Context()); err != nil || len(b.jobs) != 1 {
			t.Errorf("Resume: %v, %d jobs", err, len(b.jobs))
		}
	})
}
