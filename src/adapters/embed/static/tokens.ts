import { Tokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import { AppError } from "../../../core/errors.js";
import { yieldTurn } from "../../../lib/time.js";
import { brokenFile } from "./safetensors.js";
import { createUnigram } from "./unigram.js";

/** Turns text into rows of a model's table. */
export interface Tokens {
  /** The ids of a text run from 0 to below this. */
  readonly vocabularySize: number;
  encode(text: string): TokenIds;
}

/** The tokens of a text, without special ones. */
export interface TokenIds {
  /** In order; tokens missing from the vocabulary are left out. */
  readonly ids: readonly number[];
  /** How many were left out. */
  readonly unknown: number;
}

const LARGEST_ID = 16_777_215;
const id = z.number().int().nonnegative().max(LARGEST_ID);
const part = z.object({ type: z.string() }).loose().nullable().default(null);
const addedToken = z.object({ id, content: z.string().min(1), special: z.boolean().default(false) }).loose();
// Half a million entries, so a loop checks them rather than a schema for each.
const pieceTable = z.custom<Readonly<Record<string, number>>>(isPieceTable);
const scoredPieces = z.custom<readonly (readonly [string, number])[]>(areScoredPieces);

const fileShape = z.object({
  added_tokens: z.array(addedToken).default([]),
  normalizer: part,
  pre_tokenizer: part,
  model: z.discriminatedUnion("type", [
    z.object({ type: z.literal("WordPiece"), vocab: pieceTable, unk_token: z.string() }).loose(),
    z.object({ type: z.literal("BPE"), vocab: pieceTable, unk_token: z.string().nullish() }).loose(),
    z.object({ type: z.literal("WordLevel"), vocab: pieceTable, unk_token: z.string().nullish() }),
    z.object({
      type: z.literal("Unigram"),
      vocab: scoredPieces,
      unk_id: id.nullish(),
    }),
  ]),
});
type TokenizerFile = z.infer<typeof fileShape>;
type Part = z.infer<typeof part>;

/** Splits text into ids; undefined stands for unknown pieces. */
type Splitter = (text: string) => readonly (number | undefined)[];

/**
 * Reads a tokenizer.json: WordPiece, BPE, Unigram and whole words, with every step that may precede them.
 * @throws AppError `invalid`, naming the file, when it is not a tokenizer or is of an unknown kind
 */
export async function readTokens(json: string, path: string): Promise<Tokens> {
  const file = parseFile(json, path);
  await yieldTurn();
  const unknown = unknownOf(file);
  // Libraries differ in how they treat special tokens that a person happens to write, so none are looked for.
  const ordinary = file.added_tokens.filter(({ special }) => !special);
  try {
    const split = await splitterFor({ ...file, added_tokens: ordinary }, unknown);
    split("A first text, as a trial: does it work?");
    return {
      vocabularySize: sizeOf(file, path),
      encode: (text) => {
        const all = split(text);
        const known = all.filter((at): at is number => at !== undefined && at !== unknown);
        return { ids: known, unknown: all.length - known.length };
      },
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = error instanceof Error ? ` (${error.message.slice(0, 200)})` : "";
    throw brokenFile(path, `describes a tokenizer that cannot be used${reason}`);
  }
}

function parseFile(json: string, path: string): TokenizerFile {
  let content: unknown;
  try {
    content = JSON.parse(json);
  } catch {
    throw brokenFile(path, "is not JSON");
  }
  const parsed = fileShape.safeParse(content);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place =
    issue === undefined || issue.path.length === 0
      ? ""
      : ` at ${issue.path.slice(0, 4).map(String).join(".").slice(0, 100)}`;
  throw brokenFile(path, `is not a supported kind of tokenizer${place}`);
}

function unknownOf({ model, added_tokens: added }: TokenizerFile): number | undefined {
  if (model.type === "Unigram") return model.unk_id ?? undefined;
  const name = model.unk_token ?? "";
  return (
    added.find(({ content }) => content === name)?.id ??
    (Object.hasOwn(model.vocab, name) ? model.vocab[name] : undefined)
  );
}

/** A table has a row for every id, so ids count up from 0 without gaps. */
function sizeOf({ model, added_tokens: added }: TokenizerFile, path: string): number {
  const own = model.type === "Unigram" ? model.vocab.keys() : Object.values(model.vocab);
  const isTaken = new Uint8Array(LARGEST_ID + 1);
  let size = 0;
  for (const ids of [own, added.map((token) => token.id)])
    for (const at of ids) {
      if (isTaken[at] === 0) size += 1;
      isTaken[at] = 1;
    }
  const gap = isTaken.indexOf(0);
  if (gap < size) throw brokenFile(path, `has a vocabulary of ${size} tokens, but none with the number ${gap}`);
  return size;
}

async function splitterFor(file: TokenizerFile, unknown: number | undefined): Promise<Splitter> {
  const { model } = file;
  const isPlain = file.added_tokens.length === 0;
  if (model.type === "WordLevel") return splitWords(file, new Map(Object.entries(model.vocab)));
  if (model.type === "Unigram" && isPlain) {
    const unigram = await createUnigram(model.vocab, unknown);
    const prepare = preparation(file);
    return (text) => prepare(text).flatMap((stretch) => unigram.split(stretch));
  }
  const tokenizer = createTokenizer(file, model);
  return (text) => {
    const { ids }: { readonly ids: readonly (number | undefined)[] } = tokenizer.encode(text, {
      add_special_tokens: false,
    });
    return ids;
  };
}

function splitWords(file: TokenizerFile, words: ReadonlyMap<string, number>): Splitter {
  const known = new Map(words);
  for (const { content, id: number } of file.added_tokens) known.set(content, number);
  const prepare = preparation(file);
  return (text) => prepare(text).map((word) => known.get(word));
}

/** How a text is prepared for the model: normalised, then split into words or kept in one piece. */
function preparation(file: TokenizerFile): (text: string) => string[] {
  const trivial = { type: "WordPiece", unk_token: "?", continuing_subword_prefix: "", vocab: { "?": 0 } };
  const { normalizer, pre_tokenizer: preTokenizer } = createTokenizer({ ...file, added_tokens: [] }, trivial);
  return (text) => {
    const normal = normalizer === null ? text : normalizer.normalize(text);
    if (normal === "") return [];
    return preTokenizer === null ? [normal] : preTokenizer.pre_tokenize(normal, { section_index: 0 });
  };
}

function createTokenizer(file: TokenizerFile, model: object): Tokenizer {
  const parts = {
    normalizer: file.normalizer,
    pre_tokenizer: correct(file.pre_tokenizer),
    added_tokens: file.added_tokens,
  };
  return new Tokenizer({ ...parts, model, post_processor: null, decoder: null }, {});
}

const WORDS = { Regex: "\\w+|[^\\w\\s]+" };
const MARKS = "\\p{P}\\u0021-\\u002F\\u003A-\\u0040\\u005B-\\u0060\\u007B-\\u007E";

/**
 * Two kinds that the tokenizer library splits differently from the one that models are made with, expressed in terms that both
 * split alike.
 */
function correct(before: Part): Part {
  if (before === null) return null;
  if (before.type === "Sequence" && Array.isArray(before["pretokenizers"]))
    return { ...before, pretokenizers: before["pretokenizers"].map((one: unknown) => correct(part.parse(one))) };
  if (before.type === "Whitespace") return { type: "Split", pattern: WORDS, invert: true, behavior: "Removed" };
  if (before.type === "Punctuation" && [undefined, "Isolated"].some((behavior) => before["behavior"] === behavior))
    return { type: "Split", pattern: { Regex: `[^${MARKS}]+|[${MARKS}]` }, invert: true, behavior: "Removed" };
  return before;
}

function isPieceTable(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const ids: unknown[] = Object.values(value);
  return ids.length > 0 && ids.every((at) => Number.isInteger(at) && Number(at) >= 0 && Number(at) <= LARGEST_ID);
}

function areScoredPieces(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > LARGEST_ID) return false;
  return value.every((entry: unknown) => {
    if (!Array.isArray(entry) || entry.length !== 2) return false;
    const [piece, score]: unknown[] = entry;
    return typeof piece === "string" && typeof score === "number";
  });
}
