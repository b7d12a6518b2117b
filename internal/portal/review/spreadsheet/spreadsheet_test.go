package spreadsheet

import "testing"

func TestCellsAreNeverFormulas(t *testing.T) {
	for in, want := range map[string]string{
		"plain":            `"plain"`,
		"":                 `""`,
		`a "b"`:            `"a ""b"""`,
		"-12.50":           `"-12.50"`,
		"=1+1":             `"'=1+1"`,
		" =1+1":            `"' =1+1"`,
		"x;=1+1":           `"x;'=1+1"`,
		"x; =1+1":          `"x;' =1+1"`,
		`x;"=1+1`:          `"x;'""=1+1"`,
		"x\t@SUM(1)":       "\"x\t'@SUM(1)\"",
		"x\n+1":            "\"x\r\n'+1\"",
		"x;;-1":            `"x;;'-1"`,
		"x|＝1":             `"x|'＝1"`,
		"a; b\tc, - d = e": "\"a; b\tc, - d = e\"",
	} {
		if got := string(Encode([][]string{{in}})); got != ByteOrderMark+want+"\r\n" {
			t.Errorf("%q is written as %q, want %q", in, got, want)
		}
	}
}
