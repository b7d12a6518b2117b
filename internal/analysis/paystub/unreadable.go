package paystub

import (
	"slices"
	"strings"
	"unicode"

	"vestibule/internal/analysis/paystub/pdf"
)

// knownWords holds the words of the vocabulary.
var knownWords = func() map[string]bool {
	out := map[string]bool{}
	for _, list := range vocabulary {
		for _, entry := range list {
			for _, w := range strings.Fields(entry) {
				out[w] = true
			}
		}
	}
	return out
}()

// findUnreadable finds text whose letters the file does not give, and replaces those that were
// guessed wrongly by U+FFFD. It reports whether this is most of the text.
func (d *Document) findUnreadable() (most bool) {
	guessed := map[int]*[2]int{} // words of each font whose letters are guessed, and those that are known
	each := func(of func(page int, r *pdf.Run)) {
		for n := range d.file.Pages {
			for i := range d.file.Pages[n].Runs {
				if r := &d.file.Pages[n].Runs[i]; !r.Hidden {
					of(n, r)
				}
			}
		}
	}
	text, before := "", (*pdf.Run)(nil) // letters may be drawn one by one
	count := func(r *pdf.Run) {
		for _, w := range strings.Fields(text) {
			_, amount := money(w)
			_, _, day := dateIn(w)
			if guessed[before.Font][0]++; amount || day != noDate || len(w) > 1 && knownWords[plain(w)] {
				guessed[before.Font][1]++
			}
		}
		text, before = "", r
	}
	each(func(_ int, r *pdf.Run) {
		if !d.file.Fonts[r.Font].Guessed || r.Actual {
			return
		}
		if guessed[r.Font] == nil {
			guessed[r.Font] = &[2]int{}
		}
		if before == nil || r.Font != before.Font || r.Y != before.Y || abs(r.X-before.End) > 0.1*r.Size || len(text) > maxLabel {
			count(r)
		}
		text, before = text+r.Text, r
	})
	count(nil)
	var unknown, actual []area
	letters, lost, longest := 0, 0, 0
	each(func(page int, r *pdf.Run) {
		if n := guessed[r.Font]; n != nil && !r.Actual && n[1]*5 < n[0] {
			r.Text = strings.Map(func(c rune) rune {
				if unicode.IsSpace(c) {
					return c
				}
				return '\ufffd'
			}, r.Text)
		}
		n := strings.Count(r.Text, "\ufffd")
		letters, lost = letters+len([]rune(r.Text)), lost+n
		if n > 0 {
			unknown, longest = append(unknown, areaOf(page, r)), max(longest, n)
		}
		if r.Differs || r.Actual && (len(r.Text) > 3 || strings.ContainsAny(r.Text, "0123456789")) {
			actual = append(actual, areaOf(page, r))
		}
	})
	if longest < 3 && lost < 20 {
		unknown = nil // marks or pictures
	}
	if len(unknown) > 0 {
		d.find(UnknownLetters, false, unknown...)
	}
	if len(actual) > 0 {
		d.find(TextMayDiffer, false, actual...)
	}
	return lost > letters/2 && len(unknown) > 0
}

// isScan reports whether an image covers at least half of a page, and the text has less than
// two amounts.
func (d *Document) isScan(s *sheet) bool {
	amounts := 0
	for _, r := range s.rows {
		for _, c := range r {
			if _, _, labeled := split(c); c.money || labeled {
				amounts++
			}
		}
	}
	return amounts < 2 && slices.ContainsFunc(d.file.Pages, func(p pdf.Page) bool { return mostlyPicture(p, 2) })
}

// mostlyPicture reports whether images cover at least a half, or another part, of a page.
func mostlyPicture(p pdf.Page, part float64) bool {
	return p.Pictures > 0 && p.Pictures*part >= p.Width*p.Height
}

// findPictures finds pages of a stub that are images without text.
func (d *Document) findPictures(s *sheet) {
	for n, p := range d.file.Pages {
		if mostlyPicture(p, 2) && !slices.ContainsFunc(s.rows, func(r row) bool { return r[0].page == n }) {
			d.find(ImageNotRead, false)
		}
	}
}
