package console

import (
	"context"
	"maps"

	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// LogFilter selects entries of the audit log.
type LogFilter struct {
	staff.EntryFilter
	Account string            // of the users
	Text    string            // words to search for
	Names   map[string]string // of actors that are not users
	Actions map[string]string // words of actions, by code
	Size    int               // entries on a page
}

// Log is a page of the audit log.
type Log struct {
	Users []staff.User // to filter by
	User  *staff.User  // of the filter; nil for none
	Lines []Line       // newest first
	Count int          // of entries
	Next  string       // cursor of the next page; "" after the last
}

// Line is a line of the audit log: an entry with the older ones of its run.
type Line struct {
	staff.Entry
	By, Of string // names of Actor and Object; "" if they are not users
	More   []Line
}

// ReadLog reads a page of the audit log.
func ReadLog(ctx context.Context, q store.Queryer, s *staff.Service, f LogFilter) (l Log, err error) {
	if l.Users, err = s.Users(ctx, q, f.Account); err != nil {
		return l, err
	}
	names := map[string]string{}
	maps.Copy(names, f.Names)
	for i, u := range l.Users {
		names[u.ID] = u.Email
		if u.ID == f.Actor {
			l.User = &l.Users[i]
		}
	}
	f.Search(f.Text, names, f.Actions)
	all, err := s.Entries(ctx, q, f.EntryFilter, f.Size+1)
	if len(all) > f.Size {
		all = all[:f.Size]
		l.Next = store.Cursor{At: all[f.Size-1].At, ID: all[f.Size-1].ID}.String()
	}
	l.Count = len(all)
	l.Lines = staff.Lines(all, func(e staff.Entry, older []Line) Line { return Line{e, names[e.Actor], names[e.Object], older} })
	return l, err
}
