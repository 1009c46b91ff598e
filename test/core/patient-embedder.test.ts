import { beforeEach, expect, test } from "vitest";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import { patientEmbedder } from "../../src/core/embeddings/patient-embedder.js";
import { AppError } from "../../src/core/errors.js";
import type { Embedder } from "../../src/core/ports.js";

const builtin = createBuiltinEmbedder();
let sent: string[][];
let refuses: (text: string) => AppError | null;

/** Rejects a whole request for any text in it, as services do. */
const strict: Embedder = {
  ...builtin,
  embed(texts, purpose, signal) {
    sent.push([...texts]);
    for (const text of texts) {
      const error = refuses(text);
      if (error) return Promise.reject(error);
    }
    return builtin.embed(texts, purpose, signal);
  },
};
const tooLong = new AppError("invalid", "The text is too long.");
const embed = (texts: readonly string[]) => patientEmbedder(strict).embed(texts, "document");

beforeEach(() => {
  sent = [];
  refuses = () => null;
});

test("texts that are accepted are sent once", async () => {
  expect(await embed(["a bee", "a hive"])).toHaveLength(2);
  expect(sent).toEqual([["a bee", "a hive"]]);
});

test("a text that is too long is sent without its end, and the others unchanged", async () => {
  refuses = (text) => (text.length > 2_000 ? tooLong : null);
  const long = "honey ".repeat(2_000);
  const vectors = await embed(["a bee", long, "a hive"]);
  expect(vectors).toEqual(await builtin.embed(["a bee", long.slice(0, 1_000), "a hive"], "document"));
});

test("a text that is rejected even when shortened does not affect the others", async () => {
  refuses = (text) => (text.includes("forbidden") ? tooLong : null);
  const vectors = await embed(["forbidden words", "a hive"]);
  expect(vectors).toHaveLength(2);
  expect(vectors[1]).toEqual((await builtin.embed(["a hive"], "document"))[0]);
});

test("a service that rejects everything is called only twice", async () => {
  refuses = () => new AppError("invalid", "The key is wrong.");
  await expect(embed(["a bee", "a hive"])).rejects.toThrow("The key is wrong.");
  expect(sent).toHaveLength(2);
});

test("an outage does not count as a rejection", async () => {
  refuses = () => new AppError("unavailable", "Nobody is there.");
  await expect(embed(["a bee"])).rejects.toThrow("Nobody is there.");
  expect(sent).toHaveLength(1);
});
