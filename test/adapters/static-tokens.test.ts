import { Tokenizer } from "@huggingface/tokenizers";
import { assert, constantFrom, array, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { readTokens } from "../../src/adapters/embed/static/tokens.js";
import { createUnigram, hashOf } from "../../src/adapters/embed/static/unigram.js";
import { PIECES, unigramTokenizer, wordPieceTokenizer } from "../support/static-model.js";

const tokensOf = (tokenizer: Record<string, unknown>) => readTokens(JSON.stringify(tokenizer), "tokenizer.json");

/** The pieces of a text, by their names in the tokenizer. */
async function cut(tokenizer: Record<string, unknown>, pieces: readonly string[], text: string): Promise<string[]> {
  const tokens = await tokensOf(tokenizer);
  return tokens.encode(text).ids.map((id) => pieces[id]!);
}

describe("word pieces", () => {
  const english = (text: string): Promise<string[]> => cut(wordPieceTokenizer(), PIECES, text);

  test.each([
    ["The cat sat on the mat.", ["the", "cat", "sat", "on", "the", "mat", "."]],
    ["MEETINGS", ["meeting", "##s"]],
    ["Crème brûlée", ["c", "##r", "##e", "##m", "##e", "b", "##r", "##u", "##l", "##e", "##e"]],
    ["who's there?", ["who", "'", "s", "the", "##r", "##e", "?"]],
    ["top-3", ["to", "##p", "-", "3"]],
    ["\u0000the\u200b \t\n cat", ["the", "cat"]],
    ["", []],
  ])("%j is %j", async (text, pieces) => {
    expect(await english(text)).toEqual(pieces);
  });

  test("special tokens in a text are only text", async () => {
    expect(await english("[CLS] cat [SEP]")).not.toContain("[CLS]");
    expect(await english("[PAD]")).toEqual(["[", "p", "##a", "##d", "]"]);
  });

  test("unknown pieces are left out and counted", async () => {
    expect((await tokensOf(wordPieceTokenizer())).encode("cat 猫 dog 犬 кот")).toEqual({
      ids: [PIECES.indexOf("cat"), PIECES.indexOf("dog")],
      unknown: 3,
    });
  });

  test("words that a model adds to its pieces are matched whole", async () => {
    const tokenizer = wordPieceTokenizer();
    const added = { id: PIECES.length, content: "new york", single_word: false, normalized: true, special: false };
    const withWord = { ...tokenizer, added_tokens: [...(tokenizer["added_tokens"] as object[]), added] };
    expect(await cut(withWord, [...PIECES, "new york"], "the new york train")).toEqual(["the", "new york", "train"]);
    expect((await tokensOf(withWord)).vocabularySize).toBe(PIECES.length + 1);
  });
});

describe("whole words", () => {
  const words = ["<unk>", "crème", "brûlée", "naïve", "東京", "!?", "don", "'", "t"];
  const tokenizer = {
    added_tokens: [{ id: 0, content: "<unk>", special: true }],
    normalizer: { type: "Lowercase" },
    pre_tokenizer: { type: "Whitespace" },
    model: { type: "WordLevel", vocab: Object.fromEntries(words.map((word, at) => [word, at])), unk_token: "<unk>" },
  };

  test("are split in any script", async () => {
    expect(await cut(tokenizer, words, "Crème BRÛLÉE naïve!? 東京 don't")).toEqual([
      "crème",
      "brûlée",
      "naïve",
      "!?",
      "東京",
      "don",
      "'",
      "t",
    ]);
    expect((await tokensOf(tokenizer)).encode("crème caramel")).toEqual({ ids: [1], unknown: 1 });
  });

  test("are split at punctuation, each mark a separate word, when the tokenizer says so", async () => {
    const punctuation = {
      type: "Sequence",
      pretokenizers: [{ type: "WhitespaceSplit" }, { type: "Punctuation", behavior: "Isolated" }],
    };
    expect(await cut({ ...tokenizer, pre_tokenizer: punctuation }, words, "don't crème''")).toEqual([
      "don",
      "'",
      "t",
      "crème",
      "'",
      "'",
    ]);
  });

  test("may have the names of built-in object properties", async () => {
    const odd = ["__proto__", "constructor", "toString"];
    const text = JSON.stringify({
      pre_tokenizer: { type: "WhitespaceSplit" },
      model: { type: "WordLevel", vocab: {} },
    });
    const tokens = await readTokens(
      text.replace('"vocab":{}', '"vocab":{"__proto__":0,"constructor":1,"toString":2}'),
      "tokenizer.json",
    );
    expect(tokens.vocabularySize).toBe(3);
    expect(tokens.encode(odd.join(" ")).ids).toEqual([0, 1, 2]);
    expect(tokens.encode("hasOwnProperty valueOf")).toEqual({ ids: [], unknown: 2 });
  });
});

test("byte pairs are merged in order of priority", async () => {
  const pieces = ["<unk>", "l", "o", "w", "e", "r", "Ġ", "lo", "low", "er", "Ġlow"];
  const tokenizer = {
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
    model: {
      type: "BPE",
      vocab: Object.fromEntries(pieces.map((piece, at) => [piece, at])),
      merges: ["l o", "lo w", "e r", "Ġ low"],
      unk_token: "<unk>",
    },
  };
  expect(await cut(tokenizer, pieces, "lower low")).toEqual(["low", "er", "Ġlow"]);
});

const SCRIPTS: readonly (readonly [string, number])[] = [
  ["<unk>", 0],
  ["▁", -3],
  ["▁the", -4],
  ["▁t", -6],
  ["he", -5.5],
  ["▁they", -6.5],
  ["y", -7],
  ["▁東京", -8],
  ["東", -9],
  ["京都", -8.5],
  ["に", -4],
  ["▁काम", -7],
  ["ा", -5],
  ["क", -6],
  ["▁สวัสดี", -8],
  ["😀", -9],
  ["!", -4],
  ["▁!", -4.5],
  ["e", -6],
  ["h", -6],
  ["t", -6],
];

describe("unigram", () => {
  const names = SCRIPTS.map(([piece]) => piece);

  test.each([
    ["They", ["▁", "he", "y"]],
    ["they the", ["▁they", "▁the"]],
    ["東京に", ["▁東京", "に"]],
    ["東京都に", ["▁", "東", "京都", "に"]],
    ["काम 😀", ["▁काम", "▁", "😀"]],
    ["สวัสดี!", ["▁สวัสดี", "▁!"]],
    ["", []],
  ])("%j is %j", async (text, pieces) => {
    expect(await cut(unigramTokenizer(SCRIPTS), names, text)).toEqual(pieces);
  });

  test("splits any text as the tokenizer library does", async () => {
    const tokenizer = unigramTokenizer(SCRIPTS);
    const library = new Tokenizer({ ...tokenizer, added_tokens: [] }, {});
    const ours = await tokensOf(tokenizer);
    const agree = (text: string): void => {
      const expected = library
        .encode(text, { add_special_tokens: false })
        .ids.filter((id: number) => id !== 0) as number[];
      expect(ours.encode(text).ids, JSON.stringify(text)).toEqual(expected);
    };
    const pieces = constantFrom(...names.map((piece) => piece.replace("▁", " ")), "x", "都", "👩", "\ud83d", "\n");
    assert(
      property(array(pieces, { maxLength: 12 }), (parts) => agree(parts.join(""))),
      { numRuns: 400 },
    );
    assert(property(string({ unit: "grapheme", maxLength: 30 }), agree), { numRuns: 200 });
  });

  test("the time for long texts is proportional to their length, however few spaces they contain", async () => {
    const tokens = await tokensOf(unigramTokenizer(SCRIPTS));
    expect(tokens.encode("the".repeat(20_000)).ids).toHaveLength(2 * 20_000 - 1);
    expect(tokens.encode("東京".repeat(20_000)).unknown).toBe(20_000 - 1);
  });

  test("pieces longer than any word are never matched and do no harm", async () => {
    const unigram = await createUnigram(
      [
        ["<unk>", 0],
        ["a".repeat(100_000), -1],
        ["aa", -3],
        ["", -2],
      ],
      0,
    );
    expect(unigram.split("aaaab")).toEqual([2, 2, undefined]);
  });

  test("the later of two equal pieces counts", async () => {
    expect(
      (
        await createUnigram(
          [
            ["<unk>", 0],
            ["a", -1],
            ["a", -2],
          ],
          0,
        )
      ).split("aa"),
    ).toEqual([2, 2]);
  });

  test("pieces chosen to collide in one hash slot are refused instead of taking hours", async () => {
    const colliding: [string, number][] = [];
    for (let at = 0; colliding.length < 400; at++) {
      const piece = at.toString(36);
      if ((hashOf(Buffer.from(piece)) & 1023) === 0) colliding.push([piece, -1]);
    }
    await expect(createUnigram(colliding, undefined)).rejects.toThrow(RangeError);
  });

  test.each([[[]], [[["a"]]], [[["a", "b"]]], [[[1, 2]]], [{ a: -1 }], ["a"]])(
    "a vocabulary of %j is refused",
    async (vocab) => {
      const tokenizer = { ...unigramTokenizer([["<unk>", 0]]), model: { type: "Unigram", unk_id: 0, vocab } };
      await expect(tokensOf(tokenizer)).rejects.toThrow(/model\.vocab/);
    },
  );
});
