// Package search finds applications for the review dashboard. It maintains an index
// beside the applications, written in the transactions that change them, and stores
// open searches. A database index answers each filter in list order, so that the time
// to show a page does not grow with the number of applications.
//
// Names and addresses are stored as keyed hashes of their words, which are
// meaningless without the database's key; search texts are encrypted.
package search

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
)

// Index is the search index. All exported fields are required; call Prepare before
// use.
type Index struct {
	DB           *store.DB
	Applications *applications.Service
	Queue        applications.Queue
	Now          func() time.Time

	key []byte // set by Prepare
}

// Prepare loads the index's key, which the first start creates.
func (x *Index) Prepare(ctx context.Context) (err error) {
	x.key, err = x.DB.GetOrCreateSecret(ctx, "review-index", func() ([]byte, error) {
		key := make([]byte, 32)
		rand.Read(key)
		return key, nil
	})
	return err
}

// OnChange updates an application's row in the transaction that creates or changes the
// application.
func (x *Index) OnChange(ctx context.Context, tx *store.Tx, a applications.Application, _ applications.TimelineEntry) error {
	return put(ctx, tx, a, externalKey(a.ExternalID))
}

// OnApplicant indexes the applicant's words in the transaction that stores the
// applicant's data. It is idempotent.
func (x *Index) OnApplicant(ctx context.Context, tx *store.Tx, a applications.Application, f prefill.Fields) error {
	for _, t := range x.tokens(f) {
		if err := insertToken(ctx, tx, t, a.CreatedAt, a.ID); err != nil {
			return err
		}
	}
	return nil
}

// token returns the keyed hash of a word.
func (x *Index) token(kind, word string) []byte {
	h := hmac.New(sha256.New, x.key)
	h.Write([]byte(kind + "\x00" + word))
	return h.Sum(nil)[:16]
}

func (x *Index) tokens(f prefill.Fields) [][]byte {
	var out [][]byte
	for _, w := range Words(f.FirstName + " " + f.LastName) {
		out = append(out, x.token("name", w))
	}
	if email := mail.NormalizeAddress(f.Email); email != "" {
		out = append(out, x.token("email", email))
	}
	return out
}

// maxWords bounds the words of a name that are indexed.
const maxWords = 12

// Words splits a name into words for comparison: without case, accents and
// apostrophes, sorted, without duplicates.
func Words(name string) []string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’' || r == '.':
		default:
			b.WriteByte(' ')
		}
	}
	all := strings.Fields(b.String())
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxWords)]
}

// externalKey normalizes an external ID for prefix comparison.
func externalKey(s string) []byte { return []byte(strings.ToLower(s)) }

// Found is an application's row of the index.
type Found struct {
	ID          string
	DataKey     string // data key of its consumer
	Product     contract.Product
	Mode        string
	ExternalID  string
	PublicToken string
	State       string
	Outcome     contract.Outcome // "" before the first outcome
	Attempt     int
	HasReport   bool
	Decision    string // the newest; may be ""
	Assignee    string // ID of the user who works on it; "" for none
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Filter selects applications. The zero value selects all.
type Filter struct {
	State, Product, Outcome string
	Decision                string   // Undecided selects those without a decision
	Decisions               []string // all possible decisions
	States                  []string // any of them; empty for all
	Decided                 bool     // only those with a decision
	Assignee                string   // ID of a user
	From, To                time.Time
	Text                    string
	After                   store.Cursor // the page follows this row
}

// Undecided is the filter value for applications without a decision.
const Undecided = "none"

const (
	SearchLife       = 30 * time.Minute // lifetime of an open search
	MaxCounted       = 1000             // limit of counting applications
	maxPrefixMatches = 1000             // limit of external IDs searched by prefix
)

func states() (all []string) {
	for _, s := range journey.States() {
		all = append(all, string(s))
	}
	return all
}

// Search returns a page of the filter's results, newest first, and the cursor of the
// next page.
func (x *Index) Search(ctx context.Context, f Filter, limit int) (page []Found, next string, err error) {
	err = x.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		page, err = x.choose(ctx, tx, f, limit+1)
		return err
	})
	if err != nil || len(page) <= limit {
		return page, "", err
	}
	last := page[limit-1]
	return page[:limit], applications.WriteCursor(last.CreatedAt, last.ID), nil
}

// Sweep deletes expired searches.
func (x *Index) Sweep(ctx context.Context) error {
	return x.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return sweep(ctx, tx) })
}
