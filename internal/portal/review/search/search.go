// Package search is what the desk finds applications by: an index of its own beside
// theirs, written in the transactions that make and move them, and the searches that
// people have open. Every filter is answered by an index of the database in the order
// of the list, and so takes as long over a hundred thousand applications as over ten.
//
// Names and addresses are kept as keyed hashes of their words, which say nothing to
// who has the database without its key; what somebody looks for is sealed.
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
	"vestibule/internal/password"
	"vestibule/internal/portal/applications"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
)

// Index is the room. Both exported fields are required; call Prepare before use.
type Index struct {
	DB  *store.DB
	Now func() time.Time

	key []byte // set by Prepare
}

// Prepare readies the index: its key is made at the first start.
func (x *Index) Prepare(ctx context.Context) (err error) {
	x.key, err = x.DB.GetOrCreateSecret(ctx, "review-index", func() ([]byte, error) {
		key := make([]byte, 32)
		rand.Read(key)
		return key, nil
	})
	return err
}

// Put keeps what an application is found by, in the transaction that makes
// or moves it.
func (x *Index) Put(ctx context.Context, tx *store.Tx, a applications.Application) error {
	return put(ctx, tx, a, externalKey(a.ExternalID))
}

// Name keeps whom an application is found by, in the transaction that keeps
// what the applicant gave. Doing so again changes nothing.
func (x *Index) Name(ctx context.Context, tx *store.Tx, id string, created time.Time, f prefill.Fields) error {
	for _, t := range x.tokens(f) {
		if err := insertToken(ctx, tx, t, created, id); err != nil {
			return err
		}
	}
	return nil
}

// token is a word as it stands in the index.
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
	if email := password.Email(f.Email); email != "" {
		out = append(out, x.token("email", email))
	}
	return out
}

// maxWords is how many words of a name count.
const maxWords = 12

// Words are the words of a name as they are compared: without case, accents and
// apostrophes, in no order, each once.
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

// externalKey is an external id as its beginnings are compared.
func externalKey(s string) []byte { return []byte(strings.ToLower(s)) }

// Found is a row of the index: what it has of an application.
type Found struct {
	ID          string
	DataKey     string // of its consumer
	Product     contract.Product
	Mode        string
	ExternalID  string
	PublicToken string
	State       string
	Outcome     contract.Outcome // "" while it has none
	Attempt     int
	HasReport   bool
	Decision    string // the newest; "" for none
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Filter chooses applications. Its zero value is all.
type Filter struct {
	State, Product, Outcome string
	Decision                string   // Undecided is none
	Decisions               []string // all that there can be
	From, To                time.Time
	Text                    string
	Cursor                  string
}

// Undecided is the filter's word for applications without a decision.
const Undecided = "none"

const (
	SearchLife  = 30 * time.Minute // of a search that somebody has open
	ManyCounted = 1000             // how far applications are counted
	manyAlike   = 1000             // external ids with one beginning that are looked at
)

func states() (all []string) {
	for _, s := range journey.States() {
		all = append(all, string(s))
	}
	return all
}

// Look returns what a filter chooses, newest first, and where the next page begins.
func (x *Index) Look(ctx context.Context, f Filter, limit int) (page []Found, next string, err error) {
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
