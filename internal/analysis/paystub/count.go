package paystub

// count leaves as lines of a table those that follow one another closely from
// its header on, up to its total.
func (t *table) count() {
	type end struct {
		y    float64
		over bool
	}
	last := map[*header]map[section]*end{}
	for i := range t.lines {
		l := &t.lines[i]
		if !l.counted {
			continue
		}
		c := l.cells[now]
		if c == nil {
			c = l.cells[toDate]
		}
		_, h := t.columnAbove(c)
		if h == nil {
			l.counted = false
			continue
		}
		if last[h] == nil {
			last[h] = map[section]*end{}
		}
		e := last[h][l.in]
		if e == nil {
			e = &end{y: h.y}
			last[h][l.in] = e
		}
		if e.y-l.y > 3.2*max(c.size, 6) {
			e.over = true
		}
		e.y = l.y
		total := l.item == gross || l.item == net || l.item == totalDeductions || contains(l.label, "total") || contains(l.label, "totals") || contains(l.label, "subtotal")
		l.counted = !e.over && !total
		e.over = e.over || total
	}
	t.positive()
}

// positive turns deductions around that are shown as what they take away, with a
// sign, in one column or both.
func (t *table) positive() {
	taken := func(l *line) bool {
		switch l.item {
		case socialSecurity, medicare, fica, totalDeductions:
			return true
		}
		return l.counted && l.in == deductions
	}
	for k := range 2 {
		below, all := 0, 0
		for i := range t.lines {
			if l := &t.lines[i]; taken(l) && l.cells[k] != nil && l.amount[k] != 0 {
				if all++; l.amount[k] < 0 {
					below++
				}
			}
		}
		if all == 0 || below*4 < all*3 {
			continue
		}
		for i := range t.lines {
			if l := &t.lines[i]; taken(l) {
				l.amount[k] = -l.amount[k]
			}
		}
	}
}

// columnAbove is column, when all headers are known.
func (t *table) columnAbove(c *cell) (period, *header) {
	headers := t.headers
	defer func() { t.headers = headers }()
	n := len(headers)
	for n > 0 && (headers[n-1].page > c.page || headers[n-1].page == c.page && headers[n-1].y <= c.y) {
		n--
	}
	t.spend(len(headers) - n)
	t.headers = headers[:n]
	return t.column(c)
}
