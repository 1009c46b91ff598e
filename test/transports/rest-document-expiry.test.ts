import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeForm } from "../support/forms.js";
import { openRest, type OpenedRest } from "../support/rest.js";

const TEXT = "Mia rehearses the cello for the autumn concert.";
const PAST = "2001-02-03T04:05:06Z";
const FUTURE = "2099-01-01T00:00:00+02:00";
const WAIT = { prefer: "wait=30" };

let rest: OpenedRest;
let containers = 0;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

/** Every way to add a document; each returns its id. */
type Fields = Record<string, unknown> & { forgetAfter?: string | null | undefined };
const DOORS: [name: string, open: (fields: Fields) => Promise<{ status: number; body: any }>][] = [
  ["add", (fields) => rest.send("POST", "/v3/documents", { content: TEXT, ...fields }, WAIT)],
  [
    "batch, for one document",
    ({ containerTag, ...fields }) =>
      rest.send("POST", "/v3/documents/batch", { documents: [{ content: TEXT, ...fields }], containerTag }),
  ],
  [
    "batch, for all documents",
    ({ customId, content = TEXT, ...fields }) =>
      rest.send("POST", "/v3/documents/batch", { documents: [{ content, customId }], ...fields }),
  ],
  [
    "file",
    async ({ content: _content, forgetAfter, ...fields }) => {
      const file = new File([TEXT], "a.txt", { type: "text/plain" });
      const end = forgetAfter === undefined ? {} : { forgetAfter: String(forgetAfter) };
      const form = { ...(fields as Record<string, string>), ...end, file };
      const { bytes, headers } = await encodeForm(form);
      return rest.send("POST", "/v3/documents/file", bytes, { ...headers, ...WAIT });
    },
  ],
  [
    "conversation",
    ({ customId, content: _content, ...fields }) => {
      const messages = [{ role: "user", content: "I rehearse the cello for the autumn concert." }];
      return rest.send("POST", "/v4/conversations", { conversationId: customId, messages, ...fields });
    },
  ],
];

async function search(containerTag: string, include: Fields = {}): Promise<any[]> {
  const asked = { q: "Who rehearses the cello?", containerTag, threshold: 0, include };
  return (await rest.send("POST", "/v4/search", asked)).body.results;
}

describe.each(DOORS)("forgetAfter by %s", (_name, open) => {
  test("hides the document from then on, shows it among forgotten memories, and null removes the date", async () => {
    const containerTag = `c${(containers += 1)}`;
    const send = async (forgetAfter: string | null) => {
      const { status, body } = await open({ containerTag, customId: "note", forgetAfter });
      expect(status).toBe(200);
      await rest.settle();
      return body.id ?? body.results[0].id;
    };
    const id = await send(PAST);
    expect(await search(containerTag)).toEqual([]);
    const forgotten = await search(containerTag, { forgottenMemories: true });
    expect(forgotten.length).toBeGreaterThan(0);
    expect(forgotten.some(({ chunk }) => chunk)).toBe(true);
    for (const result of forgotten) expect(result.isForgotten).toBe(true);

    await send(FUTURE);
    expect((await rest.send("GET", `/v3/documents/${id}`)).body.forgetAfter).toBe("2098-12-31T22:00:00.000Z");
    const told = await search(containerTag);
    expect(told.length).toBe(forgotten.length);
    for (const result of told) expect(result).not.toHaveProperty("isForgotten");

    await send(null);
    expect((await rest.send("GET", `/v3/documents/${id}`)).body).not.toHaveProperty("forgetAfter");
  });

  test.each(["soon", "2026-02-30", "1700000000"])("refuses %s, which is no date", async (forgetAfter) => {
    const { status, body } = await open({ containerTag: "refused", customId: "note", forgetAfter });
    const refusal = status === 200 ? body.results[0].details : body.message;
    expect([status, refusal]).toEqual([
      body.results ? 200 : 400,
      expect.stringMatching(/forgetAfter: must be an ISO 8601 date/),
    ]);
  });
});

test.each(DOORS)(
  "an addition by %s to an expired document is not found, and carries a warning",
  async (_name, open) => {
    const containerTag = `c${(containers += 1)}`;
    const place = { containerTag, customId: "note" };
    const warningsOf = ({ body }: { body: any }) =>
      ((body.results?.[0] ?? body).warnings ?? []).filter((warning: string) => warning.startsWith("forgetAfter"));
    const passed = [expect.stringMatching(/^forgetAfter: 2001-02-03T04:05:06.000Z has passed/)];
    expect(warningsOf(await open({ ...place, forgetAfter: PAST }))).toEqual(passed);
    await rest.settle();
    const again = { ...place, content: "Mia plays the oboe.", forgetAfter: undefined };
    const hidden = [expect.stringMatching(/^forgetAfter: .*2001-02-03T04:05:06.000Z/)];
    expect(warningsOf(await open(again))).toEqual(hidden);
    await rest.settle();
    expect(await search(containerTag)).toEqual([]);
    const { body: list } = await rest.send("POST", "/v3/documents/list", { containerTags: [containerTag] });
    const patch = (fields: Fields) => rest.send("PATCH", `/v3/documents/${list.memories[0].id}`, fields);
    expect(warningsOf(await patch({ content: "Mia plays the harp." }))).toEqual(hidden);
    expect(warningsOf(await patch({ forgetAfter: FUTURE }))).toEqual([]);
    expect(warningsOf(await patch({ forgetAfter: PAST }))).toEqual(passed);
    expect(warningsOf(await open({ ...again, forgetAfter: PAST }))).toEqual(passed);
    expect(warningsOf(await patch({ forgetAfter: null }))).toEqual([]);
    expect(warningsOf(await open(again))).toEqual([]);
  },
);

test("PATCH sets and removes an expiry date; the document itself stays", async () => {
  const containerTag = "patched";
  const { body } = await rest.send("POST", "/v3/documents", { content: TEXT, containerTag }, WAIT);
  const patch = (forgetAfter: unknown) => rest.send("PATCH", `/v3/documents/${body.id}`, { forgetAfter });
  const before = await search(containerTag);
  expect(before.length).toBeGreaterThan(0);
  expect((await patch(PAST)).status).toBe(200);
  expect(await search(containerTag)).toEqual([]);
  const { body: document } = await rest.send("GET", `/v3/documents/${body.id}`);
  expect(document.content).toBe(TEXT);
  const { body: list } = await rest.send("POST", "/v3/documents/list", { containerTags: [containerTag] });
  const listed = [{ id: body.id, forgetAfter: document.forgetAfter }];
  expect(list.memories, "it is listed with its end, for the owner to delete it or to take the end off").toMatchObject(
    listed,
  );
  for (const wrong of ["tomorrow", 5, ""]) expect((await patch(wrong)).status).toBe(400);
  expect((await patch(null)).status).toBe(200);
  const idsOf = (results: any[]) => new Set(results.map(({ id }) => id as string));
  expect(idsOf(await search(containerTag))).toEqual(idsOf(before));
});

test("a key for another container cannot expire a document", async () => {
  const { body } = await rest.send("POST", "/v3/documents", { content: TEXT, containerTag: "mine" }, WAIT);
  const { secret } = await rest.core.createKey(
    { actor: rest.actor },
    { name: "other", kind: "scoped", grants: [{ containerTag: "other" }] },
  );
  const headers = { authorization: `Bearer ${secret}` };
  const { status } = await rest.send("PATCH", `/v3/documents/${body.id}`, { forgetAfter: PAST }, headers);
  expect(status).toBe(404);
  expect((await search("mine")).length).toBeGreaterThan(0);
});

test.each([
  ["an offset", "9999-12-31T23:59:59-14:00", "UTC"],
  ["a local time in a zone", "9999-12-31T23:59:59", "America/New_York"],
])(
  "an expiry that %s puts past the last year becomes the end of that year, and hides nothing",
  async (_how, end, zone) => {
    const containerTag = `c${(containers += 1)}`;
    const document = { content: TEXT, containerTag, forgetAfter: end, metadata: { timeZone: zone, timezone: zone } };
    const { body } = await rest.send("POST", "/v3/documents", document, WAIT);
    const last = "9999-12-31T23:59:59.999Z";
    expect((await rest.send("GET", `/v3/documents/${body.id}`)).body.forgetAfter).toMatch(/^9999-12-31T23:59:59/);
    expect(await search(containerTag)).not.toEqual([]);
    const memories = [{ content: "Mia plays the cello", forgetAfter: "9999-12-31T23:59:59-05:00" }];
    const made = await rest.send("POST", "/v4/memories", { containerTag: `${containerTag}m`, memories });
    expect(made.status).toBeLessThan(300);
    const list = await rest.send("POST", "/v4/memories/list", { containerTags: [`${containerTag}m`] });
    expect(list.body.memoryEntries).toMatchObject([{ memory: "Mia plays the cello", forgetAfter: last }]);
  },
);

test("an expiry before the first year has passed", async () => {
  const containerTag = `c${(containers += 1)}`;
  await rest.send(
    "POST",
    "/v3/documents",
    { content: TEXT, containerTag, forgetAfter: "0000-01-01T00:00:00+14:00" },
    WAIT,
  );
  expect(await search(containerTag)).toEqual([]);
});
