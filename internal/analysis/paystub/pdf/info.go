package pdf

import (
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// maxText is the maximum size of a text in the metadata, in bytes.
const maxText = 1024

// info reads the file's metadata, and whether it has active content.
func (r *reader) info() {
	in := &r.out.Info
	d := r.asDict(r.trailer.get("Info"))
	said := func(k name) string { t, _ := r.resolve(d.get(k)).(text); return t.String() }
	in.Producer, in.Creator, in.Title = said("Producer"), said("Creator"), said("Title")
	in.Created, in.Modified = said("CreationDate"), said("ModDate")

	root := r.asDict(r.trailer.get("Root"))
	if st := r.asStream(root.get("Metadata")); st != nil {
		if xml, ok := r.try(func() any { return r.inflate(st) }).([]byte); ok {
			r.xmp(string(xml[:min(len(xml), 1<<18)]))
		}
	}
	does := r.asDict(root.get("OpenAction")).get("S")
	names := r.asDict(root.get("Names"))
	r.out.Active = does == name("JavaScript") || does == name("Launch") || root.get("AA") != nil ||
		names.get("JavaScript") != nil || len(r.asArray(r.asDict(names.get("EmbeddedFiles")).get("Names"))) > 0
}

// xmp reads properties from the metadata's XML, where they are attributes or elements.
func (r *reader) xmp(xml string) {
	in := &r.out.Info
	r.left.spend(8 * len(xml))
	first := func(key string) string {
		for _, v := range r.properties(xml, key, 1) {
			return v
		}
		return ""
	}
	for _, key := range []string{"pdf:Producer", "xmp:CreatorTool", "stEvt:softwareAgent"} {
		in.XMPPrograms = append(in.XMPPrograms, r.properties(xml, key, 32)...)
	}
	in.XMPCreated, in.XMPModified = first("xmp:CreateDate"), first("xmp:ModifyDate")
}

// properties returns the values of a key, in the form key="value" or <key>value</key>. It
// skips long values.
func (r *reader) properties(xml, key string, most int) (out []string) {
	for len(out) < most {
		_, after, found := strings.Cut(xml, key)
		if !found {
			break
		}
		xml = after
		after = after[:min(len(after), 2*maxText)]
		r.left.spend(len(after) / 8)
		var v string
		switch {
		case strings.HasPrefix(after, ">"):
			v, _, found = strings.Cut(after[1:], "<")
		case strings.HasPrefix(after, `="`):
			v, _, found = strings.Cut(after[2:], `"`)
		default:
			continue
		}
		if v = strings.TrimSpace(v); found && v != "" && len(v) <= maxText {
			out = append(out, v)
		}
	}
	return out
}

// String decodes a text: UTF-16 or UTF-8 with a byte order mark, otherwise Windows-1252.
func (t text) String() string {
	s := string(t[:min(len(t), maxText)])
	switch {
	case strings.HasPrefix(s, "\xfe\xff"):
		return bigEndian(s[2:])
	case strings.HasPrefix(s, "\xef\xbb\xbf"):
		return strings.ToValidUTF8(s[3:], "\ufffd")
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(charmap.Windows1252.DecodeByte(s[i]))
	}
	return b.String()
}

func bigEndian(s string) string {
	u := make([]uint16, len(s)/2)
	for i := range u {
		u[i] = uint16(s[2*i])<<8 | uint16(s[2*i+1])
	}
	return string(utf16.Decode(u))
}

// updates determines the changes of each appended section. A linearized file has two
// sections from the beginning.
func (r *reader) updates() {
	first := len(r.sections) - 1 // the oldest
	if r.repaired {
		return
	}
	if lin, ok := r.firstObject(); ok && lin.get("Linearized") != nil && first >= 1 {
		first--
		r.out.Linearized = r.asInt(lin.get("L")) == len(r.b)
	}
	for i := first - 1; i >= 0; i-- {
		if len(r.sections[i].numbers) == 0 && i+1 < len(r.sections) && r.isHybridStream(i) {
			continue
		}
		r.out.Updates = append(r.out.Updates, r.update(i))
	}
}

// isHybridStream reports whether a section is the stream that belongs to a cross-reference table.
func (r *reader) isHybridStream(i int) bool {
	return i > 0 && r.sections[i-1].trailer.get("XRefStm") == r.sections[i].at
}

// firstObject returns the first object of the file if it is a dictionary.
func (r *reader) firstObject() (dict, bool) {
	d, ok := r.try(func() any {
		l := r.lexer(0)
		l.skip() // the header is a comment
		return r.objectAt(l.at, -1)
	}).(dict)
	return d, ok
}

// update compares the objects of a section with the objects that they replace.
func (r *reader) update(i int) (u Update) {
	for _, num := range r.sections[i].numbers {
		now := r.version(num, func(p place) bool { return p.section == i })
		was := r.version(num, func(p place) bool { return p.section > i })
		switch now := now.(type) {
		case *stream:
			switch {
			case now.dict.get("Type") == name("Metadata"), now.dict.get("Type") == name("XRef"), now.dict.get("Type") == name("ObjStm"):
			case was != nil || now.dict.get("Type") == nil && now.dict.get("Subtype") == nil:
				u.Content = true
			case now.dict.get("Subtype") == name("Form"):
				u.Annotated = true // an appearance, or a form that a changed page draws
			}
		case dict:
			switch kind := now.get("Type"); {
			case kind == name("Page"):
				before, _ := was.(dict)
				same := func(k name) bool { return r.equal(r.resolve(now.get(k)), r.resolve(before.get(k)), 0) }
				u.Content = u.Content || before == nil || !same("Contents") || !same("Resources")
				u.Annotated = u.Annotated || before != nil && !same("Annots")
			case kind == name("Sig"):
				u.Signed = true
			case kind == name("Annot") || now.get("Subtype") == name("Widget") || now.get("FT") != nil:
				u.Annotated = true
			case kind == name("Font"):
				u.Content = u.Content || was != nil
			}
		}
	}
	return u
}

// version returns the newest object with a number at a place for which meant is true.
func (r *reader) version(num int, meant func(place) bool) any {
	for _, p := range r.places[num] {
		r.left.spend(2)
		if meant(p) && !p.free {
			v := r.try(func() any { return r.at(num, p) })
			switch v := v.(type) {
			case dict:
				r.used(v)
			case *stream:
				r.used(v.dict)
			}
			return v
		}
	}
	return nil
}

// equal reports whether two values are equal; it compares streams by object number. Each
// comparison counts as work, because many pages may share a value.
func (r *reader) equal(a, b any, depth int) bool {
	if depth > 8 {
		return false
	}
	r.left.spend(4)
	switch a := a.(type) {
	case dict:
		b, ok := b.(dict)
		if !ok || len(a) != len(b) || len(a) > 256 {
			return false
		}
		for _, e := range a {
			r.left.spend(len(b) * (1 + len(e.key)/16))
			if !r.equal(e.value, b.get(e.key), depth+1) {
				return false
			}
		}
		return true
	case array:
		b, ok := b.(array)
		if !ok || len(a) != len(b) || len(a) > 1024 {
			return false
		}
		for i := range a {
			if !r.equal(a[i], b[i], depth+1) {
				return false
			}
		}
		return true
	case *stream:
		b, ok := b.(*stream)
		return ok && a.num == b.num
	case text:
		r.left.spend(len(a) / 16)
	case name:
		r.left.spend(len(a) / 16)
	}
	switch b.(type) {
	case dict, array:
		return false
	}
	return a == b
}
