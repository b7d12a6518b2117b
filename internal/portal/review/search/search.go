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
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
)

// Index is the search index. Fields are required unless documented otherwise; call Prepare
// before use.
type Index struct {
	DB           *store.DB
	Applications *applications.Service
	Queue        applications.Queue
	Now          func() time.Time

	// Summarize returns what lists show of an application's newest report. It returns the
	// zero Summary for a report that cannot be shown. nil: lists show nothing of reports.
	Summarize func(ctx context.Context, q store.Queryer, a applications.Application) (verdict.Summary, error)

	key []byte // set by Prepare
}

// version is the version of the rules by which rows are indexed: the tokens of a name, and
// the summary of a report. When it rises, Refill indexes older rows again.
const version = 7

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
	if a.Interim {
		return nil
	}
	if a.Parsed != nil { // the report is stored now
		return x.summarize(ctx, tx, a)
	}
	summarized, err := put(ctx, tx, x.DB.Vault, a, nil)
	if err != nil || !a.HasReport() || summarized.Equal(a.Report.At) {
		return err
	}
	return x.summarize(ctx, tx, a)
}

// summarize puts an application with the summary of its newest report.
func (x *Index) summarize(ctx context.Context, tx *store.Tx, a applications.Application) (err error) {
	var s *verdict.Summary
	if x.Summarize != nil && a.HasReport() {
		s = new(verdict.Summary)
		if *s, err = x.Summarize(ctx, tx, a); err != nil {
			return err
		}
	}
	_, err = put(ctx, tx, x.DB.Vault, a, s)
	return err
}

// OnApplicant indexes the applicant's words in the transaction that stores the
// applicant's data. It is idempotent.
func (x *Index) OnApplicant(ctx context.Context, tx *store.Tx, a applications.Application, f prefill.Fields) error {
	return insertTokens(ctx, tx, x.tokens(f), a.CreatedAt, a.ID)
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
		for _, b := range prefixes(w) {
			out = append(out, x.token("beginning", b))
		}
	}
	if email := mail.NormalizeAddress(f.Email); email != "" {
		out = append(out, x.token("email", email))
	}
	return out
}

const (
	maxWords = 12 // of a name that are indexed

	// Beginnings of words are indexed from minBeginning letters on. Shorter ones would
	// reveal how often they occur, which the names of a country make recognizable.
	minBeginning = 3
	maxBeginning = 20
)

// prefixes returns the beginnings of a word that find it; none of a short word.
func prefixes(word string) (out []string) {
	letters := []rune(word)
	for n := minBeginning; n <= min(len(letters), maxBeginning); n++ {
		out = append(out, string(letters[:n]))
	}
	return out
}

// wordToken returns the token of a word of a search: of a beginning, or of a whole word if
// whole is set or the word is short or very long.
func (x *Index) wordToken(word string, whole bool) []byte {
	if n := utf8.RuneCountInString(word); whole || n < minBeginning || n > maxBeginning {
		return x.token("name", word)
	}
	return x.token("beginning", word)
}

// strokes replaces letters that people type without their stroke or dot, and that Unicode
// does not decompose.
var strokes = strings.NewReplacer("ł", "l", "ø", "o", "đ", "d", "ħ", "h", "ŧ", "t", "ð", "d", "ı", "i", "æ", "ae", "œ", "oe", "þ", "th")

// Words splits a name into words for comparison: without case, accents, strokes and
// apostrophes, sorted, without duplicates.
func Words(name string) []string {
	var b strings.Builder
	for _, r := range strokes.Replace(cases.Fold().String(norm.NFKD.String(name))) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
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
	Decision    string        // the newest; may be ""
	Assignee    string        // ID of the user who works on it; "" for none
	Verdict     verdict.Level // of the newest report; "" for none
	CreatedAt   time.Time
	UpdatedAt   time.Time
	DecidedAt   time.Time // of the newest decision; 1970 for none
	RevisedAt   time.Time // when the service revised the newest report; 1970 for never
	Outdated    bool      // the newest decision was made on an older revision of the report

	Summary verdict.Summary // of the newest report; only Search sets it
	After   string          // cursor of the page that follows; only Search and Order set it
}

// Filter selects applications. The zero value selects all.
type Filter struct {
	State, Product, Outcome string
	Decision                string   // Undecided selects those without a decision
	Decisions               []string // all possible decisions
	AnyOf                   []Stage  // any of them; empty for all
	Decided                 bool     // only those with a decision
	Outdated                bool     // only those whose decision was made on an older revision
	Assignee                string   // ID of a user, or Unassigned
	Verdict                 string   // of the report, or Unreported
	From, To                time.Time
	DecidedFrom             time.Time // decided at or after
	Text                    string
	Whole                   bool // the words of Text are whole words of a name, not beginnings

	Sort       string // a Sort constant; "" is SortStarted
	Descending bool
	Assignees  []string // IDs of users in the order of SortAssigned
	After      string   // cursor of the page

	answered *bool // whether the request for more is answered; of a part of AnyOf
}

// Stage is how far an application is for its reviewers. An empty State or Decision is any.
type Stage struct {
	State, Decision string
	Answered        bool // the applicant gave what the decision asks for
}

// Values of a filter for applications without a decision, a user or a verdict.
const (
	Undecided  = "none"
	Unassigned = "none"
	Unreported = "none"
)

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

// Sweep deletes expired searches.
func (x *Index) Sweep(ctx context.Context) error { return x.DB.Tx(ctx, sweep) }
