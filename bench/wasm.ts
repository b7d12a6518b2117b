// The page of the group "wasm": the rules for applicant data by the WASM module
// beside the same rules written with zod. It first holds the two to the same
// verdicts on the whole table of cases, then measures them in turns and posts
// the times.

import { z } from "zod";
import { checker } from "../web/portal/parts/check";

declare const Go: { new (): { importObject: WebAssembly.Imports; run(i: WebAssembly.Instance): Promise<void> } };

type Case = { name: string; product: string; today: string; environment?: string; prefill: object; problems: string[] };

const today = "2026-11-21";

const length = (s: string): number => {
  let n = 0;
  for (const _ of s) n++;
  return n;
};
const atMost = (max: number) => (s: string): boolean => s.length <= max || length(s) <= max;

const name = z.string().regex(/^(?:\p{L}\p{M}*|[ .'’\-\u2010-\u2014])*$/u).regex(/\p{L}/u).refine(atMost(254));
const line = (max: number) => z.string().regex(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufffd]*$/).regex(/\S/).refine(atMost(max));
const atom = "[a-z\\d!#$%&'*+\\-/=?^_`{|}~]+";
const email = z.string().max(100)
  .regex(new RegExp(String.raw`^(?=[^@]{1,64}@)${atom}(?:\.${atom})*@` +
    String.raw`(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$`, "i"));
const day = /^(\d{4})-(\d\d)-(\d\d)$/;
const later = (s: string, years: number): string => String(Number(s.slice(0, 4)) + years).padStart(4, "0") + s.slice(4);
const dob = z.string().regex(day, { abort: true }).refine((s) => {
  const [, y, m, d] = day.exec(s)!.map(Number) as [number, number, number, number];
  const t = new Date(Date.UTC(y, m - 1, d));
  return t.getUTCFullYear() === y && t.getUTCMonth() === m - 1 && t.getUTCDate() === d;
}).refine((s) => later(s, 1) <= today && today < later(s, 111));
const states = ("AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS MT NC ND NE NH NJ NM NV NY " +
  "OH OK OR PA PR RI SC SD TN TX UM UT VA VI VT WA WI WV WY").split(" ");

const form = z.strictObject({
  firstName: name,
  lastName: name,
  email,
  dob: dob.nullish(),
  phone: z.string().refine(atMost(255)).nullish(),
  address: line(100).regex(/\p{L}/u).nullish(),
  city: line(100).nullish(),
  state: z.enum(states as [string, ...string[]]).nullish(),
  zip: z.string().regex(/^\d{5}(?:-\d{4})?$/).nullish(),
  statedAnnualIncome: z.number().int().min(0).max(2147483647).nullish(),
  statedEmployerName: line(255).nullish(),
}).superRefine((f, ctx) => {
  if (f.dob == null && (f.address == null || f.city == null || f.state == null || f.zip == null)) {
    ctx.addIssue({ code: "custom", path: ["dob"], message: "dob or address" });
  }
});

// What people send: most forms are right, some have a slip or two.
const forms: object[] = [
  { firstName: "Ana", lastName: "Pérez", email: "ana@example.com", dob: "1990-06-15" },
  { firstName: "José María", lastName: "O’Neil-Núñez", email: "jose.maria+bank@mail.example.com", dob: "1984-02-29", phone: "415-555-0132",
    address: "12 Main Street, Apt. 4B", city: "San Francisco", state: "CA", zip: "94105-1234",
      statedAnnualIncome: 52000, statedEmployerName: "Acme, Inc." },
  { firstName: "Mary Jane", lastName: "Smith", email: "mj@example.org", phone: "+1 212 555 0100",
    address: "1 5th Avenue", city: "New York", state: "NY", zip: "10003" },
  { firstName: "Наталья", lastName: "Иванова", email: "n.ivanova@example.net", dob: "1971-12-01", state: "PR", statedAnnualIncome: 0 },
  { firstName: "Ana2", lastName: "Smith", email: "ana@example", dob: "1990-02-30", phone: "1",
    address: "12 Main Street", city: "Springfield", state: "IL", zip: "6270" },
];

async function main(): Promise<object> {
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(fetch("/vestibule.wasm"), go.importObject);
  void go.run(instance);
  const check = checker(instance);
  const cases = ((await (await fetch("/cases.json")).json()) as Case[]).filter((c) => c.product === "cashflow" &&
    c.today === today && !c.environment);
  for (const c of cases) {
    const ours = check("cashflow", c.prefill, today).length === 0;
    const zods = form.safeParse(c.prefill).success;
    const table = c.problems.length === 0;
    if (ours !== table || zods !== table) throw new Error(`${c.name}: table ${table}, module ${ours}, zod ${zods}`);
  }
  const each = 400;
  let kept = 0; // so that nothing is optimised away
  const runs = [
    (f: object) => { kept += check("cashflow", f, today).length; },
    (f: object) => { kept += form.safeParse(f).error?.issues.length ?? 0; },
  ];
  const times: number[][] = [[], []];
  for (let round = 0; round < 26; round++) {
    for (let turn = 0; turn < 2; turn++) {
      const who = (round + turn) % 2;
      const began = performance.now();
      for (let i = 0; i < each; i++) for (const f of forms) runs[who]!(f);
      const per = ((performance.now() - began) * 1000) / (each * forms.length);
      if (round > 4) times[who]!.push(per); // the first ones warm up
    }
  }
  return { ours: times[0], zod: times[1], cases: cases.length, kept };
}

main()
  .catch((e) => ({ error: String(e) }))
  .then((answer) => fetch("/done", { method: "POST", body: JSON.stringify(answer) }));
