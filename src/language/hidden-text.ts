import { normalForm } from "./languages/normal-form.js";

/** A text that another one may hide, and how it is hidden. */
export interface HiddenReading {
  readonly text: string;
  readonly how: string;
}

/** Invisible characters: zero-width characters, joiners, soft hyphens, direction marks, tags. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Letters of a block that is never displayed; regional flags use it as well. */
const TAG_LETTERS = /[\u{e0020}-\u{e007e}]/gu;
const BASE64 = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
const HEX = /(?:(?:\\x|0x|%)?[0-9a-f]{2}[\s,:]?){12,}/gi;
const PERCENT = /(?:%[0-9a-f]{2}){2,}/i;
const ENTITY = /&#(?:x([0-9a-f]{2,6})|(\d{2,7}));/gi;
const ESCAPE = /\\u(?:\{([0-9a-f]{2,6})\}|([0-9a-f]{4}))/gi;
/** Spaced-out letters, as in "i g n o r e". */
const SPACED = /(?:\b\p{L}[ ._*|-]{1,3}){6,}\p{L}\b/gu;
/** Most base64 and hexadecimal pieces of one text that are decoded. */
const MOST_PIECES = 50;
/** Shortest reading, in characters, that can say something. */
const SHORTEST = 8;
/** How many layers of encoding are undone. */
const DEEPEST = 3;

/** Letters of other scripts and, below them, the ordinary Latin letters that they look like. */
const FOREIGN = Array.from("авсԁеёɡһіїјкӏмнорԛѕтуѵԝхѓгпиАВСЕНІЈКМОРЅТУХαβγεηικνορτυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧıłøƅꜱᴀᴇɪɴᴏʀᴛᴜ");
const FAMILIAR = Array.from("abcdeeghiijklmhopqstyvwxrrnnABCEHIJKMOPSTYXabyenikvoptuxwABEZHIKMNOPTYXilobsaeinortu");
const LOOKALIKES = new Map(FOREIGN.map((letter, index) => [letter, FAMILIAR[index] ?? letter]));
const DIGITS_AS_LETTERS = new Map(
  Object.entries({ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", $: "s", "!": "i" }),
);

/**
 * Text as a reader sees it: without invisible characters, and with look-alike letters replaced by the usual ones. Keeps line
 * breaks.
 */
export function visibleText(text: string): string {
  const bare = normalForm(text.replace(INVISIBLE, ""), "NFKD").replace(/\p{M}+/gu, "");
  return bare.replace(/\P{ASCII}/gu, (letter) => LOOKALIKES.get(letter) ?? letter);
}

/**
 * What a text may hide: in invisible, look-alike or unusual characters, reversed, rotated by 13 letters, or encoded as base64,
 * hexadecimal, percent-encoding, entities or escapes. Most readings are noise; the caller looks for words in them.
 */
export function hiddenReadings(text: string): HiddenReading[] {
  return readingsOf(text, 1);
}

function readingsOf(text: string, depth: number): HiddenReading[] {
  const visible = visibleText(text);
  const found: HiddenReading[] = [];
  const add = (how: string, reading: string) => {
    if (reading.trim().length >= SHORTEST && reading !== text) found.push({ how, text: reading });
  };
  add("invisible or look-alike characters", visible);
  add("invisible characters", tagLetters(text));
  if (depth === 1) {
    add("single letters", joinLetters(visible));
    add("digits for letters", substituteDigits(visible));
    add("letters rotated by 13", rotate(visible));
    add("reversed text", Array.from(visible).reverse().join(""));
  }
  for (const piece of decode(visible)) {
    add("encoded text", piece);
    if (depth < DEEPEST) found.push(...readingsOf(piece, depth + 1));
  }
  return found;
}

function joinLetters(text: string): string {
  return text.replace(SPACED, (letters) => letters.replace(/[ ._*|-]+/g, (gap) => (gap.length > 1 ? " " : "")));
}

function tagLetters(text: string): string {
  return (text.match(TAG_LETTERS) ?? [])
    .map((tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000))
    .join("");
}

/** Replaces digits only within words: a year is not a word. */
function substituteDigits(text: string): string {
  return text.replace(/[\w\p{L}@$!]+/gu, (word) =>
    /\p{L}/u.test(word) ? word.replace(/[013457@$!]/g, (sign) => DIGITS_AS_LETTERS.get(sign) ?? sign) : word,
  );
}

function rotate(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

function decode(text: string): string[] {
  const pieces = [
    ...[...text.matchAll(BASE64)].map(([token]) => Buffer.from(token, "base64").toString("utf8")),
    ...[...text.matchAll(HEX)].map(([digits]) =>
      Buffer.from(digits.replace(/\\x|0x|[^0-9a-f]/gi, ""), "hex").toString("utf8"),
    ),
  ].slice(0, MOST_PIECES);
  const unescaped = text
    .replace(ENTITY, (_entity, hex: string | undefined, decimal: string | undefined) => character(hex, decimal))
    .replace(ESCAPE, (_escape, long: string | undefined, short: string | undefined) =>
      character(long ?? short, undefined),
    );
  if (unescaped !== text) pieces.push(unescaped);
  if (PERCENT.test(text)) pieces.push(text.replace(/(?:%[0-9a-f]{2})+/gi, fromPercent));
  return pieces.filter(isReadable);
}

function character(hex: string | undefined, decimal: string | undefined): string {
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

function fromPercent(encoded: string): string {
  return Buffer.from(encoded.replaceAll("%", ""), "hex").toString("utf8");
}

/** What was not encoded text decodes to random bytes, not to words. */
function isReadable(text: string): boolean {
  const letters = text.match(/[\p{L}\p{N}\p{P}\p{S}\s]/gu)?.length ?? 0;
  return text.length >= SHORTEST && !text.includes("\ufffd") && letters >= text.length * 0.95;
}
