package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/compress"
	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Generate is the job that generates a report.
type Generate struct {
	PublicToken string `json:"publicToken"`
}

// Kind names the job.
func (Generate) Kind() string { return "reports.generate" }

// GenerateWithDocuments is the job that generates a report for which files were uploaded. Programs
// read them for minutes, so these jobs have a queue of their own.
type GenerateWithDocuments struct {
	PublicToken string `json:"publicToken"`
}

// Kind names the job.
func (GenerateWithDocuments) Kind() string { return "reports.generate-with-documents" }

// busyWait is how long generation waits for another fetch from the same connection,
// which may have been interrupted.
const busyWait = 15 * time.Second

// attempts is how often generation is tried before the report ends in ERROR.
const attempts = 6

// generateTime is the maximum duration of one attempt, without documents. An attempt also has
// readTime for documents.
const generateTime = sources.FetchTimeout + 30*time.Second

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) {
	backoff := jobs.Backoff(func(attempt int) time.Duration { return time.Duration(1<<attempt) * time.Second / 2 })
	jobs.Register(r, s.generate, jobs.In(jobs.Reports), jobs.MaxAttempts(attempts), backoff, jobs.Timeout(generateTime),
		jobs.OnDiscard(s.onDiscard))
	jobs.Register(r, func(ctx context.Context, j jobs.Job, a GenerateWithDocuments) error {
		return s.generate(ctx, j, Generate(a))
	},
		jobs.In(jobs.Documents), jobs.MaxAttempts(attempts), backoff, jobs.Timeout(generateTime+readTime),
		jobs.OnDiscard(func(ctx context.Context, a GenerateWithDocuments) error { return s.onDiscard(ctx, Generate(a)) }))
	jobs.Register(r, s.refreshTurn)
}

// generate generates a report: data, analysis, body, status, and event. It may run any
// number of times; the report ends once.
func (s *Service) generate(ctx context.Context, _ jobs.Job, args Generate) error {
	err := s.produce(ctx, args.PublicToken)
	if errors.Is(err, store.ErrShredded) {
		return jobs.Cancel(err)
	}
	if errors.Is(err, sources.ErrBusy) {
		return jobs.Snooze(busyWait)
	}
	if errors.Is(err, errAccessEnded) {
		return jobs.Snooze(0) // from the access that is left
	}
	return err
}

// onDiscard ends a report that cannot be generated, so that the customer is notified
// immediately.
func (s *Service) onDiscard(ctx context.Context, args Generate) error {
	return s.finish(ctx, args.PublicToken, contract.StatusError, "", nil)
}

func (s *Service) produce(ctx context.Context, publicToken string) error {
	r, in, err := s.input(ctx, publicToken)
	if errors.Is(err, store.ErrNotFound) {
		return nil // reset or deleted meanwhile
	}
	if err != nil || r.Status != contract.StatusPending {
		return err
	}
	var from origin
	if from.environment, from.Sandbox, err = s.environment(ctx, r); err != nil {
		return err
	}
	if kinds[r.Kind].compute == nil {
		return s.generatePassport(ctx, from.environment, r, in)
	}
	if in.Data == nil {
		if from.fetched, err = s.fetchSources(ctx, from.environment, r, in); err != nil {
			return err
		}
	}
	w, err := s.build(ctx, r, &in, from)
	if err != nil {
		return err
	}
	if w.status != contract.StatusSuccess {
		return s.finish(ctx, publicToken, w.status, w.sub, nil)
	}
	err = s.finish(ctx, publicToken, w.status, w.sub, func(ctx context.Context, tx *store.Tx) error {
		if err := s.requireAccess(ctx, tx, in, from.fetched); err != nil {
			return err
		}
		sealed, err := s.DB.Vault.Seal(ctx, tx, r.KeyID, cell(r, "body"), w.body)
		if err != nil {
			return err
		}
		var sealedInput []byte
		if w.input != nil {
			if sealedInput, err = s.DB.Vault.Seal(ctx, tx, r.KeyID, cell(r, "input"), w.input); err != nil {
				return err
			}
		}
		if err := setBody(ctx, tx, publicToken, sealedInput, sealed); err != nil {
			return err
		}
		if err := s.keepBasis(ctx, tx, r, in); err != nil {
			return err
		}
		if s.Connect == nil {
			return nil
		}
		return s.Connect(ctx, tx, r, from.environment, *in.Data, w.retrieved)
	})
	if !errors.Is(err, errAccessEnded) {
		return err
	}
	withdrawn, err := s.Customers.ConsentWithdrawn(ctx, s.DB.SQL, r.CustomerID, r.ConsumerID)
	if withdrawn || errors.Is(err, store.ErrNotFound) {
		return s.finish(ctx, publicToken, contract.StatusNotAuthenticated, "", nil)
	}
	return cmp.Or(err, errAccessEnded)
}

// built is a generated report before it is stored.
type built struct {
	retrieved   bool // the data are new
	status      contract.Status
	sub         contract.Substatus
	body, input []byte // packed; input is nil where it is kept already
}

// turns limits how many reports are computed at the same time. It leaves one of the
// processors at program start to requests.
var turns = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))

// readTime is how long the images of a report may be read in all. Later ones are listed as not
// read.
const readTime = 5 * time.Minute

// outOfTurn reads images until a time. Meanwhile another report has the turn of the one that it
// reads for.
type outOfTurn struct {
	Scanner
	until time.Time
}

// Read implements Scanner.
func (s outOfTurn) Read(ctx context.Context, file []byte) ([]paystub.ScannedPage, error) {
	<-turns
	defer func() { turns <- struct{}{} }()
	ctx, cancel := context.WithDeadline(ctx, s.until)
	defer cancel()
	return s.Scanner.Read(ctx, file)
}

// build does the CPU work of a report: data, figures, and encoding.
func (s *Service) build(ctx context.Context, r Report, in *Input, from origin) (w built, err error) {
	select {
	case turns <- struct{}{}:
		defer func() { <-turns }()
	case <-ctx.Done():
		return w, ctx.Err()
	}
	if w.retrieved = in.Data == nil; w.retrieved {
		failed, err := s.retrieve(ctx, r, in, from)
		if err == nil {
			err = s.carry(ctx, r, in, from)
		}
		if err != nil {
			return w, err
		}
		if failed.Connection != "" && in.empty() && !kinds[r.Kind].verifies {
			w.status, w.sub = failed.Status, failed.Substatus
			return w, nil
		}
	}
	began := time.Now() // real time, because it measures work
	of, err := s.subjectOf(ctx, r, *in)
	if err != nil {
		return w, err
	}
	var computed any
	w.status, w.sub, computed = kinds[r.Kind].compute(of, r, in.corrected(r))
	if s.Watch != nil {
		defer func() { s.Watch(string(r.Kind), string(w.status), time.Since(began)) }()
	}
	if err != nil || w.status != contract.StatusSuccess {
		return w, err
	}
	if w.body, err = pack(computed); err != nil {
		return w, fmt.Errorf("reports: encode: %w", err)
	}
	if w.retrieved {
		if w.input, err = packInput(*in); err != nil {
			return w, fmt.Errorf("reports: encode: %w", err)
		}
	}
	return w, nil
}

// DerivedID returns an identifier derived from that of a report or submission, so that it
// is the same each time the report is generated.
func DerivedID(of, what string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(of+"/"+what)).String()
}

// finish moves the report to its final status and stores results, event, and notification
// in the same transaction. It does nothing if the report has already ended. No report is stored
// of a person whose file is frozen.
func (s *Service) finish(ctx context.Context, publicToken string, status contract.Status, sub contract.Substatus,
	results func(context.Context, *store.Tx) error) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if status == contract.StatusSuccess {
			if err := s.Freeze.Require(ctx, tx, publicToken); errors.Is(err, freeze.ErrFrozen) {
				return errors.Join(s.endFrozen(ctx, tx, publicToken), deleteInput(ctx, tx, publicToken))
			} else if err != nil {
				return err
			}
		}
		changed, err := s.SetStatus(ctx, tx, publicToken, status, sub)
		if err != nil || !changed {
			return err
		}
		if results != nil {
			if err := results(ctx, tx); err != nil {
				return err
			}
		}
		if s.OnFinished != nil {
			return s.OnFinished(ctx, tx, publicToken, status, sub)
		}
		return nil
	})
}

func (s *Service) input(ctx context.Context, publicToken string) (Report, Input, error) {
	r, err := getWith("input", "")(ctx, s.DB.SQL, `public_token = $1`, publicToken)
	if err != nil {
		return r, Input{}, err
	}
	in, err := s.inputOf(ctx, s.DB.SQL, r)
	return r, in, err
}

func (s *Service) inputOf(ctx context.Context, q store.Queryer, r Report) (Input, error) {
	raw, err := s.decrypt(ctx, q, r, "input")
	if raw == nil && err == nil {
		err = errors.New("reports: the report has no input")
		if r.Status.Final() {
			err = ErrDeleted
		}
	}
	if err != nil {
		return Input{}, err
	}
	return unpackInput(raw)
}

// decrypt returns a column, input or body, as it was read with r or as it is now; nil without one.
func (s *Service) decrypt(ctx context.Context, q store.Queryer, r Report, column string) (_ []byte, err error) {
	if r.data.column != column {
		if r, err = getWith(column, "")(ctx, q, `public_token = $1`, r.PublicToken); err != nil {
			return nil, err
		}
	}
	if r.data.sealed == nil {
		return nil, nil
	}
	key, err := s.DB.Vault.Unwrap(s.DB.SQL, r.KeyID, r.data.wrapped)
	if err != nil {
		return nil, err
	}
	return key.Open(cell(r, column), r.data.sealed)
}

// body returns a report's body: unchanged for its owner, and without the owner's
// labels for a third party. Call markRead before.
func (s *Service) body(ctx context.Context, r Report) ([]byte, error) {
	packed, err := s.packedBody(ctx, s.DB.SQL, r)
	if err != nil {
		return nil, err
	}
	body, err := compress.Unpack(packed)
	if err != nil || r.Relay == "" {
		return body, err
	}
	return forThirdParty(body, r.Relay)
}

// packedBody returns the body of a report as pack made it, or ErrDeleted.
func (s *Service) packedBody(ctx context.Context, q store.Queryer, r Report) ([]byte, error) {
	packed, err := s.decrypt(ctx, q, r, "body")
	if packed == nil && err == nil {
		err = ErrDeleted
	}
	return packed, err
}

// cell is the encryption context of input and body. They belong to the report,
// although they are stored in report_data.
func cell(r Report, name string) store.Cell {
	return store.Cell{Table: "reports", Column: name, Row: r.PublicToken}
}

// pack compresses v as JSON.
func pack(v any) ([]byte, error) {
	raw, err := report.Encode(v)
	if err != nil {
		return nil, err
	}
	return compress.Pack(raw), nil
}
