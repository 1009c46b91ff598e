import { describe, expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import { readingOfFact } from "../../src/core/memories/reading.js";
import { decide, mayRelate, type KnownFact } from "../../src/core/memories/relate.js";

/** What somebody notes is read by the rules and held against what was noted the day before. */
const extractor = createRulesExtractor();

const BEFORE = "2024-05-06T12:00:00Z";
const AFTER = "2024-05-07T12:00:00Z";

function factsOf(content: string, date: string) {
  return extractor.extract({ content, timeZone: "UTC", containerTag: "notes", date, isOwn: true });
}

/** What takes the place of each fact of the note before; null for a fact that stays. */
async function replacedBy(before: string, after: string): Promise<readonly (string | null)[]> {
  const known = (await factsOf(before, BEFORE)).map(
    ({ text, forgetAfter = null }): KnownFact => ({ memory: { id: text, text, forgetAfter }, saidAt: BEFORE }),
  );
  const replaced = new Map<string, string>();
  for (const fact of await factsOf(after, AFTER)) {
    const related = known.filter(({ memory }) => mayRelate(readingOfFact(fact), memory.text));
    const decision = decide({ ...fact, saidAt: AFTER }, related);
    if (decision.kind === "updates") for (const id of decision.ids) replaced.set(id, fact.text);
  }
  return known.map(({ memory }) => replaced.get(memory.id) ?? null);
}

type Pair = readonly [before: string, after: string];

const REPLACED: Readonly<Record<string, readonly Pair[]>> = {
  "what is done no longer on a day": [
    ["We deploy to production on Thursdays.", "We no longer deploy on Thursdays."],
    ["We deploy to production every Thursday.", "We no longer deploy on Thursdays."],
    ["We deploy to production on Thursdays.", "We don't deploy on Thursdays any more."],
    ["We deploy to production on Thursdays.", "We stopped deploying on Thursdays."],
    ["The team deploys to production on Thursdays.", "We no longer deploy on Thursdays."],
  ],
};

const KEPT: Readonly<Record<string, readonly Pair[]>> = {
  "what is done on another day, elsewhere or by others": [
    ["We deploy to production on Thursdays.", "We no longer deploy on Fridays."],
    ["We deploy to production on Thursdays.", "We no longer deploy to staging on Thursdays."],
    ["We deploy to production on Thursdays.", "Mia no longer deploys on Thursdays."],
    ["We deploy to production.", "We no longer deploy on Thursdays."],
    ["The team deploys to production on Thursdays.", "I no longer deploy on Thursdays."],
    ["The mobile team deploys to production on Thursdays.", "We no longer deploy on Thursdays."],
    ["We go to church on Sundays.", "We no longer go on Sundays."],
    ["We test new servers on Thursdays.", "We no longer test on Thursdays."],
  ],
};

describe.each(Object.entries(REPLACED))("a note takes the place of %s", (_what, pairs) => {
  test.each(pairs)("%s → %s", async (before, after) => {
    const facts = await replacedBy(before, after);
    expect(facts).toHaveLength(1);
    expect(facts[0]).not.toBeNull();
  });
});

describe.each(Object.entries(KEPT))("a note leaves %s", (_what, pairs) => {
  test.each(pairs)("%s → %s", async (before, after) => {
    const facts = await replacedBy(before, after);
    expect(facts).toHaveLength(1);
    expect(facts[0]).toBeNull();
  });
});
