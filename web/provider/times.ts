// Moments on pages that have no script of their own.
import { localTimes } from "../ui/times";

localTimes(document);

// The day until which a freeze is lifted ends in the reader's own time zone.
const day = document.querySelector<HTMLInputElement>("input[name=until]");
const offset = document.querySelector<HTMLInputElement>("input[name=offset]");
const hint = document.getElementById("until-hint");
if (day?.form && offset && hint) {
	const named = new Intl.DateTimeFormat(`${document.documentElement.lang}-US`, { timeZoneName: "long" }).formatToParts();
	hint.textContent = hint.textContent?.replace("UTC", named.find((p) => p.type === "timeZoneName")?.value ?? "UTC") ?? "";
	day.form.addEventListener("submit", () => {
		offset.value = String(new Date(`${day.value}T23:59:59`).getTimezoneOffset());
	});
}
