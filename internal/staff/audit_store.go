package staff

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/store"
)

func (s *Service) insertEntry(ctx context.Context, tx *store.Tx, e Entry) error {
	changed, err := encodeValues(e.Values)
	if err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO audit (id, at, actor, action, subject_id, object, detail, changed, request_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
		e.ID, store.Micros(e.At), e.Actor, e.Action, e.Subject, e.Object, e.Detail, changed, e.RequestID))
}

// encodeValues returns the column of an entry's values; "" for none.
func encodeValues(all []Value) (string, error) {
	if len(all) == 0 {
		return "", nil
	}
	cut := func(s string) string {
		if len(s) > maxValue {
			s = strings.ToValidUTF8(s[:maxValue], "") + "…"
		}
		return s
	}
	var rows [][3]string
	for _, v := range all {
		rows = append(rows, [3]string{string(v.Setting), cut(v.Before), cut(v.After)})
	}
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // for searches
	err := e.Encode(rows)
	return strings.TrimSpace(out.String()), err
}

func decodeValues(changed string) (all []Value, err error) {
	if changed == "" {
		return nil, nil
	}
	var rows [][3]string
	err = json.Unmarshal([]byte(changed), &rows)
	for _, r := range rows {
		all = append(all, Value{Setting(r[0]), r[1], r[2]})
	}
	return all, err
}

// Entries returns the newest entries that a filter selects, at most limit.
func (s *Service) Entries(ctx context.Context, q store.Queryer, f EntryFilter, limit int) ([]Entry, error) {
	c := f.conditions()
	return store.QueryAll(ctx, q, scanEntry, `SELECT id, at, actor, action, subject_id, object, detail, changed, request_id FROM audit `+
		c.Where()+` ORDER BY at DESC, id DESC LIMIT `+strconv.Itoa(limit), c.Args...)
}

// CountEntries counts the entries that a filter selects, up to most.
func (s *Service) CountEntries(ctx context.Context, q store.Queryer, f EntryFilter, most int) (n int, err error) {
	c := f.conditions()
	err = q.QueryRowContext(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM audit `+c.Where()+` LIMIT `+strconv.Itoa(most)+`) AS n`,
		c.Args...).Scan(&n)
	return n, err
}

func (f EntryFilter) conditions() (c store.Conditions) {
	c.Equal("actor", f.Actor)
	c.Equal("action", f.Action)
	c.Equal("subject_id", f.Subject)
	for _, w := range f.words {
		c.All = append(c.All, "("+c.In("actor", w.users)+" OR "+c.In("object", w.users)+" OR "+c.In("action", w.actions)+
			" OR "+c.Contains(w.text, "object", "detail", "changed", "subject_id")+")")
	}
	c.Days("at", f.From, f.To)
	c.After("at", "id", f.After)
	return c
}

func scanEntry(row store.Row) (e Entry, err error) {
	var changed string
	if err = row.Scan(&e.ID, store.At(&e.At), &e.Actor, &e.Action, &e.Subject, &e.Object, &e.Detail, &changed, &e.RequestID); err != nil {
		return e, err
	}
	e.Values, err = decodeValues(changed)
	return e, err
}

// Actions lists the distinct actions of a subject's entries.
func (s *Service) Actions(ctx context.Context, q store.Queryer, subject string) ([]string, error) {
	return store.QueryAll(ctx, q, store.ScanOne[string], `SELECT DISTINCT action FROM audit WHERE subject_id = $1`, subject)
}

// DeleteEntries deletes, at most limit times, entries before an instant, except the
// last entry of each action of a subject, which Actions needs.
func (s *Service) DeleteEntries(ctx context.Context, tx *store.Tx, before time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM audit WHERE id IN (
		SELECT a.id FROM audit a WHERE a.at < $1 AND EXISTS (
			SELECT 1 FROM audit n WHERE n.subject_id = a.subject_id AND n.action = a.action AND (n.at > a.at OR n.at = a.at AND n.id > a.id))
		LIMIT $2)`, store.Micros(before), limit))
}
