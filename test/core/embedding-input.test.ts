import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCore, type OpenedCore } from "../support/open-core.js";

let opened: OpenedCore;
beforeEach(async () => {
  opened = await openCore();
});
afterEach(() => opened.close());

const change = (input: unknown) => opened.core.changeEmbeddings({ actor: opened.actor }, input);
const embeddings = () => opened.core.getEmbeddings({ actor: opened.actor });

describe("bad input", () => {
  test.each([
    [{}, /action/],
    [{ action: "explode" }, /action/],
    [{ action: "use" }, /choice/],
    [{ action: "use", choice: { kind: "magic" } }, /kind/],
    [{ action: "use", choice: { kind: "static", model: "" } }, /model/],
    [{ action: "use", choice: { kind: "static", model: "../secrets" } }, /model/],
    [{ action: "use", choice: { kind: "openai", baseUrl: "file:///etc/passwd" } }, /baseUrl/],
    [{ action: "use", choice: { kind: "openai", baseUrl: "http://user:secret@x" } }, /baseUrl/],
    [{ action: "use", choice: { kind: "openai", dimensions: 0 } }, /dimensions/],
    [{ action: "use", choice: { kind: "openai", model: "x".repeat(2_000) } }, /model/],
    [null, /./],
  ])("%j is rejected, naming the wrong field", async (input, words) => {
    await expect(change(input)).rejects.toThrow(words);
    expect((await embeddings()).next).toBeNull();
  });

  test.each(["pause", "resume", "switch", "rollback", "drop"])(
    "%s is a conflict when there is nothing to apply it to",
    async (action) => {
      await expect(change({ action })).rejects.toMatchObject({ kind: "conflict" });
    },
  );
});
