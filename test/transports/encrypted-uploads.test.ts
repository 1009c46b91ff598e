import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findInFiles } from "../support/data-folder-scan.js";
import { encodeForm } from "../support/forms.js";
import { type OpenedRest, openRest } from "../support/rest.js";

const ENCRYPTED = resolve(import.meta.dirname, "../fixtures/extractors/encrypted-qpdf.pdf");
const WRONG = "a-wrong-pass-word-42";

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest();
});
afterEach(() => rest.close());

async function upload(fields: Readonly<Record<string, string>>): Promise<string> {
  const bytes = await readFile(ENCRYPTED);
  const form = await encodeForm({ file: new File([new Uint8Array(bytes)], "waves.pdf"), customId: "waves", ...fields });
  const { status, body } = await rest.send("POST", "/v3/documents/file", form.bytes, form.headers);
  expect(status).toBe(200);
  await rest.settle();
  return body.id;
}
const get = async (id: string) => (await rest.send("GET", `/v3/documents/${id}`)).body;

test("an encrypted PDF opens with its password, also when it is uploaded again", async () => {
  const id = await upload({});
  expect(await get(id)).toMatchObject({
    status: "failed",
    errorReason: expect.stringMatching(/`password` .*--password-file/),
  });
  expect(await upload({ password: WRONG })).toBe(id);
  expect(await get(id)).toMatchObject({ status: "failed", errorReason: expect.stringContaining("does not open") });
  expect(await upload({ password: "secret" })).toBe(id);
  expect(await get(id)).toMatchObject({ status: "done", content: expect.stringContaining("Chapter 1 of waves") });
});

test("the password of an upload is in neither the data folder, the log nor the audit", async () => {
  const id = await upload({ password: WRONG });
  await rest.recorded();
  expect((await get(id)).status).toBe("failed");
  expect(findInFiles(rest.dataDirectory, [WRONG])).toEqual([]);
  expect(JSON.stringify(rest.log)).not.toContain(WRONG);
  const audit = await rest.core.listAudit({ actor: rest.actor }, {});
  expect(JSON.stringify(audit)).not.toContain(WRONG);
});

test("the password of an upload is used for one reading only", async () => {
  const id = await upload({ password: WRONG });
  await rest.core.reprocess({ actor: rest.actor }, { ids: [id] });
  await rest.settle();
  expect(await get(id)).toMatchObject({
    status: "failed",
    errorReason: expect.stringContaining("Send its password in the field `password`"),
  });
});

test("a password that is too long is refused without being repeated", async () => {
  const form = await encodeForm({ file: new File(["x"], "a.txt"), password: WRONG.repeat(60) });
  const { status, body } = await rest.send("POST", "/v3/documents/file", form.bytes, form.headers);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).not.toContain(WRONG);
});
