package pdf_test

import (
	"bytes"
	"compress/zlib"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"codeberg.org/go-pdf/fpdf"

	"vestibule/internal/analysis/paystub/pdf"
)

// lock is a way in which a file is encrypted.
type lock struct {
	version, revision, length int    // length in bits
	method                    string // of crypt filters
	password                  string // of up to 32 bytes
	clearMetadata             bool
	identity                  string // StmF, StrF or both: these are not encrypted
}

const fileID = "0123456789abcdef"

// padded returns a password of 32 bytes.
func padded(password string) []byte {
	return append([]byte(password), "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08"+
		"\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"...)[:32]
}

func rc4With(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

func cbcWith(key, iv, data []byte) []byte {
	c, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(data))
	cipher.NewCBCEncrypter(c, iv).CryptBlocks(out, data)
	return out
}

// key returns the file's key and the encryption dictionary.
func (l lock) key() (key []byte, dict string) {
	owner := bytes.Repeat([]byte("o"), 32)
	head := fmt.Sprintf("/Filter/Standard/V %d/R %d/Length %d/P -4/EncryptMetadata %v", l.version, l.revision, l.length, !l.clearMetadata)
	if l.version >= 4 {
		name := func(k string) string {
			if strings.Contains(l.identity, k) {
				return "Identity"
			}
			return "Own"
		}
		head += fmt.Sprintf("/CF<</Own<</CFM/%s/AuthEvent/DocOpen>>>>/StmF/%s/StrF/%s", l.method, name("StmF"), name("StrF"))
	}
	if l.version == 5 {
		hash := func(salt string) []byte {
			if l.revision == 6 {
				return pdf.Hash6(salt)
			}
			sum := sha256.Sum256([]byte(l.password + salt))
			return sum[:]
		}
		key = []byte("a key of thirty-two bytes, always")[:32]
		user := append(hash("validate"), "validatekey salt"...)
		wrapped := cbcWith(hash("key salt"), make([]byte, 16), key)
		return key, fmt.Sprintf("<<%s/O<%x>/OE<%x>/U<%x>/UE<%x>/Perms<%x>>>",
			head, bytes.Repeat([]byte("o"), 48), owner, user, wrapped, owner[:16])
	}
	n := l.length / 8
	b := append(padded(l.password), owner...)
	b = append(binary.LittleEndian.AppendUint32(b, 1<<32-4), fileID...)
	if l.revision == 4 && l.clearMetadata {
		b = append(b, 0xff, 0xff, 0xff, 0xff)
	}
	sum := md5.Sum(b)
	if l.revision == 2 {
		key = sum[:n]
		return key, fmt.Sprintf("<<%s/O<%x>/U<%x>>>", head, owner, rc4With(key, padded("")))
	}
	for range 50 {
		sum = md5.Sum(sum[:n])
	}
	check := md5.Sum(append(padded(""), fileID...))
	user := check[:]
	for i := range byte(20) {
		each := bytes.Clone(sum[:n])
		for k := range each {
			each[k] ^= i
		}
		user = rc4With(each, user)
	}
	return sum[:n], fmt.Sprintf("<<%s/O<%x>/U<%x%x>>>", head, owner, user, make([]byte, 16))
}

// cipher returns the data of an object, encrypted.
func (l lock) cipher(num int, data string) string {
	key, _ := l.key()
	method := l.method
	if l.version < 4 {
		method = "V2"
	}
	if method != "AESV3" {
		b := append(bytes.Clone(key), byte(num), byte(num>>8), byte(num>>16), 0, 0)
		if method == "AESV2" {
			b = append(b, "sAlT"...)
		}
		sum := md5.Sum(b)
		key = sum[:min(len(key)+5, 16)]
	}
	if method == "V2" {
		return string(rc4With(key, []byte(data)))
	}
	n := 16 - len(data)%16
	iv := []byte("sixteen bytes IV")
	return string(iv) + string(cbcWith(key, iv, append([]byte(data), bytes.Repeat([]byte{byte(n)}, n)...)))
}

func deflated(data string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(data))
	w.Close()
	return b.String()
}

// locked returns an encrypted file with one page, metadata and a producer. With packed, all
// its objects without streams are in an object stream.
func locked(l lock, packed bool) []byte {
	_, dict := l.key()
	clear := func(k string) bool { return l.version >= 4 && strings.Contains(l.identity, k) }
	text := func(num int, s string) string {
		if !packed && !clear("StrF") {
			s = l.cipher(num, s)
		}
		return fmt.Sprintf("<%x>", s)
	}
	data := func(num int, dict, s string) string {
		if !clear("StmF") && (!strings.Contains(dict, "Metadata") || !l.clearMetadata) {
			s = l.cipher(num, s)
		}
		return stream(dict, s)
	}
	xmp := data(7, "/Type/Metadata/Subtype/XML", `<xmp:CreatorTool>Payroll 7</xmp:CreatorTool>`)
	content := data(4, "/Filter/FlateDecode", deflated("BT /F 10 Tf 100 700 Td (Net Pay) Tj ET"))
	objects := []string{"<</Type/Catalog/Pages 2 0 R/Metadata 7 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 612 792]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>", content,
		"<</Type/Font/Subtype/Type1/BaseFont/Courier>>", "<</Producer" + text(6, "Payroll") + ">>", xmp, dict}
	trailer := fmt.Sprintf("/Info 6 0 R/Encrypt 8 0 R/ID[<%x><%x>]", fileID, fileID)
	if !packed {
		return written(trailer, objects...)
	}
	var b, head, body bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	rows := []byte{0, 0, 0, 0}
	for i, o := range objects {
		if strings.Contains(o, "stream") || i == 7 {
			rows = append(rows, 1, byte(b.Len()>>8), byte(b.Len()), 0)
			fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
			continue
		}
		rows = append(rows, 2, 0, 9, byte(bytes.Count(head.Bytes(), []byte(" "))/2))
		fmt.Fprintf(&head, "%d %d ", i+1, body.Len())
		body.WriteString(o + "\n")
	}
	rows = append(rows, 1, byte(b.Len()>>8), byte(b.Len()), 0)
	fmt.Fprintf(&b, "9 0 obj\n%s\nendobj\n", data(9, fmt.Sprintf("/Type/ObjStm/N %d/First %d/Filter/FlateDecode",
		bytes.Count(head.Bytes(), []byte(" "))/2, head.Len()), deflated(head.String()+body.String())))
	start := b.Len()
	fmt.Fprintf(&b, "10 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n",
		stream("/Type/XRef/Size 10/W[1 2 1]/Root 1 0 R"+trailer, string(rows)), start)
	return b.Bytes()
}

var locks = map[string]lock{
	"RC4 with 40 bits":                {version: 1, revision: 2, length: 40},
	"RC4 with 128 bits":               {version: 2, revision: 3, length: 128},
	"RC4 with 64 bits":                {version: 2, revision: 3, length: 64},
	"RC4 by a crypt filter":           {version: 4, revision: 4, length: 128, method: "V2"},
	"AES with 128 bits":               {version: 4, revision: 4, length: 128, method: "AESV2"},
	"AES with 128 bits, but metadata": {version: 4, revision: 4, length: 128, method: "AESV2", clearMetadata: true},
	"AES, streams only":               {version: 4, revision: 4, length: 128, method: "AESV2", identity: "StrF"},
	"AES, strings only":               {version: 4, revision: 4, length: 128, method: "AESV2", identity: "StmF"},
	"AES with 256 bits, revision 5":   {version: 5, revision: 5, length: 256, method: "AESV3"},
	"AES with 256 bits":               {version: 5, revision: 6, length: 256, method: "AESV3"},
	"AES with 256 bits, but metadata": {version: 5, revision: 6, length: 256, method: "AESV3", clearMetadata: true},
}

// TestEncryptedFiles checks that files with an empty password are read like others, also if
// their cross-reference is broken.
func TestEncryptedFiles(t *testing.T) {
	for name, l := range locks {
		for _, packed := range []bool{false, true} {
			file := locked(l, packed)
			for _, broken := range []bool{false, true} {
				if broken {
					file = bytes.Replace(file, []byte("startxref\n"), []byte("startxref\n9"), 1)
				}
				f, err := pdf.Open(file)
				if err != nil {
					t.Errorf("%s, packed %v, broken %v: %v", name, packed, broken, err)
					continue
				}
				if got := drawn(f); got != "Net Pay@100,700-142" || f.Info.Producer != "Payroll" || len(f.Info.XMPPrograms) != 1 ||
					!f.Encrypted || f.Repaired != broken {
					t.Errorf("%s, packed %v, broken %v: %s, %+v", name, packed, broken, got, f)
				}
			}
		}
	}
	doc := fpdf.New("P", "pt", "Letter", "")
	doc.SetProtection(fpdf.CnProtectPrint, "", "an owner's password")
	doc.AddPage()
	doc.SetFont("Courier", "", 10)
	doc.Text(100, 92, "Net Pay")
	var b bytes.Buffer
	if err := doc.Output(&b); err != nil {
		t.Fatal(err)
	}
	if f := open(t, b.Bytes()); !f.Encrypted || f.Pages[0].Runs[0].Text != "Net Pay" {
		t.Errorf("%+v", f)
	}
	if f := open(t, page(stream("", ""))); f.Encrypted {
		t.Error("a file that is not encrypted")
	}
}

// TestCryptFilterOfStream checks that a stream may have another crypt filter than the others.
func TestCryptFilterOfStream(t *testing.T) {
	l := locks["AES with 128 bits"]
	l.identity = "StmF"
	file := locked(l, false)
	for dict, want := range map[string]string{
		"/Filter[/Crypt/FlateDecode]/DecodeParms[<</Name/Own>>null]": "Net Pay@100,700-142",
		"/Filter[/Crypt/FlateDecode]":                                "",
		"/Filter[/Crypt]/DecodeParms<</Name/Identity>>":              "",
	} {
		data := l.cipher(4, deflated("BT /F 10 Tf 100 700 Td (Net Pay) Tj ET"))
		if want == "" {
			data = "BT /F 10 Tf 1 2 Td (a) Tj ET"
			want = "a@1,2-7"
			if strings.Contains(dict, "Flate") {
				data = deflated(data)
			}
		}
		from := bytes.Index(file, []byte("4 0 obj"))
		to := from + bytes.Index(file[from:], []byte("endobj"))
		changed := append(append(bytes.Clone(file[:from]), "4 0 obj\n"+stream(dict, data)+"\n"...), file[to:]...)
		if got := drawn(open(t, bytes.Replace(changed, []byte("startxref\n"), []byte("startxref\n9"), 1))); got != want {
			t.Errorf("%s: %s, want %s", dict, got, want)
		}
	}
}

// TestPasswordIsNeeded checks that a file with a user's password, or with an unknown method,
// is refused as encrypted.
func TestPasswordIsNeeded(t *testing.T) {
	files := map[string][]byte{
		"another handler": bytes.Replace(locked(locks["AES with 256 bits"], false), []byte("/Standard"), []byte("/Somebody"), 1),
		"another version": bytes.Replace(locked(locks["AES with 256 bits"], false), []byte("/V 5"), []byte("/V 6"), 1),
		"another method":  bytes.Replace(locked(locks["AES with 256 bits"], false), []byte("AESV3"), []byte("AESV4"), 1),
		"no entries":      written("/Encrypt<<>>", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[<</Type/Page>>]>>"),
	}
	for name, l := range locks {
		if l.password = "secret"; l.revision != 6 {
			files[name] = locked(l, false)
		}
	}
	six := locked(locks["AES with 256 bits"], false)
	at := bytes.Index(six, []byte("/U<"))
	six[at+5] ^= 1 // a digit of the hash
	files["AES with 256 bits"] = six
	for name, file := range files {
		if _, err := pdf.Open(file); !errors.Is(err, pdf.ErrEncrypted) {
			t.Errorf("%s: %v, want encrypted", name, err)
		}
	}
}

// TestDecryptingIsCharged checks that encrypted bytes cost work, and that they are inflated
// within the limits.
func TestDecryptingIsCharged(t *testing.T) {
	l := locks["AES with 128 bits"]
	of := func(content string) []byte {
		key, dict := l.key()
		_ = key
		return written(fmt.Sprintf("/Encrypt 5 0 R/ID[<%x>]", fileID), "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]>>",
			"<</Type/Page/Contents[4 0 R 4 0 R]>>", content, dict)
	}
	blank := func(n int) []byte { return of(stream("", l.cipher(4, strings.Repeat(" ", n)))) }
	if got := spent(blank(200_000)) - spent(blank(100_000)); got < 2*8*100_000 {
		t.Errorf("%d were spent on 200,000 bytes more, want %d", got, 2*8*100_000)
	}
	for name, file := range map[string][]byte{
		"a bomb":           of(stream("/Filter/FlateDecode", l.cipher(4, deflated(strings.Repeat(" ", 5<<20))))),
		"a long stream":    of(stream("", l.cipher(4, strings.Repeat(" ", 9<<20)))),
		"strings of it":    of("[" + strings.Repeat("(q)", 290_000) + "]"),
		"a string, nested": of("[" + strings.Repeat("[", 40) + "(q)" + strings.Repeat("]", 41)),
	} {
		if _, err := pdf.Open(file); !errors.Is(err, pdf.ErrTooMuch) {
			t.Errorf("%s: %v, want too much", name, err)
		}
	}
}
