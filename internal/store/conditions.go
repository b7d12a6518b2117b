package store

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Conditions builds the WHERE clause of a list, sorted by time, with its arguments. It
// runs no queries.
type Conditions struct {
	All  []string
	Args []any
}

// Arg adds an argument and returns its placeholder.
func (c *Conditions) Arg(v any) string {
	c.Args = append(c.Args, v)
	return "$" + strconv.Itoa(len(c.Args))
}

// Add adds a condition, replacing each %s with the placeholder of the next value.
func (c *Conditions) Add(condition string, values ...any) {
	in := make([]any, len(values))
	for i, v := range values {
		in[i] = c.Arg(v)
	}
	c.All = append(c.All, fmt.Sprintf(condition, in...))
}

// Equal adds the condition that a column equals v, unless v is "".
func (c *Conditions) Equal(column, v string) {
	if v != "" {
		c.Add(column+" = %s", v)
	}
}

// Word returns the SQL of one of the program's own words, such as a state: a constant. A statement
// with parameters is planned once for all values; with constants, the plan knows how rare they are.
func (c *Conditions) Word(v string) string {
	if strings.ContainsFunc(v, func(r rune) bool { return (r|0x20 < 'a' || r|0x20 > 'z') && r != '_' }) {
		return c.Arg(v)
	}
	return "'" + v + "'"
}

// EqualWord adds the condition that a column equals a word, as by Word, unless it is "".
func (c *Conditions) EqualWord(column, v string) {
	if v != "" {
		c.All = append(c.All, column+" = "+c.Word(v))
	}
}

// likeEscapes makes a text match itself in a LIKE pattern.
var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Contains returns the condition that one of some columns contains a text, in any case.
// SQLite ignores the case of ASCII letters only.
func (c *Conditions) Contains(text string, columns ...string) string {
	pattern := c.Arg("%" + likeEscapes.Replace(strings.ToLower(text)) + "%")
	var all []string
	for _, column := range columns {
		all = append(all, "lower("+column+") LIKE "+pattern+` ESCAPE '\'`)
	}
	return "(" + strings.Join(all, " OR ") + ")"
}

// In returns the condition that a column equals one of some values; false for none.
func (c *Conditions) In(column string, values []string) string {
	if len(values) == 0 {
		return "1 = 0"
	}
	list, args := InList(len(c.Args)+1, values)
	c.Args = append(c.Args, args...)
	return column + " IN " + list
}

// Days adds the first and the last day of a column, if not zero.
func (c *Conditions) Days(column string, from, to time.Time) {
	if !from.IsZero() {
		c.Add(column+" >= %s", Micros(from))
	}
	if !to.IsZero() {
		c.Add(column+" < %s", Micros(to.AddDate(0, 0, 1)))
	}
}

// DayNumber returns the SQL of the whole days from the beginning of a day, in the argument since,
// to a column's instant within a year. The days are those of from's time zone: some have 23 or 25 hours.
func DayNumber(column, since string, from time.Time) string {
	sql, end := column+" - "+since, from.AddDate(1, 0, 1)
	for _, at := from.ZoneBounds(); !at.IsZero() && at.Before(end); _, at = at.ZoneBounds() {
		_, before := at.Add(-1).Zone()
		_, after := at.Zone()
		sql += fmt.Sprintf(" + CASE WHEN %s >= %d THEN %d ELSE 0 END", column, Micros(at), (after-before)*1_000_000)
	}
	return "(" + sql + ") / 86400000000"
}

// After adds the condition that rows follow the cursor in a list from newest to
// oldest, unless the cursor is zero.
func (c *Conditions) After(at, id string, cursor Cursor) {
	if !cursor.At.IsZero() {
		c.Add("("+at+", "+id+") < (%s, %s)", cursor.Micros(), cursor.ID)
	}
}

// Before adds the condition that rows follow the cursor in a list from oldest to newest,
// unless the cursor is zero.
func (c *Conditions) Before(at, id string, cursor Cursor) {
	if !cursor.At.IsZero() {
		c.Add("("+at+", "+id+") > (%s, %s)", cursor.Micros(), cursor.ID)
	}
}

// Where returns the WHERE clause of all conditions, or "" without conditions.
func (c *Conditions) Where() string {
	if len(c.All) == 0 {
		return ""
	}
	return "WHERE " + strings.Join(c.All, " AND ")
}
