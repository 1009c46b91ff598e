import { afterEach, beforeEach, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

/** Forgotten and superseded statements do not reappear in the title, the summary or the full content of a source. */
let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest();
});
afterEach(() => rest.close());

const TAG = "boris";
const LIVES = "Boris lives in Ghent.";
const PLAYS = "Boris plays the cello.";
/** Long enough to have a summary, which mentions the place. */
const LETTER = [
  LIVES,
  PLAYS,
  "The orchestra of the harbour plays every winter in the old theatre by the harbour.",
  "The theatre was built by the harbour master, who loved the orchestra and the winter.",
  "Ghent has another theatre, which the orchestra of the harbour never saw in winter.",
  "Tickets for the theatre are sold by the harbour master at the door of the orchestra.",
].join(" ");

async function add(content: string, more: Record<string, unknown> = {}): Promise<string> {
  const { body } = await rest.send("POST", "/v3/documents", { content, containerTag: TAG, ...more });
  await rest.settle();
  return body.id;
}

async function forget(text: string): Promise<void> {
  const found = { q: text, containerTag: TAG, searchMode: "memories" };
  const { body } = await rest.send("POST", "/v4/search", found);
  const id = body.results.find(({ memory }: { memory: string }) => memory === text)?.id;
  const { status } = await rest.send("DELETE", "/v4/memories", { id, containerTag: TAG });
  expect(status).toBe(200);
}

/** Every search result that shows documents, by kind of search. */
async function answers(q = "which instrument does Boris play"): Promise<Record<string, string>> {
  const include = { documents: true, summaries: true };
  const v4 = (searchMode: string, more = {}) =>
    rest.send("POST", "/v4/search", {
      q,
      containerTag: TAG,
      searchMode,
      threshold: 0,
      include: { ...include, ...more },
    });
  const v3 = (query: string) =>
    rest.send("POST", "/v3/search", { q: query, containerTags: [TAG], includeFullDocs: true, includeSummary: true });
  const found = {
    hybrid: await v4("hybrid"),
    memories: await v4("memories", { chunks: true }),
    documents: await v4("documents"),
    v3: await v3(q),
    "v3, all": await v3("*"),
  };
  return Object.fromEntries(Object.entries(found).map(([way, { body }]) => [way, JSON.stringify(body)]));
}

const NAMES: Readonly<Record<string, Record<string, unknown>>> = {
  "taken from the text": {},
  "given by a caller": { title: "Moving to Ghent" },
};
test.each(Object.entries(NAMES))("a title %s does not reveal a forgotten statement", async (_, more) => {
  const id = await add(`${LIVES} ${PLAYS}`, more);
  for (const [way, answer] of Object.entries(await answers())) expect(answer, way).toContain("Ghent");
  await forget("Boris lives in Ghent");
  for (const [way, answer] of Object.entries(await answers())) {
    expect(answer, way).not.toContain("Ghent");
    expect(answer, way).toContain('"title":"Boris plays the cello."');
  }
  const { body } = await rest.send("GET", `/v3/documents/${id}`);
  expect(body.content, "the document itself stays the owner's").toContain("Ghent");
});

test("a title does not reveal the forgotten part of a sentence that states something else too", async () => {
  await add("Boris lives in Ghent and works as a baker at Panos.");
  await forget("Boris lives in Ghent");
  for (const [way, answer] of Object.entries(await answers("Boris baker Panos"))) {
    expect(answer, way).not.toContain("Ghent");
    expect(answer, way).toContain("Panos");
  }
});

test("a title that reveals nothing forgotten stays", async () => {
  await add(`${LIVES} ${PLAYS}`, { title: "About Boris" });
  await forget("Boris lives in Ghent");
  for (const [way, answer] of Object.entries(await answers())) expect(answer, way).toContain('"title":"About Boris"');
});

test("a summary omits forgotten statements and keeps the rest", async () => {
  await add(LETTER, { title: "A letter" });
  await forget("Boris lives in Ghent");
  for (const [way, answer] of Object.entries(await answers())) {
    expect(answer, way).not.toContain("lives in Ghent");
    expect(answer, way).toMatch(/"summary":"[^"]*harbour/);
  }
});

test("a superseded statement is omitted from sources too, unless forgotten memories are included", async () => {
  await add("Boris works at Siemens. Boris plays the cello.");
  await add("Boris now works at Bosch.");
  for (const [way, answer] of Object.entries(await answers())) expect(answer, way).not.toContain("Siemens");
  const all = { q: "cello", containerTag: TAG, include: { documents: true, forgottenMemories: true } };
  const { body } = await rest.send("POST", "/v4/search", all);
  expect(JSON.stringify(body.results[0].documents)).toContain("Siemens");
});
