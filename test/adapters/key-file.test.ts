import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSecretBox } from "../../src/adapters/secrets/key-file.js";
import { UnreadableSecret } from "../../src/core/errors.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-key-"));
  file = join(folder, "secret.key");
});
afterEach(() => rm(folder, { recursive: true }));

const box = (key?: string) => createSecretBox({ file, key });
const OWN = "a key of the owner, long enough to be one";

test("concurrent first uses agree on one key and leave only its file behind", async () => {
  const sealed = await Promise.all(Array.from({ length: 20 }, (_, index) => box().seal(`secret ${index}`)));
  expect(await Promise.all(sealed.map((one) => box().open(one)))).toEqual(sealed.map((_, index) => `secret ${index}`));
  expect(await readdir(folder)).toEqual(["secret.key"]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each([
  ["empty", ""],
  ["blank", " \n\n"],
  ["truncated", "cB3f9"],
])("a key file that is %s is not replaced, and the error says what to do", async (_what, text) => {
  const sealed = await box().seal("secret");
  const key = await readFile(file, "utf8");
  await writeFile(file, text);
  const refusal = { kind: "corrupt", message: expect.stringMatching(/secret\.key.*Restore it/) as string };
  await expect(box().seal("another")).rejects.toMatchObject(refusal);
  await expect(box().open(sealed)).rejects.toMatchObject(refusal);
  await expect(box().isCurrent(sealed)).rejects.toMatchObject(refusal);
  expect(await readFile(file, "utf8")).toBe(text);
  expect(await box(OWN).open(await box(OWN).seal("by the setting"))).toBe("by the setting");
  await writeFile(file, key);
  expect(await box().open(sealed)).toBe("secret");
});

test("a new first line is used to seal, and the old key still opens", async () => {
  const old = await box().seal("secret");
  await writeFile(file, `${OWN}\n${await readFile(file, "utf8")}`);
  expect([await box().isCurrent(old), await box().open(old)]).toEqual([false, "secret"]);
  expect(await box().isCurrent(await box().seal("secret"))).toBe(true);
});

test("secrets sealed with a lost key, or damaged, are unreadable", async () => {
  const sealed = await box().seal("secret");
  await expect(box().open(`${sealed.slice(0, -8)}AAAAAAA=`)).rejects.toBeInstanceOf(UnreadableSecret);
  await rm(file);
  await expect(box().open(sealed)).rejects.toBeInstanceOf(UnreadableSecret);
});
