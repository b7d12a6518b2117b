package portal

import (
	"slices"
	"strconv"

	"vestibule/internal/report"
	"vestibule/internal/svc"
	"vestibule/templates/ui"
)

var (
	reportScore      = svc.Words{EN: "Score", ES: "Puntuación"}
	reportScoreIs    = svc.Words{EN: "An open points card over the figures below, from 300 to 850. It is not fitted to defaults.", ES: "Una tabla de puntos abierta sobre las cifras de abajo, de 300 a 850. No está ajustada a impagos."}
	reportNoScore    = svc.Words{EN: "none: there is too little to go by", ES: "ninguna: hay muy pocos datos"}
	reportReasons    = svc.Words{EN: "Main reasons that kept the score from being higher", ES: "Razones principales por las que no es más alta"}
	reportCode       = svc.Words{EN: "Code", ES: "Código"}
	reportReason     = svc.Words{EN: "Reason", ES: "Razón"}
	reportFigures    = svc.Words{EN: "Figures", ES: "Cifras"}
	reportFiguresIs  = svc.Words{EN: "Every attribute of the report, by kind.", ES: "Todos los atributos del informe, por clase."}
	reportFigure     = svc.Words{EN: "Figure", ES: "Cifra"}
	reportValue      = svc.Words{EN: "Value", ES: "Valor"}
	reportNoRecords  = svc.Words{EN: "no usable records", ES: "sin registros utilizables"}
	reportNoCategory = svc.Words{EN: "no usable records in the category", ES: "sin registros utilizables en la categoría"}
	reportNoValues   = svc.Words{EN: "no usable values", ES: "sin valores utilizables"}
	reportEnough     = svc.Words{EN: "Data behind the score", ES: "Datos en que se basa"}
	reportYes        = svc.Words{EN: "yes", ES: "sí"}
	reportNo         = svc.Words{EN: "no", ES: "no"}
)

// nodeNames are the kinds of attributes in words, by document 1's node.
var nodeNames = map[string]svc.Words{
	"ASSET":    {EN: "Balances", ES: "Saldos"},
	"INFLOW":   {EN: "Money in", ES: "Entradas"},
	"EXPENSE":  {EN: "Money out", ES: "Salidas"},
	"CASHFLOW": {EN: "Net cash flow", ES: "Flujo neto"},
	"RATIO":    {EN: "Ratios", ES: "Proporciones"},
	"TOTAL":    {EN: "All transactions", ES: "Todos los movimientos"},
	"CADENCE":  {EN: "Rhythm", ES: "Ritmo"},
}

// propertyNames are the consumer_data_properties in words.
var propertyNames = map[string]svc.Words{
	"TOTAL_TRANSACTION_COUNT":          {EN: "Transactions", ES: "Movimientos"},
	"TOTAL_HISTORY_LENGTH_DAYS":        {EN: "Days of history", ES: "Días de historial"},
	"LOW_ACCOUNT_ACTIVITY_INDICATOR":   {EN: "Little activity", ES: "Poca actividad"},
	"LIMITED_DATA_AVAILABLE_INDICATOR": {EN: "Limited data", ES: "Datos limitados"},
}

func named(names map[string]svc.Words, key string, l svc.Lang) string {
	if w, ok := names[key]; ok {
		return w.In(l)
	}
	return key
}

func scoreValue(l svc.Lang, s report.Score) string {
	if s.Value == nil {
		return reportNoScore.In(l)
	}
	return strconv.Itoa(*s.Value)
}

func reasons(l svc.Lang, s report.Score) ui.Grid {
	g := ui.Grid{Caption: reportReasons.In(l), Columns: []ui.Column{{Label: reportReason.In(l)}, {Label: reportCode.In(l)}}}
	for _, c := range s.AdverseActionCodes {
		g.Rows = append(g.Rows, []ui.Cell{{Text: c.Description}, {Text: c.Code}})
	}
	return g
}

func (v ReviewReportView) properties(l svc.Lang) []ui.Fact {
	var out []ui.Fact
	for _, p := range v.Report.Properties {
		text := strconv.FormatInt(p.Value.Integer, 10)
		if p.Value.Boolean != nil {
			text = reportNo.In(l)
			if *p.Value.Boolean {
				text = reportYes.In(l)
			}
		}
		out = append(out, ui.Fact{Term: named(propertyNames, p.FieldName, l), Text: text})
	}
	return out
}

// nodes lists the kinds of the report's attributes in the order of the report.
func (v ReviewReportView) nodes() []string {
	var out []string
	for _, a := range v.Report.Attributes {
		if !slices.Contains(out, a.Node) {
			out = append(out, a.Node)
		}
	}
	return out
}

func (v ReviewReportView) figures(l svc.Lang, node string) ui.Grid {
	g := ui.Grid{Caption: named(nodeNames, node, l), HideCaption: true, Columns: []ui.Column{{Label: reportFigure.In(l)}, {Label: reportValue.In(l), Number: true}}}
	for _, a := range v.Report.Attributes {
		if a.Node == node {
			g.Rows = append(g.Rows, []ui.Cell{{Body: figure(a.Description, a.Name)}, {Text: figureValue(l, a)}})
		}
	}
	return g
}

// figureValue is a value as it stands, or what its sentinel says (document 1,
// UA value types).
func figureValue(l svc.Lang, a report.Attribute) string {
	switch a.Value.String() {
	case "9999998", "9998":
		return reportNoRecords.In(l)
	case "9999997", "9997":
		return reportNoCategory.In(l)
	case "9999996", "9996":
		return reportNoValues.In(l)
	}
	return a.Value.String()
}
