// Package listing is how the desk's lists come in pages, newest first: the conditions
// of a query with their values, and the cursor at which the next page begins. It asks
// no database.
package listing

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
)

// Conditions gathers the conditions of a query with their values.
type Conditions struct {
	All  []string
	Args []any
}

// Arg is the place of a value.
func (c *Conditions) Arg(v any) string {
	c.Args = append(c.Args, v)
	return "$" + strconv.Itoa(len(c.Args))
}

// Add adds a condition, with each %s in it for the next value.
func (c *Conditions) Add(condition string, values ...any) {
	in := make([]any, len(values))
	for i, v := range values {
		in[i] = c.Arg(v)
	}
	c.All = append(c.All, fmt.Sprintf(condition, in...))
}

// Equal adds what a column must be, unless that is "".
func (c *Conditions) Equal(column, v string) {
	if v != "" {
		c.Add(column+" = %s", v)
	}
}

// Days adds the first and the last day of a column, where they are given.
func (c *Conditions) Days(column string, from, to time.Time) {
	if !from.IsZero() {
		c.Add(column+" >= %s", store.Micros(from))
	}
	if !to.IsZero() {
		c.Add(column+" < %s", store.Micros(to.AddDate(0, 0, 1)))
	}
}

// Before adds where a page begins, newest first, if there is a cursor.
func (c *Conditions) Before(at, id, cursor string) {
	if t, last, ok := applications.ReadCursor(cursor); ok {
		c.Add("("+at+", "+id+") < (%s, %s)", t, last)
	}
}

// Where is the clause of all conditions; empty where there are none.
func (c *Conditions) Where() string {
	if len(c.All) == 0 {
		return ""
	}
	return "WHERE " + strings.Join(c.All, " AND ")
}
