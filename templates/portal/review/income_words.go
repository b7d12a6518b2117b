package review

import "vestibule/internal/svc"

var (
	reportIncomeTitle   = svc.Words{EN: "Income report", ES: "Informe de ingresos"}
	incomeFromBank      = svc.Words{EN: "Income at the bank", ES: "Ingresos en el banco"}
	incomeFromPayroll   = svc.Words{EN: "Payroll", ES: "Nómina"}
	incomeFromStubs     = svc.Words{EN: "Pay stubs", ES: "Recibos de nómina"}
	incomeNewest        = svc.Words{EN: "This is the report as the service has it now. It is not kept here: the report of the application stays the one that was fetched.", ES: "Este es el informe tal como lo tiene ahora el servicio. Aquí no se guarda: el informe de la solicitud sigue siendo el que se obtuvo."}
	incomeNotRevised    = svc.Words{EN: "It was never corrected.", ES: "Nunca se ha corregido."}
	incomeRevised       = svc.Words{EN: "Some figures were computed anew by people after a dispute. Months, payments and documents are as the sources have them, and need not add up to those.", ES: "Algunas cifras fueron recalculadas por personas tras una disputa. Los meses, los pagos y los documentos están como los tienen las fuentes, y no tienen por qué sumar lo mismo."}
	incomeRevisedValues = svc.Words{EN: "Figures computed anew", ES: "Cifras recalculadas"}
	incomeAnnualGross   = svc.Words{EN: "Gross of a year", ES: "Bruto anual"}
	incomeAnnualNet     = svc.Words{EN: "Net of a year", ES: "Neto anual"}
	incomeRecentGross   = svc.Words{EN: "Gross, recently", ES: "Bruto reciente"}
	incomeRecentNet     = svc.Words{EN: "Net, recently", ES: "Neto reciente"}
	incomeBeforeTax     = svc.Words{EN: "Before taxes and deductions.", ES: "Antes de impuestos y deducciones."}
	incomeAfterTax      = svc.Words{EN: "As it is paid out.", ES: "Tal como se paga."}
	incomeRecentIs      = svc.Words{EN: "The last 3 complete months, as if for a year.", ES: "Los últimos 3 meses completos, como si fuera un año."}
	incomeStated        = svc.Words{EN: "Stated income", ES: "Ingresos indicados"}
	incomeStatedIs      = svc.Words{EN: "By the applicant, of a year.", ES: "Por el solicitante, al año."}
	incomeConsistent    = svc.Words{EN: "Every month", ES: "Cada mes"}
	incomeConsistentIs  = svc.Words{EN: "Income in each of the last 3 complete months.", ES: "Ingresos en cada uno de los últimos 3 meses completos."}
	incomePrimary       = svc.Words{EN: "Primary account", ES: "Cuenta principal"}
	incomePrimaryIs     = svc.Words{EN: "Whether the account that everyday life runs through is among those connected.", ES: "Si entre las conectadas está la cuenta de uso diario."}
	incomeRisk          = svc.Words{EN: "Irregularity of the job", ES: "Irregularidad del trabajo"}
	incomeRiskIs        = svc.Words{EN: "How much amounts and gaps of the main income vary.", ES: "Cuánto varían importes e intervalos del ingreso principal."}
	keyUnknown          = svc.Words{EN: "not known", ES: "no consta"}

	reportEmployment = svc.Words{EN: "Employment", ES: "Empleo"}
	employmentIs     = svc.Words{EN: "Where the applicant works, as stated and by each source", ES: "Dónde trabaja el solicitante, según indicó y según cada fuente"}
	reportEmployer   = svc.Words{EN: "Employer", ES: "Empleador"}
	reportJob        = svc.Words{EN: "Job", ES: "Puesto"}
	reportEstimated  = svc.Words{EN: "estimated", ES: "estimado"}
	reportAddress    = svc.Words{EN: "Address", ES: "Dirección"}
	employerCompared = svc.Words{EN: "Employer compared", ES: "Empleador comparado"}

	incomeFigures    = svc.Words{EN: "What the model makes of it", ES: "Lo que calcula el modelo"}
	incomeModel      = svc.Words{EN: "Model", ES: "Modelo"}
	incomeStreams    = svc.Words{EN: "Largest inflows", ES: "Mayores ingresos"}
	incomeInflows    = svc.Words{EN: "Inflows", ES: "Ingresos periódicos"}
	incomeInflowsOf  = svc.Words{EN: "Recurring income, and the stated employer that it is from", ES: "Ingresos periódicos y el empleador indicado del que provienen"}
	incomeInflow     = svc.Words{EN: "Inflow", ES: "Ingreso"}
	incomeOfEmployer = svc.Words{EN: "Stated employer", ES: "Empleador indicado"}
	incomeYear       = svc.Words{EN: "Of a year", ES: "Al año"}
	incomeRecently   = svc.Words{EN: "Recently, as if for a year", ES: "Reciente, como anual"}
	incomeUnmatched  = svc.Words{EN: "none of those stated", ES: "ninguno de los indicados"}
	incomeMatched    = svc.Words{EN: "Stated and found", ES: "Indicado y encontrado"}
	incomeHistory    = svc.Words{EN: "Income by month", ES: "Ingresos por mes"}
	incomeNet        = svc.Words{EN: "Net", ES: "Neto"}
	incomeGross      = svc.Words{EN: "Gross", ES: "Bruto"}
	incomeTaken      = svc.Words{EN: "Taxes and deductions, up to the gross", ES: "Impuestos y deducciones, hasta el bruto"}
	incomeMonthTable = svc.Words{EN: "Month by month, as a table", ES: "Mes a mes, en una tabla"}

	payrollProvider   = svc.Words{EN: "Provider", ES: "Proveedor"}
	payrollSalary     = svc.Words{EN: "Salary of a year", ES: "Salario anual"}
	payrollGross      = svc.Words{EN: "Estimated gross of a year", ES: "Bruto anual estimado"}
	payrollNet        = svc.Words{EN: "Estimated net of a year", ES: "Neto anual estimado"}
	payrollPeriod     = svc.Words{EN: "Latest period", ES: "Último período"}
	payrollFrequency  = svc.Words{EN: "Paid", ES: "Se paga"}
	payrollStatements = svc.Words{EN: "Pay statements", ES: "Recibos de nómina"}
	payrollDate       = svc.Words{EN: "Paid on", ES: "Pagado el"}
	payrollYTD        = svc.Words{EN: "of the year so far", ES: "acumulado del año"}

	stubIs          = svc.Words{EN: "Uploaded by the applicant. What was read from each file stands beside what was checked; open the file to see for yourself.", ES: "Subidos por el solicitante. Lo leído en cada archivo está junto a lo comprobado; abra el archivo para verlo."}
	stubOf          = svc.Words{EN: "Pay stub", ES: "Recibo"}
	stubFile        = svc.Words{EN: "Download the file", ES: "Descargar el archivo"}
	stubNothing     = svc.Words{EN: "nothing irregular found", ES: "sin irregularidades"}
	stubLook        = svc.Words{EN: "to be looked at", ES: "conviene mirarlo"}
	stubAltered     = svc.Words{EN: "irregularities found", ES: "irregularidades encontradas"}
	stubReasons     = svc.Words{EN: "What was found", ES: "Lo encontrado"}
	stubChecks      = svc.Words{EN: "Checks of what it says", ES: "Comprobaciones de su contenido"}
	stubHolds       = svc.Words{EN: "holds", ES: "se cumple"}
	stubFails       = svc.Words{EN: "does not hold", ES: "no se cumple"}
	stubUnchecked   = svc.Words{EN: "could not be checked", ES: "no se pudo comprobar"}
	stubCheck       = svc.Words{EN: "Check", ES: "Comprobación"}
	stubAmounts     = svc.Words{EN: "Amounts", ES: "Importes"}
	stubItem        = svc.Words{EN: "Item", ES: "Concepto"}
	stubCurrent     = svc.Words{EN: "This period", ES: "Este período"}
	stubYTD         = svc.Words{EN: "Year to date", ES: "Acumulado del año"}
	stubEmployee    = svc.Words{EN: "Employee", ES: "Empleado"}
	stubPeriod      = svc.Words{EN: "Period", ES: "Período"}
	stubPaid        = svc.Words{EN: "Paid on", ES: "Pagado el"}
	stubHired       = svc.Words{EN: "Hired", ES: "Contratado"}
	stubMadeBy      = svc.Words{EN: "Made by", ES: "Emitido por"}
	stubKindOfFile  = svc.Words{EN: "File", ES: "Archivo"}
	stubGenuine     = svc.Words{EN: "PDF, as its program wrote it", ES: "PDF, tal como lo escribió su programa"}
	stubNotGenuine  = svc.Words{EN: "PDF, changed or made by an editor", ES: "PDF modificado o hecho con un editor"}
	stubImage       = svc.Words{EN: "Image", ES: "Imagen"}
	stubAnnualGross = svc.Words{EN: "Gross of a year, by it", ES: "Bruto anual, según él"}
	stubAnnualNet   = svc.Words{EN: "Net of a year, by it", ES: "Neto anual, según él"}
)

// riskWords are the values of job_irregularity_risk.
var riskWords = map[string]svc.Words{
	"LOW": {EN: "Low", ES: "Baja"}, "MEDIUM": {EN: "Medium", ES: "Media"}, "HIGH": {EN: "High", ES: "Alta"}}

func riskName(l svc.Lang, risk string) string { return known(l, riskWords, risk) }

var frequencyWords = map[string]svc.Words{
	"WEEKLY": {EN: "every week", ES: "cada semana"}, "BIWEEKLY": {EN: "every two weeks", ES: "cada dos semanas"},
	"SEMI_MONTHLY": {EN: "twice a month", ES: "dos veces al mes"}, "MONTHLY": {EN: "every month", ES: "cada mes"}}

// employmentWords are the values of employment_type and employment_status.
var employmentWords = map[string]svc.Words{
	"fulltime": {EN: "full time", ES: "a tiempo completo"}, "parttime": {EN: "part time", ES: "a tiempo parcial"},
	"contractor": {EN: "contractor", ES: "por cuenta propia"}, "benefit": {EN: "benefit", ES: "prestación"},
	"active": {EN: "active", ES: "activo"}, "terminated": {EN: "ended", ES: "terminado"}}

func employmentWord(l svc.Lang, value string) string { return known(l, employmentWords, value) }

// stubCheckWords say what each of a pay stub's consistency_checks holds it to.
var stubCheckWords = map[string]svc.Words{
	"START_DATE_BEFORE_END_DATE":                               {EN: "The period begins before it ends", ES: "El período empieza antes de terminar"},
	"GROSS_PAY_YTD_GREATER_THAN_OR_EQUAL_TO_GROSS_PAY_CURRENT": {EN: "The year's gross is at least the period's", ES: "El bruto del año es al menos el del período"},
	"NET_PAY_LESS_THAN_OR_EQUAL_TO_GROSS_PAY":                  {EN: "Net is at most gross", ES: "El neto no supera el bruto"},
	"COMPONENT_EARNINGS_LESS_THAN_OR_EQUAL_TO_TOTAL_GROSS_PAY": {EN: "The parts are at most the gross", ES: "Las partes no superan el bruto"},
	"EMPLOYEE_NAME_EXISTS":                                     {EN: "Names the employee", ES: "Nombra al empleado"},
	"EMPLOYER_NAME_EXISTS":                                     {EN: "Names the employer", ES: "Nombra al empleador"},
	"START_DATE_IS_VALID_DATE":                                 {EN: "The period begins on a day that exists", ES: "El período empieza en un día que existe"},
	"END_DATE_IS_VALID_DATE":                                   {EN: "The period ends on a day that exists", ES: "El período termina en un día que existe"},
	"PAY_DATE_IS_VALID_DATE":                                   {EN: "Paid on a day that exists", ES: "Se pagó en un día que existe"},
	"START_DATE_EXISTS":                                        {EN: "Says when the period begins", ES: "Dice cuándo empieza el período"},
	"END_DATE_EXISTS":                                          {EN: "Says when the period ends", ES: "Dice cuándo termina el período"},
	"PAY_DATE_EXISTS":                                          {EN: "Says when it was paid", ES: "Dice cuándo se pagó"},
	"GROSS_TOTAL_EARNINGS_AMOUNT_CURRENT_EXISTS":               {EN: "Says the gross of the period", ES: "Dice el bruto del período"},
	"NET_TOTAL_EARNINGS_AMOUNT_CURRENT_EXISTS":                 {EN: "Says the net of the period", ES: "Dice el neto del período"},
}

// irregularityWords are the reasons of irregularity_detection.
var irregularityWords = map[string]svc.Words{
	"INCREMENTAL_UPDATE":          {EN: "Something was appended to the file after it was written", ES: "Se añadió algo al archivo después de escribirlo"},
	"EDITOR_AS_PRODUCER":          {EN: "A program for editing files, pictures or letters made it", ES: "Lo hizo un programa para editar archivos, imágenes o cartas"},
	"DATES_DISAGREE":              {EN: "Its dates do not agree", ES: "Sus fechas no concuerdan"},
	"TEXT_TOUCHED_UP":             {EN: "An amount was drawn unlike the others", ES: "Un importe está dibujado de otra manera que los demás"},
	"ODD_FONT_IN_AMOUNT":          {EN: "An amount has another font than the others", ES: "Un importe tiene otra letra que los demás"},
	"TEXT_OVER_TEXT":              {EN: "Text lies under a shape, an image or other text", ES: "Hay texto bajo una forma, una imagen u otro texto"},
	"TEXT_IN_ANNOTATION":          {EN: "Text lies over the page, in notes or form fields", ES: "Hay texto sobre la página, en notas o campos"},
	"FILE_STRUCTURE_BROKEN":       {EN: "The file's own table of its parts is wrong, as after a change by hand", ES: "La tabla interna del archivo es incorrecta, como tras un cambio a mano"},
	"ACTIVE_CONTENT":              {EN: "It holds scripts, attachments or programs to be started", ES: "Contiene scripts, adjuntos o programas por iniciar"},
	"ARITHMETIC_DOES_NOT_ADD_UP":  {EN: "Amounts that must agree do not", ES: "Importes que deben cuadrar no cuadran"},
	"DEDUCTIONS_DO_NOT_FIT_RATES": {EN: "Social security or Medicare is not what the year's rates take", ES: "La seguridad social o Medicare no son lo que corresponde a las tasas del año"},
	"YEAR_TO_DATE_DOES_NOT_GROW":  {EN: "The year to date does not grow as it must", ES: "El acumulado del año no crece como debe"},
	"NO_MATCHING_DEPOSIT":         {EN: "The bank has no such deposit on those days", ES: "El banco no tiene tal depósito en esos días"},
	"STUBS_DISAGREE":              {EN: "Pay stubs of one person and employer contradict each other", ES: "Recibos de una persona y un empleador se contradicen"},
	"IMAGE_NOT_READ":              {EN: "Nothing is known of an image", ES: "De una imagen no se sabe nada"},
}
