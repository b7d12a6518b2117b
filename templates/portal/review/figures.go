package review

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

var (
	reportFigures    = contract.Words{EN: "All figures", ES: "Todas las cifras"}
	reportFiguresIs  = contract.Words{EN: "Every attribute of the report, with what it says, its value and the reason that it stands for, with its adverse action code.", ES: "Todos los atributos del informe, con lo que dicen, su valor y la razón que representan, con su código de acción adversa."}
	reportFigure     = contract.Words{EN: "Figure", ES: "Cifra"}
	reportReason     = contract.Words{EN: "Reason", ES: "Razón"}
	reportValue      = contract.Words{EN: "Value", ES: "Valor"}
	reportFind       = contract.Words{EN: "Find a figure", ES: "Buscar una cifra"}
	reportFindHint   = contract.Words{EN: "By its words or its name, such as lowest balance or NSFOD.", ES: "Por sus palabras o su nombre, como saldo más bajo o NSFOD."}
	reportFindDo     = contract.Words{EN: "Find", ES: "Buscar"}
	reportFindAll    = contract.Words{EN: "Show all figures", ES: "Mostrar todas las cifras"}
	reportKind       = contract.Words{EN: "Of kind", ES: "De la clase"}
	reportAnyKind    = contract.Words{EN: "All kinds", ES: "Todas las clases"}
	reportOneFound   = contract.Words{EN: "1 figure", ES: "1 cifra"}
	reportFound      = contract.Words{EN: "figures", ES: "cifras"}
	reportNoneFound  = contract.Words{EN: "No figure fits. Try one word of it.", ES: "Ninguna cifra coincide. Pruebe con una sola palabra."}
	reportNoRecords  = contract.Words{EN: "no usable records", ES: "sin registros utilizables"}
	reportNoCategory = contract.Words{EN: "no usable records in the category", ES: "sin registros utilizables en la categoría"}
	reportNoValues   = contract.Words{EN: "no usable values", ES: "sin valores utilizables"}
	reportCapped     = contract.Words{EN: "beyond the scale, or divided by zero", ES: "fuera de la escala o dividido por cero"}
)

// nodeNames names the groups of attributes, by node (API reference: Reports).
var nodeNames = map[string]contract.Words{
	"ASSET":    {EN: "Balances", ES: "Saldos"},
	"INFLOW":   {EN: "Money in", ES: "Entradas"},
	"EXPENSE":  {EN: "Money out", ES: "Salidas"},
	"CASHFLOW": {EN: "Net cash flow", ES: "Flujo neto"},
	"RATIO":    {EN: "Ratios", ES: "Proporciones"},
	"TOTAL":    {EN: "All transactions", ES: "Todos los movimientos"},
	"CADENCE":  {EN: "Rhythm", ES: "Ritmo"},
	"ASSETS":   {EN: "Balances (deprecated)", ES: "Saldos (en desuso)"},
	"INCOME":   {EN: "Income (deprecated)", ES: "Ingresos (en desuso)"},
	"EXPENSES": {EN: "Money out (deprecated)", ES: "Salidas (en desuso)"},
	"TOTALS":   {EN: "All transactions (deprecated)", ES: "Todos los movimientos (en desuso)"},
}

// nodes lists the kinds of the report's attributes in the order of the report.
func (v ReportView) nodes() []string {
	var out []string
	for _, a := range v.Report.Attributes {
		if !slices.Contains(out, a.Node) {
			out = append(out, a.Node)
		}
	}
	return out
}

func (v ReportView) kinds(l contract.Lang) []ui.Option {
	var out []ui.Option
	for _, n := range v.nodes() {
		out = append(out, ui.Option{Value: n, Label: known(l, nodeNames, n), Chosen: n == v.Node})
	}
	return out
}

// searched reports whether the figures are a choice of them.
func (v ReportView) searched() bool { return v.Query != "" || v.Node != "" }

// figures are the chosen attributes of a node.
func (v ReportView) figures(l contract.Lang, node string) []report.Attribute {
	var out []report.Attribute
	cur := v.in()
	for _, a := range v.Report.Attributes {
		if a.Node == node && (v.Node == "" || v.Node == node) && fits(v.Query, sought(l, cur, a)) {
			out = append(out, a)
		}
	}
	return out
}

func (v ReportView) found(l contract.Lang) string {
	n := 0
	for _, node := range v.nodes() {
		n += len(v.figures(l, node))
	}
	return foundWords(l, n)
}

func foundWords(l contract.Lang, n int) string {
	switch n {
	case 0:
		return reportNoneFound.In(l)
	case 1:
		return reportOneFound.In(l)
	}
	return strconv.Itoa(n) + " " + reportFound.In(l)
}

// sought is the folded text that a search matches for an attribute: its name (raw
// and worded), its value, its group and its code.
func sought(l contract.Lang, cur currency, a report.Attribute) string {
	words, _ := cur.attributeWords(l, a.Name, a.Description)
	return fold(strings.Join([]string{a.Name, strings.ReplaceAll(a.Name, "_", " "), words, known(l, nodeNames, a.Node), reasonOf(l, a)}, " "))
}

// reasonOf is the reason that an attribute gives, with its code; only the code for
// another provider's attribute.
func reasonOf(l contract.Lang, a report.Attribute) string {
	w, ok := reasonWords[a.AdverseActionCode]
	if _, lang := AttributeWords(contract.Spanish, a.Name, ""); !ok || lang != contract.Spanish {
		return a.AdverseActionCode
	}
	return w.In(l) + " (" + a.AdverseActionCode + ")"
}

// fits reports whether all words of a query are in a folded text. The script of
// the page does the same.
func fits(query, text string) bool {
	for _, word := range strings.Fields(fold(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// fold writes a text in lower case and without accents.
func fold(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
}

// figureValue formats a value for people, or words its sentinel (docs/analytics.md).
// The number of decimals tells its type: two are an amount.
func figureValue(l contract.Lang, cur currency, a report.Attribute) string {
	if s := sentinel(l, a.Name, a.Value); s != "" {
		return s
	}
	s := a.Value.String()
	if _, decimals, ok := strings.Cut(s, "."); ok && len(decimals) == 2 {
		if c, err := report.ParseCents(s); err == nil {
			return cur.say(c)
		}
	}
	return grouped(plain(s))
}

// sentinel words a sentinel value; empty for an ordinary value.
func sentinel(l contract.Lang, name string, value interface{ String() string }) string {
	s := value.String()
	if strings.Contains(name, "_PRESENT_") {
		switch s { // a boolean's own
		case "8":
			return reportNoRecords.In(l)
		case "7":
			return reportNoCategory.In(l)
		case "6":
			return reportNoValues.In(l)
		}
	}
	switch s {
	case "9999998", "9998":
		return reportNoRecords.In(l)
	case "9999997", "9997":
		return reportNoCategory.In(l)
	case "9999996", "9996":
		return reportNoValues.In(l)
	case "9999995", "9999995.00", "9999995.00000", "9995":
		return reportCapped.In(l)
	}
	return ""
}

// keyFigures are the figures at the top of the page, by attribute. Figures that a
// report does not have are not shown.
var keyFigures = []struct {
	name  string
	label contract.Words
}{
	{"UA_INFLOW_INCOME_AVG_12R", contract.Words{EN: "Income a month", ES: "Ingresos al mes"}},
	{"UA_EXPENSE_TOTAL_AVG_12R", contract.Words{EN: "Money out a month, own transfers included", ES: "Salidas al mes, con transferencias propias"}},
	{"UA_CASHFLOW_NET_AVG_12R", contract.Words{EN: "Net a month, own transfers left out", ES: "Neto al mes, sin transferencias propias"}},
	{"UA_ASSET_TOTAL_BAL_CUR", contract.Words{EN: "Balance now", ES: "Saldo actual"}},
	{"UA_ASSET_TOTAL_MIN_3M", contract.Words{EN: "Lowest balance, 3 months", ES: "Saldo más bajo, 3 meses"}},
	{"UA_ASSET_NEGDAYS_CNT_3M", contract.Words{EN: "Days below zero, 3 months", ES: "Días bajo cero, 3 meses"}},
	{"UA_EXPENSE_NSFOD_CNT_12M", contract.Words{EN: "NSF or overdraft, 12 months", ES: "Sin fondos o sobregiro, 12 meses"}},
	{"UA_EXPENSE_RETURNED_CNT_12M", contract.Words{EN: "Returned payments, 12 months", ES: "Pagos devueltos, 12 meses"}},
}

// keyFigure is one number at the head of the page.
type keyFigure struct {
	label string
	of    report.Attribute
	none  bool // the value is a sentinel
	below bool // less than zero
}

func (v ReportView) keys(l contract.Lang) []keyFigure {
	var out []keyFigure
	for _, k := range keyFigures {
		i := slices.IndexFunc(v.Report.Attributes, func(a report.Attribute) bool { return a.Name == k.name })
		if i < 0 {
			continue
		}
		a := v.Report.Attributes[i]
		out = append(out, keyFigure{label: k.label.In(l), of: a, none: sentinel(l, a.Name, a.Value) != "", below: strings.HasPrefix(a.Value.String(), "-")})
	}
	return out
}
