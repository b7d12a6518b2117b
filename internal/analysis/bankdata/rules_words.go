package bankdata

// wordFlags are the words that a counterparty's name does without, by the
// number of their flag.
var wordFlags = [...]string{
	0: `ach debit credit card purchase pos checkcard ckcd check recurring payment payments pymt pmt paymt pymnt pymts authorized auth on des id indn
		ppd ccd web tel ctx arc pop boc rck edi ent online mobile electronic epay epayment autopay bill billpay pay paid external withdrawal withdrawl deposit dep transaction
		trans trn transfer xfer tfr trace number num no nbr ref reference conf confirmation seq date type visa mastercard mc dda crd dbt
		debitcard intl domestic merchant name desc description memo inst instant processed pending posted preauthorized pre signature pin
		from to for by at the and of with via a dir direct directdep eft sq tst paypal pp sp py pymtdes eed co entry descr sec orig business
		jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september october november december
		mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday
		www http https com net org us usa`,
	1: `al ak az ar ca co ct de dc fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa pr ri sc sd tn tx ut vt va wa wv wi wy`,
	2: `new san santa los las fort ft port saint st el la le north south east west lake mount mt point palm long grand cedar white salt kansas oklahoma
		colorado virginia baton corpus des overland sioux green little big round college boca coral delray daly el rancho redwood thousand garden huntington
		newport laguna simi moreno costa chula jersey atlantic cape myrtle hilton johnson rapid council grand ann bowling silver falls glen elk`,
	3: `indn`,
	4: `co ppd ccd web tel ctx`,
}
