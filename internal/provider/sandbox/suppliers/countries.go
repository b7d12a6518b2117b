package suppliers

import "strings"

// country has the data for files of one country. Lists are separated by bars; a name
// with a Latin spelling has it after a slash. People, companies, and streets are
// invented; cities and postcodes are real so that addresses look real.
type country struct {
	currency   string // ISO 4217
	rate       int64  // US dollars for one unit, in billionths: about what it was in 2025, and no quotation
	monthly    int64  // a usual net wage of a month, in whole units
	givenNames string
	family     string
	order      string // of a full name: G given, M middle, F family, S second family; joined by a space, or by nothing with a minus before
	upper      bool   // names are kept in capitals
	homes      string // street and number
	cities     string // city, region, postcode separated by semicolons; each with the home of its place in the list
	line       string // of an address: S street, C city, R region, P postcode, N country's name
	name       string // of the country, in its own language
	works      string // employers
	jobs       string
	lenders    string
	agency     string // collects debts
	court      string
	phone      string // # is a digit
	number     string // of the identifier: # a digit, @ a letter
	kind       string // of the identifier
}

// in returns the country of a code; MITEK's documents have no fixed country.
func in(code string) (country, bool) {
	c, ok := countries[code]
	return c, ok
}

func list(s string) []string { return strings.Split(s, "|") }

// spelling returns a name in its own script and in Latin letters.
func spelling(s string) (own, latin string) {
	own, latin, found := strings.Cut(s, "/")
	if !found {
		return own, own
	}
	return own, latin
}

// foreign reports whether the country uses another script than Latin.
func (c country) foreign() bool { return strings.Contains(c.givenNames, "/") }

var countries = map[string]country{
	"AUS": {currency: "AUD", rate: 650_000_000, monthly: 5_800, order: "G M F", upper: true,
		givenNames: "Oliver|Charlotte|Jack|Amelia|Noah|Isla|Thomas|Ruby|Lachlan|Matilda",
		family:     "Smith|Nguyen|Walker|Kelly|Campbell|Harris|Murphy|Singh|Baker|Reid",
		homes:      "14 Wattle Street|203 Banksia Road|8/51 Harbour Parade|76 Jacaranda Avenue",
		cities:     "Parramatta;NSW;2150|Geelong;VIC;3220|Toowoomba;QLD;4350|Fremantle;WA;6160",
		line:       "S, C R P", name: "Australia", works: "Southern Reef Logistics Pty Ltd|Bluegum Health Services|Coolabah Energy",
		jobs:    "Registered nurse|Site supervisor|Payroll officer",
		lenders: "Southern Cross Mutual|Wattle Bank|Harbour Finance", agency: "Redgum Recoveries",
		court: "Local Court of New South Wales", phone: "+61 4## ### ###", number: "### ### ###", kind: "TAX_ID"},
	"CAN": {currency: "CAD", rate: 730_000_000, monthly: 4_700, order: "G M F", upper: true,
		givenNames: "Liam|Emma|William|Olivia|Gabriel|Léa|Benjamin|Chloé|Samuel|Zoé",
		family:     "Tremblay|Martin|Roy|MacDonald|Gagnon|Wilson|Chan|Bouchard|Campbell|Singh",
		homes:      "411 Maple Crescent|27 Rue des Érables|1880 Lakeshore Road West|905 Portage Avenue",
		cities:     "Mississauga;ON;L5B 3C1|Laval;QC;H7T 1C7|Burnaby;BC;V5H 4M1|Winnipeg;MB;R3C 0V8",
		line:       "S, C R P", name: "Canada", works: "Northern Spruce Foods Inc.|Laurentide Software|Prairie Rail Services",
		jobs:    "Accountant|Software developer|Conductor",
		lenders: "Dominion Credit Union|Banque du Saint-Maurice|Maple Trust", agency: "True North Collections",
		court: "Ontario Superior Court of Justice", phone: "+1 416 555 01##", number: "### ### ###", kind: "SOCIAL_SECURITY"},
	"GBR": {currency: "GBP", rate: 1_300_000_000, monthly: 2_700, order: "G M F",
		givenNames: "George|Olivia|Harry|Amelia|Arthur|Isla|Muhammad|Freya|Jacob|Poppy",
		family:     "Smith|Jones|Taylor|Patel|Williams|Brown|Davies|Evans|Khan|Thomas",
		homes:      "12 Chapel Lane|48 Station Road|Flat 3, 91 Victoria Street|7 Orchard Close",
		cities:     "Leeds;West Yorkshire;LS1 4DY|Cardiff;South Glamorgan;CF10 1EP|Norwich;Norfolk;NR1 3QU|Paisley;Renfrewshire;PA1 1BF",
		line:       "S, C P", name: "United Kingdom", works: "Pennine Care Group|Thistle Engineering Ltd|Wharf & Sons Publishing",
		jobs:    "Care manager|Fitter|Editor",
		lenders: "Albion Building Society|Pennine Bank|Thistle Cards", agency: "Wessex Debt Services",
		court: "County Court Business Centre", phone: "+44 7700 900###", number: "@@ ## ## ## @", kind: "SOCIAL_SECURITY"},
	"IND": {currency: "INR", rate: 11_900_000, monthly: 62_000, order: "G F", upper: true,
		givenNames: "Aarav|Ananya|Vivaan|Diya|Arjun|Priya|Rohan|Sneha|Karthik|Meera",
		family:     "Sharma|Patel|Reddy|Iyer|Singh|Gupta|Nair|Das|Mehta|Joshi",
		homes:      "Flat 402, Lotus Residency, MG Road|17/3 Nehru Nagar|House 88, Sector 21|5th Cross, Jayanagar",
		cities:     "Pune;Maharashtra;411001|Bengaluru;Karnataka;560041|Ahmedabad;Gujarat;380009|Kochi;Kerala;682016",
		line:       "S, C, R P", name: "India", works: "Sahyadri Infotech Pvt Ltd|Lotus Pharma Limited|Deccan Motors",
		jobs:    "Software engineer|Chemist|Sales manager",
		lenders: "Bharat Nagrik Bank|Lotus Finance Ltd|Deccan Housing Finance", agency: "Sahara Recovery Services",
		court: "Debts Recovery Tribunal, Pune", phone: "+91 98### #####", number: "@@@@@####@", kind: "TAX_ID"},
	"MEX": {currency: "MXN", rate: 54_000_000, monthly: 19_500, order: "G M F S", upper: true,
		givenNames: "José|María|Juan|Guadalupe|Luis|Sofía|Carlos|Ximena|Ángel|Renata",
		family:     "Hernández|García|Martínez|López|González|Pérez|Muñoz|Sánchez|Ramírez|Núñez",
		homes:      "Calle Jacarandas 118|Av. Insurgentes Sur 2047, Int. 6|Privada de los Olivos 9|Calle 5 de Mayo 340",
		cities:     "Guadalajara;Jalisco;44100|Monterrey;Nuevo León;64000|Puebla;Puebla;72000|Mérida;Yucatán;97000",
		line:       "S, P C, R", name: "México", works: "Textiles del Bajío S.A. de C.V.|Servicios Médicos " +
			"Anáhuac|Autopartes Regiomontanas", jobs: "Contadora|Ingeniero de planta|Enfermera",
		lenders: "Banco del Valle|Crédito Popular Anáhuac|Tiendas La Esquina", agency: "Cobranza del Centro",
		court: "Juzgado Segundo Mercantil", phone: "+52 55 #### ####", number: "@@@@######@@#", kind: "TAX_ID"},
	"KOR": {currency: "KRW", rate: 720_000, monthly: 3_400_000, order: "-F G",
		givenNames: "민준/Minjun|서연/Seoyeon|도윤/Doyun|지우/Jiwoo|하준/Hajun|서윤/Seoyun|지호/Jiho|수아/Sua|현우/Hyeonwoo|은지/Eunji",
		family:     "김/Kim|이/Lee|박/Park|최/Choi|정/Jung|강/Kang|조/Cho|윤/Yoon|장/Jang|임/Lim",
		homes:      "테헤란로 152|중앙대로 1001, 803호|동성로 25|월드컵북로 400", cities: "서울특별시;강남구;06236|부산광역시;연제구;47545|대구광역시;중구;41937|서울특별시;마포구;03925",
		line: "C R S (P)", name: "대한민국", works: "한빛전자 주식회사|푸른솔 의료재단|대양물류", jobs: "연구원|간호사|물류 담당자",
		lenders: "한빛은행|새봄카드|푸른저축은행", agency: "으뜸신용정보", court: "서울중앙지방법원", phone: "+82 10-####-####",
		number: "######-#######", kind: "NATIONAL_ID"},
	"NGA": {currency: "NGN", rate: 650_000, monthly: 260_000, order: "G M F", upper: true,
		givenNames: "Chinedu|Ngozi|Tunde|Aisha|Emeka|Fọlákẹ́|Ibrahim|Zainab|Ṣẹ́gun|Blessing",
		family:     "Okafor|Adébáyọ̀|Bello|Eze|Mohammed|Okonkwo|Balógun|Usman|Ogunleye|Nwosu",
		homes:      "12 Allen Avenue|45 Aba Road|Plot 7, Ahmadu Bello Way|3 Ring Road",
		cities:     "Ikeja;Lagos;100271|Port Harcourt;Rivers;500001|Kaduna;Kaduna;800001|Ibadan;Oyo;200001",
		line:       "S, C, R", name: "Nigeria", works: "Niger Delta Shipping Ltd|Zuma Microfoods|Sahel Telecom Services",
		jobs:    "Logistics officer|Trader|Network engineer",
		lenders: "Zuma Bank Plc|Sahel Microfinance Bank|Harmattan Credit", agency: "Lagoon Recovery Agents",
		court: "Federal High Court, Lagos", phone: "+234 80# ### ####", number: "###########", kind: "NATIONAL_ID"},
	"BRA": {currency: "BRL", rate: 180_000_000, monthly: 4_200, order: "G M F", upper: true,
		givenNames: "João|Maria|Miguel|Helena|Pedro|Júlia|Antônio|Conceição|Rafael|Letícia",
		family:     "Silva|Santos|Oliveira|Souza|Conceição|Araújo|Gonçalves|Ribeiro|Assunção|Magalhães",
		homes:      "Rua das Acácias, 210|Av. Paulista, 1578, apto. 92|Travessa São José, 14|Rua XV de Novembro, 801",
		cities:     "São Paulo;SP;01310-200|Curitiba;PR;80020-310|Salvador;BA;40020-000|Florianópolis;SC;88010-000",
		line:       "S, C - R, P", name: "Brasil", works: "Usina Três Irmãos S.A.|Rede de Farmácias Ipê|Construtora Araucária",
		jobs:    "Engenheira civil|Farmacêutico|Analista",
		lenders: "Banco Araucária|Financeira Ipê|Cartões Jacarandá", agency: "Cobrança Sul", court: "2ª Vara Cível de Curitiba",
		phone: "+55 11 9####-####", number: "###.###.###-##", kind: "TAX_ID"},
	"CHN": {currency: "CNY", rate: 138_000_000, monthly: 9_800, order: "-F G",
		givenNames: "伟/Wei|芳/Fang|秀英/Xiuying|娜/Na|敏/Min|静/Jing|丽娟/Lijuan|强/Qiang|思远/Siyuan|雨桐/Yutong",
		family:     "王/Wang|李/Li|张/Zhang|刘/Liu|陈/Chen|杨/Yang|黄/Huang|赵/Zhao|周/Zhou|欧阳/Ouyang",
		homes:      "中山路88号3单元502室|人民南路四段19号|解放大道1200号|建国门外大街6号院", cities: "上海市;浦东新区;200120|成都市;武侯区;610041|武汉市;江汉区;430022|北京市;朝阳区;100022",
		line: "C R S P", name: "中国", works: "长江精密机械有限公司|东方蓝天软件公司|海棠贸易有限公司", jobs: "工程师|会计|项目经理",
		lenders: "长江商业银行|海棠消费金融|东方汽车金融", agency: "诚达资产管理", court: "上海市浦东新区人民法院", phone: "+86 138 #### ####",
		number: "##################", kind: "NATIONAL_ID"},
	"KEN": {currency: "KES", rate: 7_700_000, monthly: 68_000, order: "G M F", upper: true,
		givenNames: "Brian|Achieng|Kevin|Wanjiru|Dennis|Atieno|Mwangi|Njeri|Kiprop|Halima",
		family:     "Otieno|Kamau|Mutua|Wambui|Kiptoo|Ochieng|Njoroge|Hassan|Chebet|Muthoni",
		homes:      "Moi Avenue 14|Kenyatta Road, House 6|Ngong Road, Block C|Oginga Odinga Street 31",
		cities:     "Nairobi;Nairobi;00100|Mombasa;Mombasa;80100|Kisumu;Kisumu;40100|Nakuru;Nakuru;20100",
		line:       "S, P C", name: "Kenya", works: "Rift Valley Growers Ltd|Savanna Mobile|Coral Coast Hotels",
		jobs:    "Agronomist|Shop manager|Chef",
		lenders: "Savanna Bank|Uwezo Sacco|Tausi Digital Loans", agency: "Simba Collections", court: "Milimani Commercial Court",
		phone: "+254 7## ######", number: "########", kind: "NATIONAL_ID"},
	"DOM": {currency: "DOP", rate: 16_500_000, monthly: 42_000, order: "G M F S", upper: true,
		givenNames: "José|Altagracia|Rafael|Yolanda|Luis|Mercedes|Ramón|Carolina|Félix|Inés",
		family:     "Rodríguez|Pérez|Martínez|Núñez|De la Cruz|Peña|Rosario|Jiménez|Báez|Guzmán",
		homes:      "Calle El Conde 55|Av. 27 de Febrero 410|Calle Duarte 12, Apto. 2B|Av. Estrella Sadhalá 90",
		cities:     "Santo Domingo;Distrito Nacional;10101|Santiago;Santiago;51000|La Romana;La Romana;22000|Puerto Plata;Puerto Plata;57000",
		line:       "S, C P", name: "República Dominicana", works: "Hoteles Costa Coral|Tabacos del Cibao|Zona Franca Quisqueya",
		jobs:    "Recepcionista|Supervisor|Contable",
		lenders: "Banco Quisqueya|Ahorros del Cibao|Créditos Larimar", agency: "Gestiones del Caribe",
		court: "Cámara Civil y Comercial", phone: "+1 809 555 01##", number: "###-#######-#", kind: "NATIONAL_ID"},
	"PHL": {currency: "PHP", rate: 17_300_000, monthly: 28_000, order: "G M F", upper: true,
		givenNames: "Juan|Maria|Jose|Angel|Mark|Princess|Niño|Jasmine|Paolo|Althea",
		family:     "Dela Cruz|Reyes|Santos|Garcia|Mendoza|Bautista|Villanueva|Aquino|Peña|Magsaysay",
		homes:      "128 Mabini Street|Unit 9B, Acacia Tower, Ayala Avenue|45 Rizal Avenue|Blk 3 Lot 12, Sampaguita Street",
		cities:     "Quezon City;Metro Manila;1100|Makati;Metro Manila;1226|Cebu City;Cebu;6000|Davao City;Davao del Sur;8000",
		line:       "S, C, R P", name: "Philippines", works: "Mayon Contact Services Inc.|Sampaguita Retail Corp.|Visayas Shipyards",
		jobs:    "Team leader|Store manager|Welder",
		lenders: "Bangko ng Bayan|Mayon Savings Bank|Sampaguita Lending", agency: "Luzon Credit Recovery",
		court: "Regional Trial Court, Makati", phone: "+63 9## ### ####", number: "####-#######-#", kind: "SOCIAL_SECURITY"},
	"ESP": {currency: "EUR", rate: 1_100_000_000, monthly: 1_950, order: "G F S",
		givenNames: "Hugo|Lucía|Martín|Sofía|Pablo|Martina|Íñigo|Begoña|Jordi|Núria",
		family:     "García|Fernández|Muñoz|Álvarez|Ibáñez|Peña|Gutiérrez|Ordóñez|Puig|Etxeberria",
		homes:      "Calle Mayor 23, 4º B|Av. de la Constitución 8|Carrer de Mallorca 312, 2n 1a|Plaza Nueva 5",
		cities:     "Madrid;Madrid;28013|Sevilla;Sevilla;41004|Barcelona;Barcelona;08037|Bilbao;Bizkaia;48005",
		line:       "S, P C", name: "España", works: "Olivares del Sur S.L.|Astilleros Nervión|Clínica Montjuïc",
		jobs:    "Enfermera|Soldador|Administrativo",
		lenders: "Banco Nervión|Caja Rural del Sur|Financiera Tibidabo", agency: "Recobros Ibéricos",
		court: "Juzgado de Primera Instancia nº 4", phone: "+34 6## ### ###", number: "########@", kind: "NATIONAL_ID"},
	"AUT": {currency: "EUR", rate: 1_100_000_000, monthly: 2_500, order: "G M F",
		givenNames: "Jakob|Marie|Lukas|Anna|Maximilian|Johanna|Jürgen|Käthe|Florian|Magdalena",
		family:     "Gruber|Huber|Bauer|Wagner|Müller|Pichler|Steiner|Höfer|Kößler|Eder",
		homes:      "Mariahilfer Straße 88/12|Linzer Gasse 41|Kärntner Ring 9/3|Grazbachgasse 17",
		cities:     "Wien;Wien;1070|Salzburg;Salzburg;5020|Innsbruck;Tirol;6020|Graz;Steiermark;8010",
		line:       "S, P C", name: "Österreich", works: "Alpenholz GmbH|Donau Optik AG|Gasthof Seeblick", jobs: "Tischler|Technikerin|Koch",
		lenders: "Volksbank Donautal|Alpenkredit AG|Salzach Leasing", agency: "Inkasso Tauern",
		court: "Bezirksgericht Innere Stadt Wien", phone: "+43 660 #######", number: "#### ######", kind: "SOCIAL_SECURITY"},
	"DEU": {currency: "EUR", rate: 1_100_000_000, monthly: 2_600, order: "G M F",
		givenNames: "Leon|Hannah|Paul|Emma|Jürgen|Käthe|Felix|Greta|Björn|Sophie",
		family:     "Müller|Schmidt|Schäfer|Weiß|Fischer|Köhler|Wagner|Yılmaz|Krüger|Groß",
		homes:      "Lindenstraße 7|Hauptstraße 112|Am Mühlenbach 3|Königsallee 58",
		cities:     "Köln;Nordrhein-Westfalen;50674|Leipzig;Sachsen;04109|München;Bayern;80331|Lübeck;Schleswig-Holstein;23552",
		line:       "S, P C", name: "Deutschland", works: "Rheintal Maschinenbau GmbH|Nordlicht Software AG|Klinikum am Park",
		jobs:    "Mechatroniker|Ärztin|Sachbearbeiter",
		lenders: "Sparbank Rheintal|Hansekredit AG|Lindenbank Bausparkasse", agency: "Forderungsdienst Nord",
		court: "Amtsgericht Köln", phone: "+49 151 ########", number: "## ### ### ###", kind: "TAX_ID"},
	"CHE": {currency: "CHF", rate: 1_180_000_000, monthly: 6_100, order: "G M F",
		givenNames: "Noah|Mia|Luca|Élise|Matteo|Chiara|Jürg|Ursina|Loïc|Zoé",
		family:     "Müller|Keller|Rochat|Bernasconi|Meier|Favre|Bianchi|Zürcher|Caduff|Dubois",
		homes:      "Bahnhofstrasse 21|Rue du Lac 14|Via Nassa 6|Seefeldstrasse 130",
		cities:     "Zürich;ZH;8008|Lausanne;VD;1003|Lugano;TI;6900|Chur;GR;7000",
		line:       "S, P C", name: "Schweiz", works: "Uhrenwerk Jura SA|Alpstein Pharma AG|Gotthard Transport",
		jobs:    "Uhrmacher|Laborantin|Disponent",
		lenders: "Kreditbank Säntis|Banque du Léman|Lagokarten AG", agency: "Helvet Inkasso", court: "Betreibungsamt Zürich 8",
		phone: "+41 79 ### ## ##", number: "756.####.####.##", kind: "SOCIAL_SECURITY"},
	"USA": {currency: "USD", rate: 1_000_000_000, monthly: 4_600, order: "G M F", upper: true,
		givenNames: "James|Mary|Michael|Patricia|Robert|Jennifer|David|Linda|Jose|Barbara",
		family:     "Johnson|Williams|Garcia|Miller|Rodriguez|Nguyen|Anderson|Thomas|Moore|Lee",
		homes:      "418 Maple Avenue Apt 2|77 Birch Lane|9 Station Road|1500 Oak Boulevard",
		cities:     "Austin;TX;78701|Topeka;KS;66603|Duluth;MN;55802|Fresno;CA;93721",
		line:       "S, C, R P", name: "United States", works: "Northwind Logistics Inc|Great Lakes " +
			"Medical Center|Sunflower Foods Inc", jobs: "Dispatcher|Nurse|Line cook",
		lenders: "Harbor National Bank|Prairie Federal Bank|Cedar Auto Finance", agency: "Summit Recovery LLC",
		court: "Travis County District Court", phone: "+1 512 555 01##", number: "###-##-####", kind: "SOCIAL_SECURITY"},
	"UKR": {currency: "UAH", rate: 24_200_000, monthly: 21_000, order: "F G",
		givenNames: "Олександр/Oleksandr|Олена/Olena|Андрій/Andrii|Наталія/Nataliia|Сергій/Serhii|Ірина/Iryna|" +
			"Максим/Maksym|Юлія/Yuliia|Тарас/Taras|Оксана/Oksana",
		family: "Мельник/Melnyk|Шевченко/Shevchenko|Коваленко/Kovalenko|Бондаренко/Bondarenko|" +
			"Ткаченко/Tkachenko|Кравченко/Kravchenko|Олійник/Oliinyk|Лисенко/Lysenko|Поліщук/Polishchuk|Савчук/Savchuk",
		homes:  "вул. Хрещатик, 22, кв. 14|просп. Свободи, 7|вул. Дерибасівська, 16|вул. Сумська, 48, кв. 3",
		cities: "Київ;Київ;01001|Львів;Львівська обл.;79000|Одеса;Одеська обл.;65000|Харків;Харківська обл.;61000",
		line:   "S, C, P", name: "Україна", works: "ТОВ «Дніпро Агро»|ПрАТ «Карпатські технології»|Клініка «Здоров’я»",
		jobs:    "Агроном|Розробниця|Лікар",
		lenders: "Банк «Подільський»|Кредитна спілка «Злагода»|АТ «Чайка Фінанс»", agency: "ТОВ «Боргові рішення»",
		court: "Печерський районний суд м. Києва", phone: "+380 67 ### ## ##", number: "##########", kind: "TAX_ID"},
	"ZAF": {currency: "ZAR", rate: 55_000_000, monthly: 24_000, order: "G M F", upper: true,
		givenNames: "Thabo|Lerato|Sipho|Zanele|Johan|Anika|Pieter|Nomvula|Riaan|Ayesha",
		family:     "Nkosi|Dlamini|Van der Merwe|Botha|Naidoo|Mokoena|Pillay|Khumalo|Du Plessis|Jacobs",
		homes:      "14 Protea Street|88 Jan Smuts Avenue|Unit 4, Fynbos Mews|231 Umgeni Road",
		cities:     "Cape Town;Western Cape;8001|Johannesburg;Gauteng;2196|Durban;KwaZulu-Natal;4001|Bloemfontein;Free State;9301",
		line:       "S, C, P", name: "South Africa", works: "Karoo Mining Supplies|Table Bay Foods|Highveld Power Services",
		jobs:    "Electrician|Buyer|Safety officer",
		lenders: "Protea Bank|Ubuntu Mutual|Springbok Motors Finance", agency: "Highveld Recoveries",
		court: "Magistrate's Court Johannesburg", phone: "+27 82 ### ####", number: "#############", kind: "NATIONAL_ID"},
	"GHA": {currency: "GHS", rate: 88_000_000, monthly: 3_900, order: "G M F", upper: true,
		givenNames: "Kwame|Ama|Kofi|Akosua|Yaw|Abena|Kojo|Efua|Kwabena|Adwoa",
		family:     "Mensah|Owusu|Boateng|Asante|Appiah|Osei|Addo|Agyemang|Quaye|Tetteh",
		homes:      "12 Oxford Street, Osu|House B24, Adum|5 Harbour Road|Ring Road East 61",
		cities:     "Accra;Greater Accra;GA-039|Kumasi;Ashanti;AK-100|Takoradi;Western;WS-020|Tema;Greater Accra;GT-012",
		line:       "S, C, P", name: "Ghana", works: "Volta Cocoa Traders|Gold Coast Builders|Adinkra Telecom",
		jobs:    "Quality inspector|Mason|Technician",
		lenders: "Volta Savings & Loans|Adinkra Bank|Sankofa Microcredit", agency: "Anchor Debt Agency", court: "High Court, Accra",
		phone: "+233 24 ### ####", number: "GHA-#########-#", kind: "NATIONAL_ID"},
	"COL": {currency: "COP", rate: 245_000, monthly: 2_600_000, order: "G M F S", upper: true,
		givenNames: "Santiago|Valentina|Andrés|Mariana|Sebastián|Daniela|Óscar|Luz|Germán|Ángela",
		family:     "Rodríguez|Gómez|Muñoz|Ramírez|Ospina|Cárdenas|Zuluaga|Peña|Restrepo|Ordóñez",
		homes:      "Carrera 7 No. 45-12|Calle 10 No. 32-88, Apto. 501|Avenida 6N No. 17-20|Transversal 54 No. 21-9",
		cities:     "Bogotá;D.C.;110231|Medellín;Antioquia;050021|Cali;Valle del Cauca;760046|Cartagena;Bolívar;130015",
		line:       "S, C, R", name: "Colombia", works: "Cafetera del Quindío S.A.S.|Flores de la Sabana|Transportes Magdalena",
		jobs:    "Catadora|Supervisor de cultivo|Conductor",
		lenders: "Banco Magdalena|Cooperativa La Sabana|Crédito Cóndor", agency: "Cobranzas Andinas",
		court: "Juzgado Quinto Civil Municipal", phone: "+57 300 ### ####", number: "##########", kind: "NATIONAL_ID"},
}
