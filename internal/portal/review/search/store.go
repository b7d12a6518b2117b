package search

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/password"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/listing"
	"vestibule/internal/store"
)

// put adds an application's row to the index, or moves it.
func put(ctx context.Context, q store.Queryer, a applications.Application, key []byte) error {
	j := a.Journey
	_, err := q.ExecContext(ctx, `INSERT INTO review_index (application_id, data_key, product, mode, external_id, external_key, public_token,
			state, outcome, attempt, decision, has_report, named, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '', $11, TRUE, $12, $13)
		ON CONFLICT (application_id) DO UPDATE SET mode = excluded.mode, external_key = excluded.external_key, public_token = excluded.public_token,
			state = excluded.state, outcome = excluded.outcome, attempt = excluded.attempt, has_report = excluded.has_report, updated_at = excluded.updated_at`,
		a.ID, a.DataKey(), string(a.Product), string(a.Mode), a.ExternalID, key, j.PublicToken, string(j.State), string(j.Outcome()), int64(j.Attempt),
		a.HasReport(), store.Micros(a.CreatedAt), store.Micros(a.UpdatedAt))
	return err
}

func insertToken(ctx context.Context, q store.Queryer, token []byte, created time.Time, id string) error {
	_, err := q.ExecContext(ctx, `INSERT INTO review_tokens (token, created_at, application_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		token, store.Micros(created), id)
	return err
}

// Unnamed lists applications that are older than the index.
func Unnamed(ctx context.Context, q store.Queryer, limit int) ([]string, error) {
	return texts(q.QueryContext(ctx, `SELECT application_id FROM review_index WHERE named = FALSE LIMIT $1`, int64(limit)))
}

// SetNamed says that one of them is in the index as it is to be.
func SetNamed(ctx context.Context, q store.Queryer, id string) error {
	_, err := q.ExecContext(ctx, `UPDATE review_index SET named = TRUE WHERE application_id = $1`, id)
	return err
}

func searchCell(handle string) store.Cell {
	return store.Cell{Table: "review_searches", Column: "query", Row: handle}
}

func (x *Index) Keep(ctx context.Context, q store.Queryer, handle, reviewerID, text string) error {
	sealed, err := x.DB.Vault.Seal(ctx, q, store.SystemKey, searchCell(handle), []byte(text))
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, `INSERT INTO review_searches (handle, reviewer_id, query, expires_at) VALUES ($1, $2, $3, $4)`,
		handle, reviewerID, sealed, store.Micros(x.Now().Add(SearchLife)))
	return err
}

// Kept is what somebody looks for under a handle, or ErrNotFound when that is
// over, or somebody else's.
func (x *Index) Kept(ctx context.Context, q store.Queryer, handle, reviewerID string) (string, error) {
	var sealed []byte
	err := q.QueryRowContext(ctx, `SELECT query FROM review_searches WHERE handle = $1 AND reviewer_id = $2 AND expires_at > $3`,
		handle, reviewerID, store.Micros(x.Now())).Scan(&sealed)
	if err != nil {
		return "", store.MapNotFound(err)
	}
	plain, err := x.DB.Vault.Open(ctx, q, store.SystemKey, searchCell(handle), sealed)
	return string(plain), err
}

const entryColumns = `i.application_id, i.data_key, i.product, i.mode, i.external_id, i.public_token, i.state, i.outcome, i.attempt, i.has_report,
	i.decision, i.created_at, i.updated_at`

func scanEntry(row interface{ Scan(...any) error }) (Found, error) {
	var e Found
	var attempt, created, updated int64
	err := row.Scan(&e.ID, &e.DataKey, &e.Product, &e.Mode, &e.ExternalID, &e.PublicToken, &e.State, &e.Outcome, &attempt, &e.HasReport,
		&e.Decision, &created, &updated)
	e.Attempt, e.CreatedAt, e.UpdatedAt = int(attempt), store.Time(created), store.Time(updated)
	return e, store.MapNotFound(err)
}

// Of is the row of an application, or ErrNotFound.
func Of(ctx context.Context, q store.Queryer, id string) (Found, error) {
	return scanEntry(q.QueryRowContext(ctx, `SELECT `+entryColumns+` FROM review_index i WHERE i.application_id = $1`, id))
}

// choose returns the first of what a filter chooses, newest first. Each arm of its
// query is answered by an index in the order that is wanted, and so ends after as
// many rows as are asked for, however many there are.
func (x *Index) choose(ctx context.Context, q store.Queryer, f Filter, limit int) ([]Found, error) {
	b := &arms{f: f, limit: limit}
	if f.Text == "" {
		for _, c := range f.cells() {
			b.add(`review_index i`, `i.created_at`, `i.application_id`, c)
		}
	} else if err := x.textual(ctx, q, b); err != nil {
		return nil, err
	}
	if len(b.all) == 0 {
		return nil, nil
	}
	// The order of the join is fixed, or SQLite may walk all applications for a few.
	rows, err := q.QueryContext(ctx, `SELECT `+entryColumns+` FROM (SELECT id, at FROM (`+strings.Join(b.all, " UNION ")+`) AS b
		ORDER BY at DESC, id DESC LIMIT `+b.c.Arg(int64(limit))+`) AS f CROSS JOIN review_index i WHERE i.application_id = f.id
		ORDER BY f.at DESC, f.id DESC`, b.c.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Found
	for rows.Next() {
		e, err := scanEntry(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, rows.Err()
}

// arms are the arms of one query, which share its values.
type arms struct {
	f     Filter
	limit int
	c     listing.Conditions
	all   []string
}

// add adds an arm: the first rows of a source, in order, that fit.
func (b *arms) add(from, at, id string, fit func(*listing.Conditions)) {
	b.c.All = nil
	fit(&b.c)
	b.c.Days(at, b.f.From, b.f.To)
	b.c.Before(at, id, b.f.Cursor)
	b.all = append(b.all, `SELECT * FROM (SELECT `+id+` AS id, `+at+` AS at FROM `+from+` `+b.c.Where()+
		` ORDER BY `+at+` DESC, `+id+` DESC LIMIT `+b.c.Arg(int64(b.limit))+`) AS a`)
}

// cells are the filter's parts, each of which an index answers. A filter of two
// columns is one part for each value of the third.
func (f Filter) cells() []func(*listing.Conditions) {
	decision := func(v string) string {
		if v == Undecided {
			return ""
		}
		return v
	}
	given := 0
	for _, v := range []string{f.State, f.Product, f.Decision, f.Outcome} {
		if v != "" {
			given++
		}
	}
	if given < 2 {
		return []func(*listing.Conditions){f.facets}
	}
	these := states()
	if f.Outcome != "" {
		these = outcomeStates[contract.Outcome(f.Outcome)]
	}
	var out []func(*listing.Conditions)
	for _, state := range these {
		for _, product := range contract.Products() {
			for _, decided := range append([]string{Undecided}, f.Decisions...) {
				if f.State != "" && f.State != state || f.Product != "" && f.Product != string(product) || f.Decision != "" && f.Decision != decided {
					continue
				}
				out = append(out, func(c *listing.Conditions) {
					c.Add("i.state = %s AND i.product = %s AND i.decision = %s", state, string(product), decision(decided))
					c.Equal("i.outcome", f.Outcome)
				})
			}
		}
	}
	return out
}

// outcomeStates are the states that an application of an outcome can be in.
var outcomeStates = map[contract.Outcome][]string{
	contract.OutcomeSuccess: {string(journey.Pending), string(journey.Ready), string(journey.Failed)},
	contract.OutcomeExit:    {string(journey.Exited)},
	contract.OutcomeError:   {string(journey.Failed)},
}

// facets adds what the filter wants besides its text.
func (f Filter) facets(c *listing.Conditions) {
	c.Equal("i.state", f.State)
	c.Equal("i.product", f.Product)
	c.Equal("i.outcome", f.Outcome)
	if f.Decision == Undecided {
		c.Add("i.decision = ''")
	} else {
		c.Equal("i.decision", f.Decision)
	}
}

// textual adds the arms of what a text can be: an id, a publicToken, the beginning
// of an external id, an e-mail address, or words of a name, all of them.
func (x *Index) textual(ctx context.Context, q store.Queryer, b *arms) error {
	text := b.f.Text
	if contract.IsUUID(text) {
		b.add(`review_index i`, `i.created_at`, `i.application_id`, func(c *listing.Conditions) {
			c.Add("i.application_id = %s", strings.ToLower(text))
			b.f.facets(c)
		})
		b.add(`review_index i`, `i.created_at`, `i.application_id`, func(c *listing.Conditions) {
			c.Add("i.public_token IN (%s, %s)", text, strings.ToLower(text))
			b.f.facets(c)
		})
	}
	from := externalKey(text)
	to := slices.Clone(from)
	to[len(to)-1]++ // never the highest byte, in UTF-8
	b.add(`(SELECT application_id AS id FROM review_index WHERE external_key >= `+b.c.Arg(from)+` AND external_key < `+b.c.Arg(to)+
		` ORDER BY external_key, application_id LIMIT `+b.c.Arg(int64(manyAlike))+`) AS e CROSS JOIN review_index i`, `i.created_at`, `i.application_id`, func(c *listing.Conditions) {
		c.Add("i.application_id = e.id")
		b.f.facets(c)
	})
	var tokens [][]byte
	if strings.Contains(text, "@") {
		tokens = [][]byte{x.token("email", password.Email(text))}
	} else {
		for _, w := range Words(text) {
			tokens = append(tokens, x.token("name", w))
		}
	}
	rarest, err := x.rarest(ctx, q, tokens)
	if err != nil || rarest < 0 {
		return err
	}
	b.add(`review_tokens t CROSS JOIN review_index i`, `t.created_at`, `t.application_id`, func(c *listing.Conditions) {
		c.Add("t.token = %s AND i.application_id = t.application_id", tokens[rarest])
		for i, token := range tokens {
			if i != rarest {
				c.Add("EXISTS (SELECT 1 FROM review_tokens u WHERE u.token = %s AND u.created_at = t.created_at AND u.application_id = t.application_id)", token)
			}
		}
		b.f.facets(c)
	})
	return nil
}

// rarest is which of the tokens the fewest applications have, as far as that
// matters; -1 where one of them is nobody's.
func (x *Index) rarest(ctx context.Context, q store.Queryer, tokens [][]byte) (int, error) {
	best, least := -1, math.MaxInt
	for i, t := range tokens {
		var n int
		if err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM review_tokens WHERE token = $1 LIMIT 1000) AS t`, t).Scan(&n); err != nil {
			return -1, err
		}
		if n == 0 {
			return -1, nil
		}
		if n < least {
			best, least = i, n
		}
	}
	return best, nil
}

// CountStates says how many applications are in each state, up to ManyCounted.
func CountStates(ctx context.Context, q store.Queryer) (map[string]int, error) {
	var c listing.Conditions
	var each []string
	for _, s := range states() {
		v := c.Arg(s)
		each = append(each, `SELECT CAST(`+v+` AS TEXT) AS state, COUNT(*) FROM (SELECT 1 FROM review_index WHERE state = `+v+` LIMIT `+c.Arg(int64(ManyCounted))+`) AS n`)
	}
	rows, err := q.QueryContext(ctx, strings.Join(each, " UNION ALL "), c.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]int{}
	for rows.Next() {
		var state string
		var n int
		if err := rows.Scan(&state, &n); err != nil {
			return nil, err
		}
		out[state] = n
	}
	return out, rows.Err()
}

// SetDecision has the index know the newest decision.
func SetDecision(ctx context.Context, q store.Queryer, applicationID, decision string) error {
	_, err := q.ExecContext(ctx, `UPDATE review_index SET decision = $2 WHERE application_id = $1`, applicationID, decision)
	return err
}

// Place is an application's among those that nothing has happened to for longest.
type Place struct {
	Micros      int64 // of when something last did
	Application string
}

// Untouched lists applications that nothing has happened to since an instant, the
// oldest first, those alone that come behind a place.
func Untouched(ctx context.Context, q store.Queryer, since time.Time, behind Place, limit int) ([]Place, error) {
	rows, err := q.QueryContext(ctx, `SELECT updated_at, application_id FROM review_index
		WHERE updated_at < $1 AND (updated_at > $2 OR updated_at = $2 AND application_id > $3) ORDER BY updated_at, application_id LIMIT $4`,
		store.Micros(since), behind.Micros, behind.Application, int64(limit))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Place
	for rows.Next() {
		var p Place
		if err := rows.Scan(&p.Micros, &p.Application); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

// texts are the values of a query's one column.
func texts(rows *sql.Rows, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// Forget deletes what an application is found by. Searches that are open may have
// the name, and end.
func Forget(ctx context.Context, tx *store.Tx, id string) error {
	for _, table := range []string{"review_index", "review_tokens"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE application_id = $1`, id); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM review_searches`)
	return err
}

// Sweep deletes the searches whose time is over.
func Sweep(ctx context.Context, q store.Queryer, now time.Time) error {
	_, err := q.ExecContext(ctx, `DELETE FROM review_searches WHERE expires_at <= $1`, store.Micros(now))
	return err
}
