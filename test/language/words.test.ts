import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { loadSqlite, type SqliteConnection } from "../../src/lib/sqlite.js";
import { askedForms, indexedText, indexForm } from "../../src/adapters/store/indexed-text.js";
import { stem } from "../../src/language/stem.js";
import {
  fold,
  isNegation,
  isStopWord,
  otherForms,
  queryWords,
  splitWords,
  tokenise,
  wordParts,
} from "../../src/language/words.js";

describe("compared with SQLite's full-text index", () => {
  let database: SqliteConnection;

  beforeAll(async () => {
    const { DatabaseSync } = await loadSqlite();
    database = new DatabaseSync(":memory:");
    database.exec("create virtual table texts using fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')");
    database.exec("create virtual table terms using fts5vocab(texts, instance)");
    return () => database.close();
  });

  /** The terms that the index stores for a text, in order. */
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
  ])("%j is split into the same words and stems", (text) => {
    expect(tokenise(text).map(stem)).toEqual(termsOf(text).slice(0, tokenise(text).length));
  });

  test("every word of a real vocabulary has the same stem", () => {
    const source = readFileSync(new URL("../fixtures/threshold-pairs.json", import.meta.url), "utf8");
    const words = [...new Set(tokenise(source))];
    expect(words.length).toBeGreaterThan(1_000);
    expect(words.map(stem)).toEqual(termsOf(words.join(" ")));
  });

  test("the words of a query match the texts that contain them", () => {
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
  test("are distinct by stem and are content words", () => {
    expect(queryWords("What does Anna like, and what did Anna's likes cost?")).toEqual(["anna", "like", "cost"]);
  });

  test("are all words if nothing else is left", () => {
    expect(queryWords("who are you?")).toEqual(["who", "are", "you"]);
  });

  test("are none for a text without words, and never more than the limit", () => {
    expect(queryWords("")).toEqual([]);
    expect(queryWords(" ?! 😀 \ud83d")).toEqual([]);
    const many = Array.from({ length: 5_000 }, (_, number) => `word${number}`).join(" ");
    expect(queryWords(many)).toHaveLength(64);
    expect(queryWords(many, 3)).toEqual(["word1000", "word1001", "word1002"]);
  });
});

test("folding drops case and accents, but keeps the marks of other scripts", () => {
  expect(fold("CAFÉ Zoë")).toBe("cafe zoe");
  expect(fold("がぎ")).toBe("がぎ");
  expect(fold("한국어")).toBe("한국어");
});

test("stop words and negations are distinguished from content words", () => {
  expect(["the", "is", "what"].every(isStopWord)).toBe(true);
  expect(["lisbon", "won", "2023"].some(isStopWord)).toBe(false);
  expect(tokenise("She doesn't, never will").filter(isNegation)).toEqual(["t", "never"]);
});

describe("words in other scripts", () => {
  test.each([
    ["full-width letters and digits", "ＡＢＣ１２３", "abc123"],
    ["half-width katakana", "ｺｰﾋｰ", "コーヒー"],
    ["a separate voiced mark", "か\u3099", "が"],
    ["Arabic vowels", "دُبَيّ", "دبي"],
    ["Arabic with elongation", "محمـــد", "محمد"],
    ["forms of alef", "أحمد إحمد آحمد", "احمد احمد احمد"],
    ["Persian letters", "کتاب‌ها", "كتاب ها"],
    ["Hebrew points", "שָׁלוֹם", "שלום"],
    ["Hebrew short forms", 'צה״ל צה"ל', "צהל צהל"],
    ["Greek accents and final sigma", "ΣΚΎΛΟΣ", "σκυλος"],
    ["Russian ё and stress", "ёлка за́мок", "елка замок"],
    ["German", "Straße GROẞ", "strasse gross"],
    ["Turkish dots", "IŞIK ışık İZMİR", "isik isik izmir"],
    ["Nordic and Polish letters", "Ærø Łódź Þór đồng", "aero lodz thor dong"],
    ["digits of other scripts", "٢٠٢٣ १२ ๕", "2023 12 5"],
    ["nukta", "लड़का", "लडका"],
    ["soft hyphens and joiners", "co\u00adop\u2060era\u200dte", "cooperate"],
    ["zero-width spaces", "ab\u200bcd", "ab cd"],
  ])("%s are read like the plain form", (_name, written, plain) => {
    expect(tokenise(written)).toEqual(tokenise(plain));
  });

  test("umlauts are found with and without the added e", () => {
    expect(splitWords("Müller")).toEqual({ words: ["muller"], forms: ["mueller"] });
    expect(queryWords("Müller")).toEqual(["muller", "mueller"]);
  });

  test("text without spaces is split into pairs of characters, and Chinese into single ones as well", () => {
    expect(splitWords("東京タワー")).toEqual({ words: ["東京", "京タ", "タワ", "ワー"], forms: ["東", "京"] });
    expect(splitWords("집에서")).toEqual({ words: ["집에", "에서"], forms: ["집"] });
    expect(splitWords("iPhoneを買う").words).toEqual(["iphone", "を買", "買う"]);
  });

  test("a query asks for as few pairs as cover its words, and not for particles", () => {
    expect(queryWords("李明在北京工作")).toEqual(["李", "明", "李明", "北京", "工作"]);
    expect(queryWords("コーヒーは好きですか")).not.toContain("です");
    expect(queryWords("서울에서")).toEqual(["서울"]);
    expect(otherForms("집에")).toEqual(["집"]);
    expect(otherForms("מהבית")).toEqual(["בית"]);
  });

  test("function words count as such only in a text of their language", () => {
    expect(queryWords("Wo wohnt die Katze")).toEqual(["wohnt", "katze"]);
    expect(queryWords("die hard")).toEqual(["die", "hard"]);
    expect(queryWords("did the dog die")).toEqual(["dog", "die"]);
    expect(queryWords("¿Dónde está la llave?")).toEqual(["llave"]);
  });

  test("long words are split into parts in languages with compounds", () => {
    const parts = wordParts(splitWords("Die Krankenversicherung von Anna ist teuer und nicht gut"));
    expect(parts).toEqual(expect.arrayContaining(["kranken", "versicherung", "krankenversicherun"]));
    expect(parts.every((part) => part.length >= 5)).toBe(true);
    expect(wordParts(splitWords("The understanding of photosynthesis is not easy"))).toEqual([]);
    expect(wordParts(splitWords(`Das ist ein ${"a".repeat(5_000)}`))).toEqual([]);
  });

  test("if there are too many words, the most repeated are used, then the longest, in order", () => {
    expect(queryWords("ant bee bee centipede dragonfly", 2)).toEqual(["bee", "centipede"]);
  });
});

describe("the text index contains exactly the words of a text", () => {
  let database: SqliteConnection;
  beforeAll(async () => {
    const { DatabaseSync } = await loadSqlite();
    database = new DatabaseSync(":memory:");
    database.exec("create virtual table texts using fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')");
    database.exec("create virtual table terms using fts5vocab(texts, instance)");
    return () => database.close();
  });

  const samples = [
    "ฉันอาศัยอยู่ที่กรุงเทพ 2023",
    "मेरी बहन की शादी जयपुर में",
    "தமிழ் மொழி বাংলা ভাষা తెలుగు",
    "ខ្ញុំរស់នៅភ្នំពេញ ຂ້ອຍຢູ່ວຽງຈັນ ကျွန်တော် ရန်ကုန်မှာ",
    "בְּרֵאשִׁית תעמל لَيْلَى مهندسة",
    "Straße für Łukasz — naïve Ærø",
    "𠮷野家 한국어 ქართული հայերեն አማርኛ",
    "",
    "\ud800 \u0301 😀",
  ];

  test.each(samples)("%j", (text) => {
    database.exec("delete from texts");
    database.prepare("insert into texts (text) values (?)").run(indexedText(text));
    const rows = database.prepare("select term from terms order by offset").all();
    const { words, forms } = splitWords(text);
    expect(rows).toHaveLength(words.length + forms.length);
    for (const word of words) {
      const match = `"${askedForms(word).map(indexForm)[0]}"`;
      expect(database.prepare("select rowid from texts where texts match ?").all(match)).toHaveLength(1);
    }
  });
});

test("long runs of combining marks take no more time than other text", () => {
  const heap = `e${"\u0301\u0316".repeat(500_000)}`;
  expect(tokenise(heap)).toEqual(["e"]);
  expect(fold(heap)).toBe("e");
});
