import { familyOf } from "../../language/english/families.js";

/** The content words of a text that count as one. */
export interface Root {
  readonly text: string;
  /** Its family (see `familyOf`); null for a root that is its own. */
  readonly family: string | null;
  /** The same for no other one that is kept; -1 for one that is not kept. */
  readonly number: number;
}

/** A root, and where it was met in the text that is being taken apart. */
export class KnownRoot implements Root {
  readonly text: string;
  readonly family: string | null;
  readonly number: number;
  /** Number of the text that had it last. */
  metIn = 0;
  /** Its place among the roots of that text. */
  place = 0;

  constructor(text: string, family: string, number: number) {
    this.text = text;
    this.family = family === text ? null : family;
    this.number = number;
  }
}

const keptRoots = new Map<string, KnownRoot>();
/** The kept ones that are not their own family, by family. */
const relatives = new Map<string, KnownRoot[]>();
/** Numbers of the kept ones, the last one excluded. */
let firstNumber = 0;
let nextNumber = 0;

/** The one root of this text, of which there is no other until all are forgotten. */
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

/** A root that is not kept for being asked for: another object each time, unless it is kept already. */
export function looseRoot(text: string, family = familyOf(text)): KnownRoot {
  return keptRoots.get(text) ?? new KnownRoot(text, family, -1);
}

/** Whether other texts have the same object. */
export function isKept({ number }: Root): boolean {
  return number >= 0;
}

/** Those who have roots keep theirs; the numbers of later ones are others. */
export function forgetRoots(): void {
  keptRoots.clear();
  relatives.clear();
  firstNumber = nextNumber;
}

/** A guess which roots have one of some texts or families: right of all that were kept when it was made, true of others. */
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
