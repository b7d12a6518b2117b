package corrections

import "slices"

// Standing is a correction for later reports about the same person, with the value that it
// corrected.
type Standing struct {
	Correction
	Found string `json:"found,omitempty"` // of an identity or an employer; empty: taken back or unknown
}

// Stand returns the corrections that later reports get: neither figures of a year nor what tells
// about a moment, such as payments that have ended.
func Stand(s Subject, made []Correction) (out []Standing) {
	for _, c := range made {
		if c.Target != Figures && c.Target != Dispute && c.Field != Ended {
			out = append(out, Standing{c, found(s, c)})
		}
	}
	return out
}

// Carry returns standing corrections for the data of a later report. ids has the later report's
// identifiers of accounts, owners and jobs by those of the earlier report. An identity and an employer
// are corrected only where the source still says what was wrong.
func Carry(s Subject, all []Standing, ids map[string]string) (out []Correction) {
	for _, x := range all {
		c := x.Correction
		id := &c.ID
		switch {
		case c.Target == Transaction:
			id = &c.Account
		case c.Target == Counterparty, c.Target == Statement, c.ID == Entered:
			id = nil
		}
		if id != nil {
			if *id = ids[*id]; *id == "" {
				continue
			}
		}
		if (c.Target == Identity || c.Target == Employer) && c.Value != "" && found(s, c) != x.Found {
			continue
		}
		out = append(out, c)
	}
	return out
}

// found returns what the data of an identity or an employer say in a field.
func found(s Subject, c Correction) string {
	for _, i := range append(people(s), employers(s)...) {
		if i.Target == c.Target && i.ID == c.ID {
			if n := slices.IndexFunc(i.Fields, func(f Field) bool { return f.Name == c.Field }); n >= 0 {
				return i.Fields[n].Found
			}
		}
	}
	return ""
}
