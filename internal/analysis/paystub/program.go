package paystub

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
)

// named reports whether a program's name contains one of the words: as a whole word or, if
// it has more than six letters, as the beginning of a word, as in "smallpdf.com".
func named(program string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return contains(program, w) || len(w) > 6 && (strings.HasPrefix(program, w) || strings.Contains(program, " "+w))
	})
}

// program checks the file's metadata about its program and times, and its structure.
func (d *Document) program() {
	in := &d.file.Info
	grave, some := false, false
	for _, p := range append([]string{in.Producer, in.Creator}, in.XMPPrograms...) {
		p = plain(p)
		switch printer := contains(p, "printer"); { // a printer only converts what another program prints
		case named(p, wordList("editing program")):
			grave, some = grave || !printer, true
		case named(p, wordList("splitting program")):
			some = true
		}
		for _, w := range wordList("office program") {
			some = some || p == w || strings.HasPrefix(p, w+" ")
		}
	}
	if grave || some {
		d.find(EditorProducer, grave)
	}
	for _, u := range d.file.Updates {
		if u.Content || !u.Signed { // a signature brings a form field with it
			d.find(IncrementalUpdate, u.Content)
		}
	}
	if d.file.Repaired {
		d.find(FileRepaired, true)
	}
	if d.file.Encrypted {
		d.find(FileEncrypted, false)
	}
	if d.file.Active {
		d.find(ActiveContent, false)
	}
	if in.AnnotationText || in.FieldValues {
		d.find(TextInAnnotation, in.AnnotationText)
	}
	d.stamps()
}

// stamps checks the dates in the file's metadata.
func (d *Document) stamps() {
	in := &d.file.Info
	made, ok1 := stamp(in.Created)
	changed, ok2 := stamp(in.Modified)
	if ok1 && ok2 {
		switch after := changed.Sub(made); {
		case after < -time.Minute:
			d.find(DatesDisagree, true)
		case after > time.Hour:
			d.find(DatesDisagree, after > 24*time.Hour)
		}
	}
	for _, x := range [][2]string{{in.Created, in.XMPCreated}, {in.Modified, in.XMPModified}} {
		a, ok1 := stamp(x[0])
		b, ok2 := stamp(x[1])
		if ok1 && ok2 && (a.Sub(b) > 15*time.Hour || b.Sub(a) > 15*time.Hour) { // some programs omit the zone
			d.find(DatesDisagree, true)
		}
	}
}

// days checks the stub's dates against one another and against the file's dates.
func (d *Document) days() {
	f := &d.fields
	bad := func(w when) bool { return w.shown && !w.valid }
	if bad(f.start) || bad(f.end) || bad(f.pay) ||
		f.start.valid && f.end.valid && f.end.date.Before(f.start.date.Time) ||
		f.start.valid && f.pay.valid && f.pay.date.Before(f.start.date.Time) {
		d.find(DatesDisagree, false, areasOf(f.start, f.end, f.pay)...)
	}
	if f.hire.valid && f.end.valid && f.hire.date.After(f.end.date.Time) {
		d.find(DatesDisagree, false, areasOf(f.hire, f.end)...)
	}
	if made, ok := stamp(d.file.Info.Created); ok {
		if f.start.valid && made.Before(f.start.date.AddDate(0, 0, -8)) {
			d.find(DatesDisagree, true, areasOf(f.start)...) // created more than a week before the period
		} else if !f.start.valid && f.end.valid && made.Before(f.end.date.AddDate(0, 0, -8-31)) {
			d.find(DatesDisagree, true, areasOf(f.end)...)
		}
	}
}

// stampForm matches a date in PDF or XML format.
var stampForm = regexp.MustCompile(`^(?:D:)?(\d{4})-?(\d\d)?-?(\d\d)?[T ]?(\d\d)?:?(\d\d)?:?(\d\d)?` +
	`(?:[^-+\d][^-+]*)?(?:([-+]\d\d)[:']?(\d\d)?)?`)

// stamp parses a date in PDF or XML format, to the second. A date without a time zone is in
// UTC.
func stamp(s string) (time.Time, bool) {
	m := stampForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return time.Time{}, false
	}
	t, err := time.Parse("20060102150405-0700", m[1]+cmp.Or(m[2], "01")+cmp.Or(m[3], "01")+cmp.Or(m[4], "00")+cmp.Or(m[5], "00")+
		cmp.Or(m[6], "00")+cmp.Or(m[7], "+00")+cmp.Or(m[8], "00"))
	return t.UTC(), err == nil
}
