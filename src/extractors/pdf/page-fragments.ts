import type { Fragment } from "./fragment.js";
import { placeScripts } from "./scripts.js";

/** A run of text as returned by the PDF library. */
interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly fontName: string;
}

export interface PageText {
  readonly items: readonly (TextItem | object)[];
  readonly styles: Readonly<Record<string, { readonly fontFamily: string }>>;
  /** Maps PDF coordinates to those of the displayed page, with y pointing down. */
  readonly transform: readonly number[];
}

/** More runs than a readable page has; the rest is left out. */
export const MAXIMUM_FRAGMENTS = 50_000;

/** Lone surrogates, noncharacters and invisible characters. */
const NO_TEXT = /[\ufffe\uffff\u200b\ufeff]|\p{Surrogate}/gu;

/** TeX fonts without a character map have their ligatures at these positions. */
const TEX_LIGATURES: readonly string[] = ["ff", "fi", "fl", "ffi", "ffl"];

const TEX_BULLET = 0x88;

/**
 * The text of a page as upright fragments, those of its main direction first. Each list contains the fragments of one direction,
 * rotated so that they read from left to right.
 */
export function fragmentsOf(page: PageText): Fragment[][] {
  const byTurn = new Map<number, Fragment[]>();
  const seen = new Set<string>();
  for (const [order, item] of page.items.slice(0, MAXIMUM_FRAGMENTS).entries()) {
    if (!("str" in item)) continue;
    const placed = place(item, order, page);
    if (placed === null) continue;
    const { fragment, turn } = placed;
    // Shadows and simulated bold print draw the same text twice.
    const key = `${turn} ${Math.round(fragment.x)} ${Math.round(fragment.baseline)} ${fragment.text}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const alike = byTurn.get(turn);
    if (alike) alike.push(fragment);
    else byTurn.set(turn, [fragment]);
  }
  return [...byTurn.values()].map(placeScripts).toSorted((one, other) => lettersIn(other) - lettersIn(one));
}

function lettersIn(fragments: readonly Fragment[]): number {
  return fragments.reduce((sum, { text }) => sum + text.length, 0);
}

function place(item: TextItem, order: number, page: PageText): { fragment: Fragment; turn: number } | null {
  const text = readable(item.str);
  if (text.trim() === "") return null;
  const [a, b, c, d, x, y] = multiply(page.transform, item.transform);
  const size = Math.hypot(c, d) || Math.hypot(a, b);
  if (![x, y, size, item.width].every(Number.isFinite) || size <= 0) return null;
  const turn = (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;
  const [left, baseline] = turned(x, y, turn);
  const fragment: Fragment = {
    text,
    x: left,
    width: Math.max(0, item.width),
    baseline,
    size,
    order,
    isMonospaced: page.styles[item.fontName]?.fontFamily === "monospace",
    isRightToLeft: item.dir === "rtl",
  };
  return { fragment, turn };
}

function readable(text: string): string {
  return text
    .replace(/\p{Cc}/gu, meantByControl)
    .replace(NO_TEXT, "")
    .replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize("NFKC"))
    .replace(/\s/g, " ");
}

function meantByControl(sign: string): string {
  const code = sign.charCodeAt(0);
  if (code === 0x09 || code === 0x0a) return " ";
  if (code === TEX_BULLET) return "•";
  return TEX_LIGATURES[code - 0x0b] ?? TEX_LIGATURES[code - 0x1b] ?? "";
}

type Matrix = readonly [number, number, number, number, number, number];

/** The matrix that applies the second, then the first. */
export function multiply(first: readonly number[], second: readonly number[]): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = first;
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = second;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** A position on the page after rotating it back by this many quarter turns. */
function turned(x: number, y: number, quarters: number): [x: number, y: number] {
  if (quarters === 1) return [y, -x];
  if (quarters === 2) return [-x, -y];
  return quarters === 3 ? [-y, x] : [x, y];
}
