import { familyOf } from "../../language/english/families.js";

/** Content words of a text that count as one. */
export interface Root {
  readonly text: string;
  /** Its family (see `familyOf`); null for a root that is its own family. */
  readonly family: string | null;
  /** Unique among the roots that are kept; -1 for one that is not kept. */
  readonly number: number;
}

/** A root, and where it occurred in the text being analysed. */
export class KnownRoot implements Root {
  readonly text: string;
  readonly family: string | null;
  readonly number: number;
  /** Number of the last text that contained it. */
  metIn = 0;
  /** Its index among the roots of that text. */
  place = 0;

  constructor(text: string, family: string, number: number) {
    this.text = text;
    this.family = family === text ? null : family;
    this.number = number;
  }
}

const keptRoots = new Map<string, KnownRoot>();
/** Kept roots that are not their own family, by family. */
const relatives = new Map<string, KnownRoot[]>();
/** Range of numbers of the kept roots, end exclusive. */
let firstNumber = 0;
let nextNumber = 0;

/** The only root object for this text until all are forgotten. */
export function keepRoot(text: string): KnownRoot {
  const known = keptRoots.get(text);
  if (known) return known;
  const root = new KnownRoot(text, familyOf(text), nextNumber++);
  keptRoots.set(text, root);
  if (root.family !== null) {
    const others = relatives.get(root.family);
    if (others) others.push(root);
    else relatives.set(root.family, [root]);
  }
  return root;
}

/** A root that is not kept just because it was asked for: a new object each time, unless it is already kept. */
export function looseRoot(text: string, family = familyOf(text)): KnownRoot {
  return keptRoots.get(text) ?? new KnownRoot(text, family, -1);
}

/** Whether all texts share the same object for it. */
export function isKept({ number }: Root): boolean {
  return number >= 0;
}

/** Callers keep the roots they hold; later roots get new numbers. */
export function forgetRoots(): void {
  keptRoots.clear();
  relatives.clear();
  firstNumber = nextNumber;
}

/**
 * A fast filter for roots that have one of some texts or families: exact for all roots kept when it was made, true for all
 * others.
 */
export class LikelyRoots {
  readonly #first = firstNumber;
  readonly #count = nextNumber - firstNumber;
  readonly #bits = new Uint32Array((this.#count >>> 5) + 1);

  constructor(texts: Iterable<string>, families: Iterable<string>) {
    for (const text of texts) this.#add(keptRoots.get(text));
    for (const family of families) for (const root of relatives.get(family) ?? []) this.#add(root);
  }

  has({ number }: Root): boolean {
    const place = number - this.#first;
    return place < 0 || place >= this.#count || ((this.#bits[place >>> 5]! >>> (place & 31)) & 1) === 1;
  }

  #add(root: Root | undefined): void {
    if (root === undefined) return;
    const place = root.number - this.#first;
    this.#bits[place >>> 5]! |= 1 << (place & 31);
  }
}
