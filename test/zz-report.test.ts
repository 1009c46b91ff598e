import { test } from "vitest";
import { SEEN } from "/work/wt-dates/test/fixtures/said-dates/seen.js";
import { judgeDate } from "/work/wt-dates/test/support/said-dates.js";
import { writeFileSync } from "node:fs";
test("x", async () => {
  const out: string[] = []; let wrong=0, wy=0, inc=0, none=0;
  for (const s of SEEN) { const j = await judgeDate(s);
    if (j.wrong.length) wrong++; if (j.wrongYears.length) wy++; if (!j.facts.length) none++; else if (!j.isComplete) inc++;
    const mark = j.wrongYears.length ? "WRONGYEAR" : j.wrong.length ? "wrong" : !j.facts.length ? "nofact" : j.isComplete ? "ok" : "incomplete";
    if (mark !== "ok" || process.env.ALL) out.push(`${mark}\t${s.saidOn.slice(0,10)} ${s.text}\t${s.means}\t=> ${j.facts.map(f=>f.text+" "+JSON.stringify(f.eventDates??[])+(f.forgetAfter?" F"+f.forgetAfter.slice(0,10):"")).join(" | ")}`);
  }
  writeFileSync("/tmp/dates-report.txt", out.join("\n")+`\nwrong ${wrong} wrongYears ${wy} incomplete ${inc} nofact ${none} of ${SEEN.length}\n`);
});
