import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { loadSqlite, type SqliteConnection } from "../../src/lib/sqlite.js";
import { indexedText } from "../../src/adapters/store/text-index.js";
import { stem } from "../../src/lib/stem.js";
import { fold, isNegation, isStopWord, queryWords, tokenise } from "../../src/lib/words.js";

describe("beside SQLite's full-text index", () => {
  let database: SqliteConnection;

  beforeAll(async () => {
    const { DatabaseSync } = await loadSqlite();
    database = new DatabaseSync(":memory:");
    database.exec("create virtual table texts using fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')");
    database.exec("create virtual table terms using fts5vocab(texts, instance)");
    return () => database.close();
  });

  /** The terms that the index makes of a text, in order. */
  function termsOf(text: string): unknown[] {
    database.exec("delete from texts");
    database.prepare("insert into texts (text) values (?)").run(indexedText(text));
    const rows = database.prepare("select term from terms order by offset").all() as { term: string }[];
    return rows.map(({ term }) => term);
  }

  test.each([
    "Anna's favourite café is Zoë's, isn't it?",
    "relational conditional rationalisation hopefulness electricity adjustable replacement adoption controlled",
    "cats ponies caresses feed agreed plastered motoring sing conflated troubled sized hopping tanned falling filing",
    "v2.10-beta (2023-05-01) at 7:30, 1,250 €; C++/C#; e-mail: a_b@example.org",
    "Dvořák İstanbul Ångström naïve São Tomé ñandú",
    "Привет, мой мир! Γειά σου Κόσμε",
    "我喜欢咖啡 と 寿司",
    "emoji 😀 and 👩‍👩‍👧 inside",
    "a be see sky happy 10th 4k h2o",
  ])("%j falls into the same words and stems", (text) => {
    expect(tokenise(text).map(stem)).toEqual(termsOf(text).slice(0, tokenise(text).length));
  });

  test("every word of a real vocabulary has the same stem", () => {
    const source = readFileSync(new URL("../fixtures/threshold-pairs.json", import.meta.url), "utf8");
    const words = [...new Set(tokenise(source))];
    expect(words.length).toBeGreaterThan(1_000);
    expect(words.map(stem)).toEqual(termsOf(words.join(" ")));
  });

  test("the words of a query find the texts that hold them", () => {
    for (const [query, text] of [
      ["Where did the children's teachers move?", "Her child teaches in Porto and moved twice."],
      ["What is the naïve résumé about?", "NAIVE resumes"],
      ['quotes " and * stars AND NOT near(', "A quote near stars"],
    ] as const) {
      termsOf(text);
      const match = queryWords(query)
        .map((word) => `"${word}"`)
        .join(" OR ");
      expect(database.prepare("select rowid from texts where texts match ?").all(match)).toHaveLength(1);
    }
  });
});

describe("the words of a query", () => {
  test("are distinct by stem and carry the subject", () => {
    expect(queryWords("What does Anna like, and what did Anna's likes cost?")).toEqual(["anna", "like", "cost"]);
  });

  test("are all words where nothing else is left", () => {
    expect(queryWords("who are you?")).toEqual(["who", "are", "you"]);
  });

  test("are none in a text without words, and never more than the limit", () => {
    expect(queryWords("")).toEqual([]);
    expect(queryWords(" ?! 😀 \ud83d")).toEqual([]);
    const many = Array.from({ length: 5_000 }, (_, number) => `word${number}`).join(" ");
    expect(queryWords(many)).toHaveLength(64);
    expect(queryWords(many, 3)).toEqual(["word0", "word1", "word2"]);
  });
});

test("folding drops case and accents, but keeps the marks of other scripts", () => {
  expect(fold("CAFÉ Zoë")).toBe("cafe zoe");
  expect(fold("がぎ")).toBe("がぎ");
  expect(fold("한국어")).toBe("한국어");
});

test("stop words and negations are told apart from words with a subject", () => {
  expect(["the", "is", "what"].every(isStopWord)).toBe(true);
  expect(["lisbon", "won", "2023"].some(isStopWord)).toBe(false);
  expect(tokenise("She doesn't, never will").filter(isNegation)).toEqual(["t", "never"]);
});
