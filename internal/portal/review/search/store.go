package search

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/store"
)

// put inserts or updates an application's row, with the summary of its newest report unless that is nil. It returns the
// time of the report that the row's summary is of.
func put(ctx context.Context, q store.Queryer, v *store.Vault, a applications.Application, s *verdict.Summary) (of time.Time, err error) {
	j, at, level, summary := a.Journey, int64(0), "", ""
	var sealed []byte
	if s != nil {
		level, at, summary = string(s.Verdict), store.Micros(a.Report.At), `, verdict = excluded.verdict, summary = excluded.summary,
			report_at = excluded.report_at`
		if sealed, err = sealSummary(ctx, q, v, a, *s); err != nil {
			return of, err
		}
	}
	err = q.QueryRowContext(ctx, `INSERT INTO review_index (application_id, data_key, product, mode, external_id, external_key, public_token,
			state, outcome, attempt, decision, has_report, named, created_at, updated_at, version, revised_at,
			outdated, answered, decided_at, verdict, summary, report_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $18, $11, TRUE, $12, $13, $14, $15, $16, $17, $19, $20, $21, $22)
		ON CONFLICT (application_id) DO UPDATE SET mode = excluded.mode,
		external_key = excluded.external_key, public_token = excluded.public_token,
			state = excluded.state, outcome = excluded.outcome, attempt = excluded.attempt,
			has_report = excluded.has_report, updated_at = excluded.updated_at, revised_at = excluded.revised_at,
			outdated = excluded.outdated, answered = excluded.answered, decision = excluded.decision,
			decided_at = excluded.decided_at`+summary+`
		RETURNING report_at`,
		a.ID, a.DataKey(), string(a.Product), string(a.Mode), a.ExternalID, externalKey(a.ExternalID), j.PublicToken,
		string(j.State), string(j.Outcome()), int64(j.Attempt),
		a.HasReport(), store.Micros(a.CreatedAt), store.Micros(a.UpdatedAt), int64(version), store.MicrosOrZero(a.Report.RevisedAt),
		a.Decision.Outdated, a.Decision.Answered(), a.Decision.Kind, store.MicrosOrZero(a.Decision.At), level, sealed, at).Scan(&at)
	return store.Time(at), err
}

func summaryCell(id string) store.Cell {
	return store.Cell{Table: "review_index", Column: "summary", Row: id}
}

// sealSummary encrypts a summary; nil without a verdict.
func sealSummary(ctx context.Context, q store.Queryer, v *store.Vault, a applications.Application, s verdict.Summary) ([]byte, error) {
	if s.Verdict == "" {
		return nil, nil
	}
	plain, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return v.Seal(ctx, q, a.DataKey(), summaryCell(a.ID), plain)
}

// summaries adds the summaries of their reports to rows.
func (x *Index) summaries(ctx context.Context, q store.Queryer, rows []Found) error {
	var c store.Conditions
	var in []string
	at := map[string]int{}
	for i, e := range rows {
		if e.Verdict != "" {
			in = append(in, c.Arg(e.ID))
			at[e.ID] = i
		}
	}
	if len(in) == 0 {
		return nil
	}
	type sealedSummary struct {
		id, dataKey     string
		sealed, wrapped []byte
	}
	all, err := store.QueryAll(ctx, q, func(row store.Row) (s sealedSummary, err error) {
		return s, row.Scan(&s.id, &s.dataKey, &s.sealed, &s.wrapped)
	}, `SELECT i.application_id, i.data_key, i.summary, k.wrapped FROM review_index i JOIN data_keys k ON k.id = i.data_key
		WHERE i.application_id IN (`+strings.Join(in, ", ")+`) AND i.summary IS NOT NULL`, c.Args...)
	if err != nil {
		return err
	}
	for _, s := range all {
		open, err := x.DB.Vault.Unwrap(q, s.dataKey, s.wrapped)
		if err != nil {
			return err
		}
		plain, err := open.Open(summaryCell(s.id), s.sealed)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(plain, &rows[at[s.id]].Summary); err != nil {
			return errors.New("search: a summary cannot be read")
		}
	}
	return nil
}

// insertTokens inserts the tokens of an application that are not stored yet.
func insertTokens(ctx context.Context, q store.Queryer, tokens [][]byte, created time.Time, id string) error {
	if len(tokens) == 0 {
		return nil
	}
	rows, args := "", []any{store.Micros(created), id}
	for i := range store.PadCount(len(tokens)) {
		rows += fmt.Sprintf(",($1,$2,$%d)", len(args)+1)
		args = append(args, tokens[min(i, len(tokens)-1)])
	}
	return store.Exec(q.ExecContext(ctx, `INSERT INTO review_tokens (created_at, application_id, token) VALUES `+rows[1:]+
		` ON CONFLICT DO NOTHING`, args...))
}

// outdated lists applications that were indexed by older rules.
func outdated(ctx context.Context, q store.Queryer, limit int) ([]string, error) {
	return store.QueryAll(ctx, q, store.ScanOne[string], `SELECT application_id FROM review_index WHERE version < $1
		ORDER BY version LIMIT $2`, int64(version), int64(limit))
}

// setVersion marks an application as indexed by the present rules.
func setVersion(ctx context.Context, q store.Queryer, id string) error {
	return store.Exec(q.ExecContext(ctx, `UPDATE review_index SET version = $2, named = TRUE WHERE application_id = $1`, id, int64(version)))
}

func searchCell(handle string) store.Cell {
	return store.Cell{Table: "review_searches", Column: "query", Row: handle}
}

// SaveSearch stores the text of a user's search under a handle for SearchLife.
func (x *Index) SaveSearch(ctx context.Context, q store.Queryer, handle, reviewerID, text string) error {
	sealed, err := x.DB.Vault.Seal(ctx, q, store.SystemKey, searchCell(handle), []byte(text))
	if err != nil {
		return err
	}
	return store.Exec(q.ExecContext(ctx, `INSERT INTO review_searches (handle, user_id, query, expires_at) VALUES ($1, $2, $3, $4)`,
		handle, reviewerID, sealed, store.Micros(x.Now().Add(SearchLife))))
}

// SavedSearch returns the search text of a handle, or ErrNotFound if the search has expired
// or belongs to another user.
func (x *Index) SavedSearch(ctx context.Context, q store.Queryer, handle, reviewerID string) (string, error) {
	var sealed []byte
	err := q.QueryRowContext(ctx, `SELECT query FROM review_searches WHERE handle = $1 AND user_id = $2 AND expires_at > $3`,
		handle, reviewerID, store.Micros(x.Now())).Scan(&sealed)
	if err != nil {
		return "", store.MapNotFound(err)
	}
	plain, err := x.DB.Vault.Open(ctx, q, store.SystemKey, searchCell(handle), sealed)
	return string(plain), err
}

const entryColumns = `i.application_id, i.data_key, i.product, i.mode, i.external_id, i.public_token, i.state,
	i.outcome, i.attempt, i.has_report, i.decision, i.assignee, i.verdict, i.created_at, i.updated_at, i.decided_at,
	i.revised_at, i.outdated`

func scanEntry(row store.Row) (Found, error) {
	var e Found
	var attempt, created, updated, decided, revised int64
	err := row.Scan(&e.ID, &e.DataKey, &e.Product, &e.Mode, &e.ExternalID, &e.PublicToken, &e.State, &e.Outcome, &attempt, &e.HasReport,
		&e.Decision, &e.Assignee, &e.Verdict, &created, &updated, &decided, &revised, &e.Outdated)
	e.RevisedAt = store.Time(revised)
	e.Attempt, e.CreatedAt, e.UpdatedAt, e.DecidedAt = int(attempt), store.Time(created), store.Time(updated), store.Time(decided)
	return e, store.MapNotFound(err)
}

// Find returns the row of an application, or ErrNotFound.
func Find(ctx context.Context, q store.Queryer, id string) (Found, error) {
	return scanEntry(q.QueryRowContext(ctx, `SELECT `+entryColumns+` FROM review_index i WHERE i.application_id = $1`, id))
}

// byIDs returns those of some applications that a filter selects apart from its text.
func byIDs(ctx context.Context, q store.Queryer, ids []string, f Filter) ([]Found, error) {
	var c store.Conditions
	in := make([]string, len(ids))
	for i, id := range ids {
		in[i] = c.Arg(id)
	}
	c.All = []string{"i.application_id IN (" + strings.Join(in, ", ") + ")"}
	f.addConditions(&c)
	c.Days("i.created_at", f.From, f.To)
	return store.QueryAll(ctx, q, scanEntry, `SELECT `+entryColumns+` FROM review_index i `+c.Where(), c.Args...)
}

// selectRows returns the first results of a filter after a row, in the order of the time that
// it sorts by. A database index answers each arm of the query in that order, so each arm
// ends after limit rows.
func (x *Index) selectRows(ctx context.Context, q store.Queryer, f Filter, after store.Cursor, limit int) ([]Found, error) {
	b := &unionQuery{f: f, after: after, limit: limit}
	if f.Text == "" {
		for _, c := range f.indexParts() {
			b.add(`review_index i`, `i.created_at`, `i.application_id`, c)
		}
	} else if err := x.addTextConditions(ctx, q, b); err != nil {
		return nil, err
	}
	if len(b.all) == 0 {
		return nil, nil
	}
	// CROSS JOIN fixes the join order; otherwise SQLite may scan all applications.
	return store.QueryAll(ctx, q, scanEntry, `SELECT `+entryColumns+` FROM (SELECT id, at FROM (`+strings.Join(b.all, " UNION ")+`) AS b
		ORDER BY at `+b.order()+`, id `+b.order()+` LIMIT `+strconv.Itoa(limit)+`) AS f CROSS JOIN review_index i
		WHERE i.application_id = f.id ORDER BY f.at `+b.order()+`, f.id `+b.order(), b.c.Args...)
}

// unionQuery holds the arms of one query, which share their arguments. Limits are constants, so that
// PostgreSQL does not plan for a tenth of all rows.
type unionQuery struct {
	f     Filter
	after store.Cursor
	limit int
	c     store.Conditions
	all   []string
}

// order returns the direction in which the query sorts.
func (b *unionQuery) order() string {
	if b.f.ascends() {
		return "ASC"
	}
	return "DESC"
}

// add adds an arm: the first matching rows of a source, in order.
func (b *unionQuery) add(from, created, id string, fit func(*store.Conditions)) {
	b.c.All = nil
	fit(&b.c)
	b.c.Days(created, b.f.From, b.f.To)
	at := created
	if b.f.Sort == SortDecided || !b.f.DecidedFrom.IsZero() {
		b.c.All = append(b.c.All, `i.decided_at > 0`) // as review_index_decided_at
	}
	if b.f.Sort == SortDecided {
		at = `i.decided_at`
	}
	if b.f.ascends() && !b.after.At.IsZero() {
		b.c.Add("("+at+", "+id+") > (%s, %s)", b.after.Micros(), b.after.ID)
	} else {
		b.c.After(at, id, b.after)
	}
	b.all = append(b.all, `SELECT * FROM (SELECT `+id+` AS id, `+at+` AS at FROM `+from+` `+b.c.Where()+
		` ORDER BY `+at+` `+b.order()+`, `+id+` `+b.order()+` LIMIT `+strconv.Itoa(b.limit)+`) AS a`)
}

// indexParts splits the filter into parts that an index can answer. A filter on two
// columns has one part for each value of the third.
func (f Filter) indexParts() []func(*store.Conditions) {
	// Few applications, in an index of their own or in the order of an index.
	if f.Outdated || f.Assignee != "" && f.Assignee != Unassigned || !f.DecidedFrom.IsZero() || f.Sort == SortDecided {
		return []func(*store.Conditions){f.addConditions}
	}
	if parts := f.singleValueFilters(); parts != nil {
		var out []func(*store.Conditions)
		for _, part := range parts {
			out = append(out, part.indexParts()...)
		}
		return out
	}
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
		return []func(*store.Conditions){f.addConditions}
	}
	these := states()
	if f.Outcome != "" {
		these = outcomeStates[contract.Outcome(f.Outcome)]
	}
	var out []func(*store.Conditions)
	for _, state := range these {
		for _, product := range contract.Products() {
			for _, decided := range append([]string{Undecided}, f.Decisions...) {
				if f.State != "" && f.State != state || f.Product != "" && f.Product != string(product) || f.Decision != "" && f.Decision != decided {
					continue
				}
				out = append(out, func(c *store.Conditions) {
					c.EqualWord("i.state", state)
					c.EqualWord("i.product", string(product))
					c.All = append(c.All, "i.decision = "+c.Word(decision(decided)))
					c.EqualWord("i.outcome", f.Outcome)
					f.addValueConditions(c)
				})
			}
		}
	}
	return out
}

// singleValueFilters splits a filter of several states or decisions into filters of one; nil if it
// already is one.
func (f Filter) singleValueFilters() []Filter {
	var out []Filter
	one := f
	switch {
	case len(f.AnyOf) > 0:
		for _, s := range f.AnyOf {
			one := f
			one.AnyOf, one.State, one.Decision = nil, cmp.Or(s.State, f.State), cmp.Or(s.Decision, f.Decision)
			if s.Decision != "" && s.Decision != Undecided {
				one.answered = &s.Answered
			}
			if (f.State == "" || f.State == one.State) && (f.Decision == "" || f.Decision == one.Decision) {
				out = append(out, one)
			}
		}
	case f.Decided:
		one.Decided = false
		for _, d := range f.Decisions {
			if f.Decision == "" || f.Decision == d {
				one.Decision = d
				out = append(out, one)
			}
		}
	default:
		return nil
	}
	if out == nil {
		return []Filter{} // the conditions exclude each other
	}
	return out
}

// outcomeStates lists the states that an application with an outcome can have.
var outcomeStates = map[contract.Outcome][]string{
	contract.OutcomeSuccess: {string(journey.Pending), string(journey.Ready), string(journey.Failed)},
	contract.OutcomeExit:    {string(journey.Exited)},
	contract.OutcomeError:   {string(journey.Failed)},
}

// addConditions adds the filter's conditions other than its text.
func (f Filter) addConditions(c *store.Conditions) {
	c.EqualWord("i.state", f.State)
	c.EqualWord("i.product", f.Product)
	c.EqualWord("i.outcome", f.Outcome)
	f.addValueConditions(c)
	if len(f.AnyOf) > 0 {
		var any []string
		for _, s := range f.AnyOf {
			one := store.Conditions{Args: c.Args}
			one.EqualWord("i.state", s.State)
			switch s.Decision {
			case "":
			case Undecided:
				one.Add("i.decision = ''")
			default:
				one.EqualWord("i.decision", s.Decision)
				one.Add("i.answered = %s", s.Answered)
			}
			any, c.Args = append(any, strings.Join(one.All, " AND ")), one.Args
		}
		c.All = append(c.All, "("+strings.Join(any, " OR ")+")")
	}
	if f.Decided {
		c.Add("i.decision <> ''")
	}
	if !f.DecidedFrom.IsZero() {
		c.Add("i.decided_at >= %s", store.Micros(f.DecidedFrom))
	}
	if f.Decision == Undecided {
		c.Add("i.decision = ''")
	} else {
		c.EqualWord("i.decision", f.Decision)
	}
}

// addValueConditions adds the conditions on the user, the verdict and the newest decision.
func (f Filter) addValueConditions(c *store.Conditions) {
	if f.Outdated {
		c.Add("i.outdated = TRUE")
	}
	if f.answered != nil {
		c.Add("i.answered = %s", *f.answered)
	}
	for _, v := range [][2]string{{"i.assignee", f.Assignee}, {"i.verdict", f.Verdict}} {
		if v[1] == Unassigned || v[1] == Unreported {
			c.Add(v[0] + " = ''")
		} else {
			c.EqualWord(v[0], v[1])
		}
	}
	if f.Assignee != "" && f.Assignee != Unassigned {
		c.All = append(c.All, `i.assignee <> ''`) // as review_index_assigned
	}
}

// addTextConditions adds an arm for each meaning of a text: an ID, a publicToken, a
// prefix of an external ID, an email address, or the beginnings of a name's words.
func (x *Index) addTextConditions(ctx context.Context, q store.Queryer, b *unionQuery) error {
	text := b.f.Text
	if contract.IsUUID(text) {
		b.add(`review_index i`, `i.created_at`, `i.application_id`, func(c *store.Conditions) {
			c.Add("i.application_id = %s", strings.ToLower(text))
			b.f.addConditions(c)
		})
		b.add(`review_index i`, `i.created_at`, `i.application_id`, func(c *store.Conditions) {
			c.Add("i.public_token IN (%s, %s)", text, strings.ToLower(text))
			b.f.addConditions(c)
		})
	}
	from := externalKey(text)
	to := slices.Clone(from)
	to[len(to)-1]++ // cannot overflow: UTF-8 never contains the byte 0xff
	b.add(`(SELECT application_id AS id FROM review_index WHERE external_key >= `+b.c.Arg(from)+` AND external_key < `+b.c.Arg(to)+
		` ORDER BY external_key, application_id LIMIT `+strconv.Itoa(maxPrefixMatches)+`) AS e CROSS JOIN review_index i`,
		`i.created_at`, `i.application_id`, func(c *store.Conditions) {
			c.Add("i.application_id = e.id")
			b.f.addConditions(c)
		})
	var tokens [][]byte
	if strings.Contains(text, "@") {
		tokens = [][]byte{x.token("email", mail.NormalizeAddress(text))}
	} else {
		for _, w := range Words(text) {
			tokens = append(tokens, x.wordToken(w, b.f.Whole))
		}
	}
	rarest, err := x.rarestToken(ctx, q, tokens)
	if err != nil || rarest < 0 {
		return err
	}
	b.add(`review_tokens t CROSS JOIN review_index i`, `t.created_at`, `t.application_id`, func(c *store.Conditions) {
		c.Add("t.token = %s AND i.application_id = t.application_id", tokens[rarest])
		for i, token := range tokens {
			if i != rarest {
				c.Add("EXISTS (SELECT 1 FROM review_tokens u WHERE u.token = %s AND u.created_at "+
					"= t.created_at AND u.application_id = t.application_id)", token)
			}
		}
		b.f.addConditions(c)
	})
	return nil
}

// rarestToken returns the index of the token with the fewest applications, counted up to
// 1000, or -1 without tokens and if one of several tokens has no application.
func (x *Index) rarestToken(ctx context.Context, q store.Queryer, tokens [][]byte) (int, error) {
	if len(tokens) < 2 {
		return len(tokens) - 1, nil
	}
	var c store.Conditions
	var counts []string
	for i, t := range tokens {
		counts = append(counts, fmt.Sprintf(`SELECT %d AS i, COUNT(*) AS n FROM (SELECT 1 FROM review_tokens WHERE token = %s LIMIT 1000) AS t`,
			i, c.Arg(t)))
	}
	best, n := -1, 0
	err := q.QueryRowContext(ctx, strings.Join(counts, ` UNION ALL `)+` ORDER BY n, i LIMIT 1`, c.Args...).Scan(&best, &n)
	if n == 0 {
		best = -1
	}
	return best, err
}

// Count counts the applications of a filter without a text, up to MaxCounted.
func (x *Index) Count(ctx context.Context, q store.Queryer, f Filter) (n int, err error) {
	b := &unionQuery{f: f, limit: MaxCounted}
	for _, c := range f.indexParts() {
		b.add(`review_index i`, `i.created_at`, `i.application_id`, c)
	}
	if len(b.all) == 0 {
		return 0, nil
	}
	err = q.QueryRowContext(ctx, `SELECT COUNT(*) FROM (SELECT id FROM (`+strings.Join(b.all, " UNION ")+`) AS b LIMIT `+
		strconv.Itoa(MaxCounted)+`) AS n`, b.c.Args...).Scan(&n)
	return n, err
}

// Assign sets the user who works on an application, "" for none, or returns ErrNotFound.
func Assign(ctx context.Context, q store.Queryer, applicationID, userID string) error {
	changed, err := store.ExecOne(q.ExecContext(ctx, `UPDATE review_index SET assignee = $2 WHERE application_id = $1`, applicationID, userID))
	if err == nil && !changed {
		err = store.ErrNotFound
	}
	return err
}

// Position is an application's position in the order of last activity.
type Position struct {
	Micros      int64 // time of its last activity
	Application string
}

// Inactive selects applications without activity.
type Inactive string

// What Inactive selects besides the time. Reviewers' work keeps an application that has no report.
const (
	Any           Inactive = ""
	WithoutReport Inactive = ` AND state IN ('started', 'connecting', 'returned', 'pending', 'failed', 'exited', 'expired')
		AND NOT has_report AND decision = ''`
	// Unstarted applications come from the form, and their applicant has not opened a visit.
	Unstarted Inactive = ` AND state IN ('started', 'connecting') AND NOT has_report AND decision = '' AND assignee = ''
		AND EXISTS (SELECT 1 FROM applications a WHERE a.id = application_id AND a.origin = 'web')
		AND NOT EXISTS (SELECT 1 FROM application_attempts t WHERE t.application_id = review_index.application_id
			AND (t.opened OR t.token_until > $1))`
)

// Before lists applications without activity since an instant, oldest first, starting after a
// place.
func (i Inactive) Before(ctx context.Context, q store.Queryer, since time.Time, behind Position, limit int) ([]Position, error) {
	return store.QueryAll(ctx, q, store.Columns(func(p *Position) []any {
		return []any{&p.Micros, &p.Application}
	}), `SELECT updated_at, application_id FROM review_index
		WHERE updated_at < $1 AND (updated_at > $2 OR updated_at = $2 AND application_id > $3)`+string(i)+`
		ORDER BY updated_at, application_id LIMIT $4`,
		store.Micros(since), behind.Micros, behind.Application, int64(limit))
}

// Is reports whether an application has been without activity since an instant.
func (i Inactive) Is(ctx context.Context, q store.Queryer, since time.Time, id string) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM review_index WHERE updated_at < $1 AND application_id = $2`+string(i),
		store.Micros(since), id).Scan(&n)
	return n == 1, err
}

// Forget deletes an application from the index. It also deletes all open searches,
// since their texts may contain the name.
func Forget(ctx context.Context, tx *store.Tx, id string) error {
	if err := store.ExecEach(ctx, tx, id, `DELETE FROM review_index WHERE application_id = $1`,
		`DELETE FROM review_tokens WHERE application_id = $1`); err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM review_searches`))
}

// sweep deletes expired searches.
func sweep(ctx context.Context, tx *store.Tx) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM review_searches WHERE expires_at <= $1`, store.Micros(tx.Now)))
}

// DayCount is the number of applications of a day that share a state.
type DayCount struct {
	Day     int // whole days from the beginning to the application's start
	State   string
	Decided bool
	Count   int
}

// CountDays counts the applications of a period by day.
func CountDays(ctx context.Context, q store.Queryer, in applications.Period) ([]DayCount, error) {
	day := store.DayNumber("created_at", "$1", in.From)
	return store.QueryAll(ctx, q, func(row store.Row) (c DayCount, err error) {
		return c, row.Scan(&c.Day, &c.State, &c.Decided, &c.Count)
	}, `SELECT `+day+` AS day, state, decision <> '' AS decided, COUNT(*)
		FROM review_index WHERE created_at >= $1 AND created_at < $2 AND ($3 = '' OR product = $3)
		GROUP BY `+day+`, state, decision <> ''`, store.Micros(in.From), store.Micros(in.To), string(in.Product))
}
