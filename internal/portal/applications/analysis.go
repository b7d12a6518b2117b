package applications

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"vestibule/internal/compress"
	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
)

// FetchAnalysis is the job that fetches the analysis behind an application's cashflow
// report: the report's file of type CASHFLOW_ANALYSIS. The report does not wait for
// it, and other providers may not offer it.
type FetchAnalysis struct {
	Application string `json:"application"`
}

// Kind returns the job's name.
func (FetchAnalysis) Kind() string { return "portal.explain" }

// analysisPace is how often the job retries a provider that does not answer, by time since
// the report arrived: about sixty times in total.
var analysisPace = pace{{time.Minute, 3 * time.Second}, {10 * time.Minute, 30 * time.Second}, {2 * time.Hour, 5 * time.Minute}}

// maxAnalysis bounds the file in bytes; 800 days of 200 accounts are smaller.
const maxAnalysis = 8 << 20

// errNoAnalysis means that the provider's report has no analysis, which is allowed.
var errNoAnalysis = errors.New("the report has no such file")

// analysis is an analysis as it is stored: packed, and its transactions apart, which only their own page shows.
type analysis struct{ figures, transactions []byte }

// fetchAnalysis fetches and stores an analysis, or stores that the provider has no analysis.
func (s *Service) fetchAnalysis(ctx context.Context, e FetchAnalysis) error {
	a, err := s.Get(ctx, s.DB.SQL, e.Application)
	if err != nil {
		return cancelIfDeleted(err)
	}
	held, err := reportOf(ctx, s.DB.SQL, noContents, a.ID, a.Report.Attempt, a.Report.Revision)
	if err != nil || held.settled {
		return cancelIfDeleted(err)
	}
	t, err := attempt(ctx, s.DB.SQL, a.ID, held.Attempt)
	if err != nil {
		return cancelIfDeleted(err)
	}
	got, settled, why := s.askAnalysis(ctx, a, t)
	if !settled {
		if every, more := analysisPace.next(s.now().Sub(held.At)); more {
			var e *svcapi.Error
			if errors.As(why, &e) {
				every = max(every, e.RetryAfter)
			}
			s.Log.WarnContext(ctx, "analysis not fetched yet", "application", a.ID, "err", why.Error())
			return jobs.Snooze(every)
		}
		s.Log.WarnContext(ctx, "analysis not fetched", "application", a.ID, "err", why.Error())
	}
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if why == nil {
			if err := s.sealAnalysis(ctx, tx, a, &held, got); err != nil {
				return err
			}
		}
		return storeAnalysis(ctx, tx, a.ID, held)
	})
}

// soon is how long a report waits for its analysis.
const soon = time.Second

// askAnalysis fetches the analysis behind a report. settled is false if the provider may give it later;
// otherwise why is the reason that it gives no analysis, or nil.
func (s *Service) askAnalysis(ctx context.Context, a Application, t Attempt) (got analysis, settled bool, why error) {
	got, why = s.requestAnalysis(ctx, t)
	switch {
	case why == nil:
	case svcapi.Temporary(why) || ctx.Err() != nil:
		return analysis{}, false, why
	case errors.Is(why, errNoAnalysis):
		s.Log.InfoContext(ctx, "report has no analysis", "application", a.ID)
	default:
		s.Log.WarnContext(ctx, "analysis not fetched", "application", a.ID, "err", why.Error())
	}
	return got, true, why
}

// requestAnalysis fetches the file, which must be of the attempt's report.
func (s *Service) requestAnalysis(ctx context.Context, t Attempt) (got analysis, err error) {
	ref := t.ref()
	files, err := s.Provider.Files(ctx, contract.Cashflow, ref)
	if err != nil {
		return got, err
	}
	i := slices.IndexFunc(files, func(f svcapi.File) bool { return f.DocumentType == report.AnalysisDocument })
	if i < 0 {
		return got, errNoAnalysis
	}
	file, err := s.Provider.File(ctx, contract.Cashflow, ref, files[i].Path)
	if err != nil {
		return got, err
	}
	if len(file.Body) > maxAnalysis {
		return got, errors.New("the analysis is too large")
	}
	if got.figures, got.transactions = report.SplitAnalysis(file.Body); got.transactions != nil {
		got.transactions = compress.Pack(got.transactions)
	} else if !json.Valid(got.figures) {
		return got, errors.New("the analysis is not JSON")
	}
	if of := analyzed.FindSubmatch(got.figures); of == nil || !strings.EqualFold(string(of[1]), t.PublicToken) {
		return got, errors.New("the analysis is of another report")
	}
	got.figures = compress.Pack(got.figures)
	return got, nil
}

// analyzed finds the report of an analysis without parsing it. A quote inside of a text is escaped.
var analyzed = regexp.MustCompile(`"public_token"\s*:\s*"([^"]*)"`)
