package paystub

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// inOneLine reads "Name, 1 Street, Unit 2, City, ST 12345", with or without a name.
func inOneLine(text string) (a address, ok bool) {
	if len(text) > 2*maxLabel {
		return a, false
	}
	parts := strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == '•' || c == '·' || c == '|' })
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	k := len(parts) - 1
	if k < 1 || k > 6 {
		return a, false
	}
	if a.city, a.state, a.zip, ok = town(parts[k]); !ok {
		if k--; k < 1 {
			return a, false
		}
		if a.city, a.state, a.zip, ok = town(parts[k] + ", " + parts[k+1]); !ok {
			return a, false
		}
	}
	lines := parts[:k]
	if at := slices.IndexFunc(lines, startsWithNumber); at > 0 {
		a.name = strings.Join(lines[:at], ", ")
		words := strings.Fields(a.name)
		for len(words) > 0 && strings.Trim(words[0], "0123456789-") == "" {
			words = words[1:] // payroll numbers
		}
		a.name, lines = strings.Join(words, " "), lines[at:]
	} else if at < 0 {
		return a, false
	}
	a.line1, a.line2 = lines[0], strings.Join(lines[1:], ", ")
	return a, true
}

// spanishStreets lists the words with which streets and developments of Puerto Rico begin.
var spanishStreets = []string{"urb", "urbanizacion", "calle", "ave", "avenida", "carr", "carretera", "cond", "parcelas"}

// startsWithNumber reports whether a line begins with a house number, or as a street does.
func startsWithNumber(s string) bool {
	first, rest, ok := strings.Cut(s, " ")
	if second, _, _ := strings.Cut(rest, " "); ok && len(second) > 2 && isDigit(second[0]) && slices.Contains(ordinals,
		strings.ToLower(second[len(second)-2:])) && strings.Trim(first, "0123456789-") == "" {
		return true // "41-15 50th Street"
	}
	if !ok || rest == "" || !isDigit(rest[0]) && strings.ContainsAny(first, "0123456789") {
		return ok && strings.ContainsAny(first, "0123456789") && strings.Trim(first, "0123456789-/ABCDabcd½") == ""
	}
	words := plain(s)
	first, _, _ = strings.Cut(words, " ")
	return strings.HasPrefix(words, "po box") || slices.Contains(spanishStreets, first) && !isCompany(s)
}

// town parses "City, ST 12345", with a state in any case.
func town(s string) (city, state, zip string, ok bool) {
	s = strings.TrimSpace(s)
	i := strings.LastIndexByte(s, ' ')
	if i < 0 || !isZIP(s[i+1:]) {
		return "", "", "", false
	}
	zip = s[i+1:]
	s = strings.TrimRight(s[:i], " ,.")
	if at := strings.LastIndexByte(s, ','); at > 0 && stateOf(s[at+1:]) != "" {
		city, state = s[:at], stateOf(s[at+1:])
	} else if i = strings.LastIndexAny(s, " ,"); i < 1 || len(s)-i != 3 {
		return "", "", "", false
	} else if city, state = s[:i], strings.ToUpper(s[i+1:]); state[0] < 'A' || state[0] > 'Z' || state[1] < 'A' || state[1] > 'Z' ||
		state != s[i+1:] && (stateOf(state) == "" || state == "ID" || s[i+1] != state[0]) {
		return "", "", "", false // in lower case, a word such as "in" or "Id" must be a state after a comma
	}
	city = strings.TrimRight(city, " ,")
	return city, state, zip, city != "" && !strings.ContainsAny(city, "0123456789,:")
}

// stateOf returns the code of a state, territory or military post from its code or name, or an empty string.
func stateOf(text string) string {
	w := plain(text)
	for _, entry := range wordList("state") {
		if code, name, _ := strings.Cut(entry, " "); w == code || w == name {
			return strings.ToUpper(code)
		}
	}
	return ""
}

var zipCode = regexp.MustCompile(`^\d{5}(?:-\d{4})?$`)

func isZIP(s string) bool { return len(s) < 11 && zipCode.MatchString(s) }

// street reports whether a line may be a street: it has letters, or "#", and a number.
func street(s string) bool {
	return strings.ContainsAny(s, "0123456789") && len(s) < 100 && (strings.Contains(s, "#") || strings.IndexFunc(s, unicode.IsLetter) >= 0)
}

// unitWords lists the words with which the line of an apartment or another unit begins.
var unitWords = []string{"apt", "apartment", "unit", "suite", "ste", "bldg", "lot", "spc", "floor", "fl", "rm", "no", "trlr"}

// isUnit reports whether a line of an address is an apartment or another unit.
func isUnit(words string) bool {
	first, rest, _ := strings.Cut(words, " ")
	return rest != "" && len(rest) < 8 && slices.Contains(unitWords, first)
}

// maxBlocks is the maximum number of addresses to read; a stub has two or three.
const maxBlocks = 40

// blocks returns the lines with a ZIP code, together with the lines above them that belong
// to the address, from top to bottom.
func (s *sheet) blocks() (out []block) {
	for n, r := range s.rows {
		for _, c := range r {
			city, state, zip, ok := town(c.text)
			if !ok && isZIP(c.text) && n > 0 { // the town may be in the line above
				for k := n - 1; k >= 0 && k >= n-2 && !ok; k-- {
					if up := cellAbove(s.rows[k], c); up != nil {
						if city, state, zip, ok = town(up.text + " " + c.text); ok {
							c = &cell{text: up.text + " " + c.text, page: up.page, x0: up.x0, x1: up.x1, y: up.y, size: up.size}
						}
					}
				}
			}
			if !ok {
				continue
			}
			b := block{cells: []*cell{c}, city: city, state: state, zip: zip}
			for k := n - 1; k >= 0 && len(b.cells) < 6; k-- {
				s.spend(len(s.rows[k]))
				if s.rows[k].y() < c.y+0.1 && s.rows[k][0].page == c.page {
					continue
				}
				up := cellAbove(s.rows[k], b.cells[0])
				if up == nil {
					if b.cells[0].page != s.rows[k][0].page || s.rows[k].y()-b.cells[0].y > 2.2*max(s.rows[k][0].size, c.size) {
						break
					}
					continue
				}
				if k := len(b.cells); k > 1 && up.y-b.cells[0].y > 1.6*(b.cells[0].y-b.cells[1].y) && b.cells[0].y-b.cells[1].y > 0.8*c.size {
					break // a gap: the lines above are separate
				}
				if what, _, colon := inline(up.text); !isText(up.text) && !street(up.text) || s.labeled(k, up) || numbered(up.words) ||
					labelOf(up.words) != noField || what != noField && (colon || what != fieldOther) || isTitle(up.words) {
					break
				}
				if named := isName(b.cells[0].text) && !street(b.cells[0].text); named &&
					(!isCompany(up.text) || isCompany(b.cells[0].text) && !unitOf(plain(b.cells[0].text))) {
					break // a name begins the block
				}
				b.cells = append([]*cell{up}, b.cells...)
			}
			if len(b.cells) > 1 {
				if out = append(out, b); len(out) == maxBlocks {
					return out
				}
			}
		}
	}
	return out
}

// labeled reports whether a label for anything but a name or an address is to the left of a
// cell.
func (s *sheet) labeled(n int, c *cell) bool {
	i := slices.Index(s.rows[n], c)
	if i < 1 || c.x0-s.rows[n][i-1].x1 > 120 {
		return false
	}
	switch what := labelOf(s.rows[n][i-1].words); what {
	case noField, fieldEmployee, fieldEmployer, fieldAddress:
		return false
	}
	return true
}

// numbered reports whether a text is a word for a number, such as an employee's, and the
// number.
func numbered(words string) bool {
	first, rest, ok := strings.Cut(words, " ")
	return ok && strings.Trim(rest, "0123456789 ") == "" && slices.Contains(wordList("number"), first)
}

// unitOf reports whether a line names a part of the company in the line above, such as the
// payroll office.
func unitOf(words string) bool {
	for _, w := range []string{"office", "payroll", "human resources", "accounting",
		"department", "division", "department of", "division of"} {
		if strings.HasPrefix(words, w) || strings.HasSuffix(words, " "+w) {
			return true
		}
	}
	return false
}

// cellAbove returns the cell of a row that is directly above another cell, or nil.
func cellAbove(r row, c *cell) *cell {
	for _, up := range r {
		if isBelow(up, c) {
			return up
		}
	}
	return nil
}
