package review

import "vestibule/internal/contract"

var (
	reportIncomeTitle   = contract.Words{EN: "Income report", ES: "Informe de ingresos"}
	incomeFromBank      = contract.Words{EN: "Income at the bank", ES: "Ingresos en el banco"}
	incomeFromPayroll   = contract.Words{EN: "Payroll", ES: "Nómina"}
	incomeFromStubs     = contract.Words{EN: "Pay stubs", ES: "Recibos de nómina"}
	incomeNewest        = contract.Words{EN: "This is the report as the service has it now. It is not kept here: the report of the application stays the one that was fetched.", ES: "Este es el informe tal como lo tiene ahora el servicio. Aquí no se guarda: el informe de la solicitud sigue siendo el que se obtuvo."}
	incomeNotRevised    = contract.Words{EN: "It was never corrected.", ES: "Nunca se ha corregido."}
	incomeRevised       = contract.Words{EN: "Some figures were computed anew by people after a dispute. Months, payments and documents are as the sources have them, and need not add up to those.", ES: "Algunas cifras fueron recalculadas por personas tras una disputa. Los meses, los pagos y los documentos están como los tienen las fuentes, y no tienen por qué sumar lo mismo."}
	incomeRevisedValues = contract.Words{EN: "Figures computed anew", ES: "Cifras recalculadas"}
	incomeAnnualGross   = contract.Words{EN: "Gross of a year", ES: "Bruto anual"}
	incomeAnnualNet     = contract.Words{EN: "Net of a year", ES: "Neto anual"}
	incomeRecentGross   = contract.Words{EN: "Gross, recently", ES: "Bruto reciente"}
	incomeRecentNet     = contract.Words{EN: "Net, recently", ES: "Neto reciente"}
	incomeBeforeTax     = contract.Words{EN: "Before taxes and deductions.", ES: "Antes de impuestos y deducciones."}
	incomeAfterTax      = contract.Words{EN: "As it is paid out.", ES: "Tal como se paga."}
	incomeRecentIs      = contract.Words{EN: "The last 3 complete months, as if for a year.", ES: "Los últimos 3 meses completos, como si fuera un año."}
	incomeStated        = contract.Words{EN: "Stated income", ES: "Ingresos indicados"}
	incomeStatedIs      = contract.Words{EN: "By the applicant, of a year.", ES: "Por el solicitante, al año."}
	incomeConsistent    = contract.Words{EN: "Every month", ES: "Cada mes"}
	incomeConsistentIs  = contract.Words{EN: "Income in each of the last 3 complete months.", ES: "Ingresos en cada uno de los últimos 3 meses completos."}
	incomePrimary       = contract.Words{EN: "Primary account", ES: "Cuenta principal"}
	incomePrimaryIs     = contract.Words{EN: "Whether the account that everyday life runs through is among those connected.", ES: "Si entre las conectadas está la cuenta de uso diario."}
	incomeRisk          = contract.Words{EN: "Irregularity of the job", ES: "Irregularidad del trabajo"}
	incomeRiskIs        = contract.Words{EN: "How much amounts and gaps of the main income vary.", ES: "Cuánto varían importes e intervalos del ingreso principal."}
	keyUnknown          = contract.Words{EN: "not known", ES: "no consta"}

	reportEmployment = contract.Words{EN: "Employment", ES: "Empleo"}
	employmentIs     = contract.Words{EN: "Where the applicant works, as stated and by each source", ES: "Dónde trabaja el solicitante, según indicó y según cada fuente"}
	reportEmployer   = contract.Words{EN: "Employer", ES: "Empleador"}
	reportJob        = contract.Words{EN: "Job", ES: "Puesto"}
	reportEstimated  = contract.Words{EN: "estimated", ES: "estimado"}
	reportAddress    = contract.Words{EN: "Address", ES: "Dirección"}
	employerCompared = contract.Words{EN: "Employer compared", ES: "Empleador comparado"}

	incomeFigures    = contract.Words{EN: "What the model makes of it", ES: "Lo que calcula el modelo"}
	incomeModel      = contract.Words{EN: "Model", ES: "Modelo"}
	incomeStreams    = contract.Words{EN: "Largest inflows", ES: "Mayores ingresos"}
	incomeInflows    = contract.Words{EN: "Inflows", ES: "Ingresos periódicos"}
	incomeInflowsOf  = contract.Words{EN: "Recurring income, and the stated employer that it is from", ES: "Ingresos periódicos y el empleador indicado del que provienen"}
	incomeInflow     = contract.Words{EN: "Inflow", ES: "Ingreso"}
	incomeOfEmployer = contract.Words{EN: "Stated employer", ES: "Empleador indicado"}
	incomeYear       = contract.Words{EN: "Of a year", ES: "Al año"}
	incomeRecently   = contract.Words{EN: "Recently, as if for a year", ES: "Reciente, como anual"}
	incomeUnmatched  = contract.Words{EN: "none of those stated", ES: "ninguno de los indicados"}
	incomeMatched    = contract.Words{EN: "Stated and found", ES: "Indicado y encontrado"}
	incomeHistory    = contract.Words{EN: "Income by month", ES: "Ingresos por mes"}
	incomeNet        = contract.Words{EN: "Net", ES: "Neto"}
	incomeGross      = contract.Words{EN: "Gross", ES: "Bruto"}
	incomeTaken      = contract.Words{EN: "Taxes and deductions, up to the gross", ES: "Impuestos y deducciones, hasta el bruto"}
	incomeMonthTable = contract.Words{EN: "Month by month, as a table", ES: "Mes a mes, en una tabla"}

	payrollProvider   = contract.Words{EN: "Provider", ES: "Proveedor"}
	payrollSalary     = contract.Words{EN: "Salary of a year", ES: "Salario anual"}
	payrollGross      = contract.Words{EN: "Estimated gross of a year", ES: "Bruto anual estimado"}
	payrollNet        = contract.Words{EN: "Estimated net of a year", ES: "Neto anual estimado"}
	payrollPeriod     = contract.Words{EN: "Latest period", ES: "Último período"}
	payrollFrequency  = contract.Words{EN: "Paid", ES: "Se paga"}
	payrollStatements = contract.Words{EN: "Pay statements", ES: "Recibos de nómina"}
	payrollDate       = contract.Words{EN: "Paid on", ES: "Pagado el"}
	payrollYTD        = contract.Words{EN: "of the year so far", ES: "acumulado del año"}

	stubIs          = contract.Words{EN: "Uploaded by the applicant. What was read from each file stands beside what was checked; open the file to see for yourself.", ES: "Subidos por el solicitante. Lo leído en cada archivo está junto a lo comprobado; abra el archivo para verlo."}
	stubOf          = contract.Words{EN: "Pay stub", ES: "Recibo"}
	stubFile        = contract.Words{EN: "Download the file", ES: "Descargar el archivo"}
	stubNothing     = contract.Words{EN: "nothing irregular found", ES: "sin irregularidades"}
	stubLook        = contract.Words{EN: "to be looked at", ES: "conviene mirarlo"}
	stubAltered     = contract.Words{EN: "irregularities found", ES: "irregularidades encontradas"}
	stubReasons     = contract.Words{EN: "What was found", ES: "Lo encontrado"}
	stubChecks      = contract.Words{EN: "Checks of what it says", ES: "Comprobaciones de su contenido"}
	stubHolds       = contract.Words{EN: "holds", ES: "se cumple"}
	stubFails       = contract.Words{EN: "does not hold", ES: "no se cumple"}
	stubUnchecked   = contract.Words{EN: "could not be checked", ES: "no se pudo comprobar"}
	stubCheck       = contract.Words{EN: "Check", ES: "Comprobación"}
	stubAmounts     = contract.Words{EN: "Amounts", ES: "Importes"}
	stubItem        = contract.Words{EN: "Item", ES: "Concepto"}
	stubCurrent     = contract.Words{EN: "This period", ES: "Este período"}
	stubYTD         = contract.Words{EN: "Year to date", ES: "Acumulado del año"}
	stubEmployee    = contract.Words{EN: "Employee", ES: "Empleado"}
	stubPeriod      = contract.Words{EN: "Period", ES: "Período"}
	stubPaid        = contract.Words{EN: "Paid on", ES: "Pagado el"}
	stubHired       = contract.Words{EN: "Hired", ES: "Contratado"}
	stubMadeBy      = contract.Words{EN: "Made by", ES: "Emitido por"}
	stubKindOfFile  = contract.Words{EN: "File", ES: "Archivo"}
	stubGenuine     = contract.Words{EN: "PDF, as its program wrote it", ES: "PDF, tal como lo escribió su programa"}
	stubNotGenuine  = contract.Words{EN: "PDF, changed or made by an editor", ES: "PDF modificado o hecho con un editor"}
	stubImage       = contract.Words{EN: "Image", ES: "Imagen"}
	stubAnnualGross = contract.Words{EN: "Gross of a year, by it", ES: "Bruto anual, según él"}
	stubAnnualNet   = contract.Words{EN: "Net of a year, by it", ES: "Neto anual, según él"}
)

// riskWords are the values of job_irregularity_risk.
var riskWords = map[string]contract.Words{
	"LOW": {EN: "Low", ES: "Baja"}, "MEDIUM": {EN: "Medium", ES: "Media"}, "HIGH": {EN: "High", ES: "Alta"}}

func riskName(l contract.Lang, risk string) string { return known(l, riskWords, risk) }

var frequencyWords = map[string]contract.Words{
	"WEEKLY": {EN: "every week", ES: "cada semana"}, "BIWEEKLY": {EN: "every two weeks", ES: "cada dos semanas"},
	"SEMI_MONTHLY": {EN: "twice a month", ES: "dos veces al mes"}, "MONTHLY": {EN: "every month", ES: "cada mes"}}

// employmentWords are the values of employment_type and employment_status.
var employmentWords = map[string]contract.Words{
	"fulltime": {EN: "full time", ES: "a tiempo completo"}, "parttime": {EN: "part time", ES: "a tiempo parcial"},
	"contractor": {EN: "contractor", ES: "por cuenta propia"}, "benefit": {EN: "benefit", ES: "prestación"},
	"active": {EN: "active", ES: "activo"}, "terminated": {EN: "ended", ES: "terminado"}}

func employmentWord(l contract.Lang, value string) string { return known(l, employmentWords, value) }

// stubCheckWords say what each of a pay stub's consistency_checks holds it to.
var stubCheckWords = map[string]contract.Words{
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
var irregularityWords = map[string]contract.Words{
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
