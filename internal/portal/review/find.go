package review

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"vestibule/internal/door"
	"vestibule/internal/password"
	"vestibule/internal/store"
	"vestibule/internal/svc"
)

// Entry is what the desk is told of an application, whenever it is made or moves.
type Entry struct {
	ID          string
	DataKey     string // of its consumer
	Product     svc.Product
	Mode        string
	ExternalID  string
	PublicToken string
	State       string
	Outcome     svc.Outcome // "" while it has none
	Attempt     int
	HasReport   bool
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Applicant is what the desk knows somebody by.
type Applicant struct {
	FirstName, LastName, Email string
	Address                    []string // lines of it, for a letter
}

func (a Applicant) name() string { return strings.TrimSpace(a.FirstName + " " + a.LastName) }

// Prepare readies the desk: the key of its index is made at the first start. Call
// it before anything else.
func (d *Desk) Prepare(ctx context.Context) error {
	key, err := d.DB.Keep(ctx, "review-index", func() ([]byte, error) {
		key := make([]byte, 32)
		rand.Read(key)
		return key, nil
	})
	d.indexKey = key
	return err
}

// Index keeps what the desk finds an application by, in the transaction that makes
// or moves it.
func (d *Desk) Index(ctx context.Context, tx *sql.Tx, e Entry) error {
	return index(ctx, tx, e, externalKey(e.ExternalID))
}

// Name keeps whom the desk finds an application by, in the transaction that keeps
// what the applicant gave. Doing so again changes nothing.
func (d *Desk) Name(ctx context.Context, tx *sql.Tx, id string, created time.Time, a Applicant) error {
	for _, t := range d.tokens(a) {
		if err := insertToken(ctx, tx, t, created, id); err != nil {
			return err
		}
	}
	return nil
}

// token is a word as it stands in the index.
func (d *Desk) token(kind, word string) []byte {
	h := hmac.New(sha256.New, d.indexKey)
	h.Write([]byte(kind + "\x00" + word))
	return h.Sum(nil)[:16]
}

func (d *Desk) tokens(a Applicant) [][]byte {
	var out [][]byte
	for _, w := range words(a.FirstName + " " + a.LastName) {
		out = append(out, d.token("name", w))
	}
	if email := password.Email(a.Email); email != "" {
		out = append(out, d.token("email", email))
	}
	return out
}

// maxWords is how many words of a name count.
const maxWords = 12

// words are the words of a name as they are compared: without case, accents and
// apostrophes, in no order, each once.
func words(name string) []string {
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

// filter chooses applications. Its zero value is all.
type filter struct {
	state, product, outcome string
	decision                string // undecided is none
	from, to                time.Time
	find                    string // the handle of a search
	text                    string // what that is for
	cursor                  string
}

// undecided is the filter's word for applications without a decision.
const undecided = "none"

// readFilter reads a filter from an address or a form; false for values that no
// filter has.
func readFilter(q url.Values) (filter, bool) {
	f := filter{state: q.Get("state"), product: q.Get("product"), outcome: q.Get("outcome"), decision: q.Get("decision"), find: q.Get("find"), cursor: q.Get("after")}
	var ok1, ok2 bool
	f.from, ok1 = dayOf(q.Get("from"))
	f.to, ok2 = dayOf(q.Get("to"))
	return f, ok1 && ok2 && (f.state == "" || slices.Contains(states[:], f.state)) && (f.product == "" || svc.Product(f.product).Valid()) &&
		(f.outcome == "" || slices.Contains(outcomes[:], f.outcome)) &&
		(f.decision == "" || f.decision == undecided || slices.Contains(decisions[:], f.decision)) &&
		(f.find == "" || svc.IsUUID(f.find)) && len(f.cursor) <= 100
}

// url is the address of a page of what the filter chooses. Nothing personal is in
// it: what is looked for stands behind a handle.
func (f filter) url(after string) string {
	q := url.Values{}
	for name, v := range map[string]string{"state": f.state, "product": f.product, "outcome": f.outcome, "decision": f.decision,
		"from": isoDay(f.from), "to": isoDay(f.to), "find": f.find, "after": after} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if len(q) == 0 {
		return "/review"
	}
	return "/review?" + q.Encode()
}

// narrowed reports whether the filter leaves anything out.
func (f filter) narrowed() bool {
	f.cursor = ""
	return f != filter{}
}

const (
	maxText    = 200 // characters that are looked for
	searchLife = 30 * time.Minute
	manyAlike  = 1000 // external ids with one beginning that are looked at
)

// find takes what is looked for and leads to the page that shows it. It comes in a
// form, and goes on as a handle that is good for half an hour and for this person:
// names have no place in an address. A single hit is opened.
func (d *Desk) find(w http.ResponseWriter, r *http.Request, by person) error {
	form, err := door.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	f, ok := readFilter(form)
	f.text, f.find, f.cursor = strings.TrimSpace(form.Get("query")), "", ""
	if !ok || !plain(f.text, 0, maxText) {
		return door.Fail(svc.CodeMalformedBody, errors.New("no such filter"))
	}
	if f.text == "" {
		door.See(w, f.url(""))
		return nil
	}
	found, _, err := d.look(r.Context(), f, 2)
	if err != nil {
		return err
	}
	f.find = uuid.NewString()
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *sql.Tx) error {
		if err := d.keepSearch(ctx, tx, f.find, by.id, f.text); err != nil {
			return err
		}
		return d.write(ctx, tx, auditLine{actor: by.id, action: searched, detail: kindOf(f.text)})
	})
	if err != nil {
		return err
	}
	if len(found) == 1 {
		door.See(w, "/review/applications/"+found[0].ID)
		return nil
	}
	door.See(w, f.url(""))
	return nil
}

// toList leads whoever reloads the address of the form to the list.
func (d *Desk) toList(w http.ResponseWriter, _ *http.Request, _ person) error {
	door.See(w, "/review")
	return nil
}

// kindOf is what a text can be, for the audit trail, which is not told the text.
func kindOf(text string) string {
	switch {
	case svc.IsUUID(text):
		return "id"
	case strings.Contains(text, "@"):
		return "email"
	}
	return "words"
}

// look returns what a filter chooses, newest first, and where the next page begins.
func (d *Desk) look(ctx context.Context, f filter, limit int) (page []entry, next string, err error) {
	err = d.DB.Read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		page, err = d.choose(ctx, tx, f, limit+1)
		return err
	})
	if err != nil || len(page) <= limit {
		return page, "", err
	}
	last := page[limit-1]
	return page[:limit], writeCursor(store.Micros(last.CreatedAt), last.ID), nil
}

// entry is a row of the index.
type entry struct {
	Entry
	decision string
}
