import { stem } from "../stem.js";
import { isStopWord } from "../words.js";
import { EVERYDAY_GROUPS } from "./everyday-groups.js";
import { IRREGULAR_FORMS, WORD_FAMILIES } from "./irregular-forms.js";
import { KIND_GROUPS } from "./kind-groups.js";
import { LIFE_GROUPS } from "./life-groups.js";
import { NOUN_GROUPS } from "./noun-groups.js";
import { VERB_GROUPS } from "./verb-groups.js";
import { WORK_GROUPS } from "./work-groups.js";

/** How strongly a word stands for a group of related words, from 0 to 1. */
export interface Concept {
  readonly group: number;
  readonly weight: number;
}

const HEAD = 0.9;
const MEMBER = 0.6;
const FAMILY = 0.95;
const NONE: readonly Concept[] = [];

const baseForms = readBaseForms();
/** Built on first use, as that takes about a tenth of the start-up time. */
let relations: Relations | undefined;
/** Bounded by the vocabulary of the groups. */
const relatedCache = new Map<string, ReadonlyMap<string, number>>();

/** The form by which a folded word is counted: its stem, after irregular forms (`went` -> `go`) and spelling variants are mapped. */
export function rootOf(word: string): string {
  return stem(baseForms.get(word) ?? word);
}

const CACHE_LIMIT = 20_000;
/** Longer words are not cached: there is no end of them. */
const LONGEST_KEPT = 64;
const contentRoots = new Map<string, string>();

/** `rootOf` a folded content word; empty for stop words. Cached, up to a limit. */
export function contentRoot(word: string): string {
  const known = contentRoots.get(word);
  if (known !== undefined) return known;
  const root = isStopWord(word) ? "" : rootOf(word);
  if (word.length > LONGEST_KEPT) return root;
  if (contentRoots.size >= CACHE_LIMIT) contentRoots.clear();
  contentRoots.set(word, root);
  return root;
}

/** The groups that a root (see `rootOf`) belongs to. */
export function conceptsOf(root: string): readonly Concept[] {
  return readRelations().conceptsByRoot.get(root) ?? NONE;
}

/**
 * Every other root that shares a group with a root, and how related it is: near 0.8 for synonyms, near 0.5 for a kind or a
 * part, near 0.35 for two kinds of the same thing. The result is cached: do not change it.
 */
export function relatedRoots(root: string): ReadonlyMap<string, number> {
  const known = relatedCache.get(root);
  if (known !== undefined) return known;
  const related = new Map<string, number>();
  const { rootsByGroup } = readRelations();
  for (const own of conceptsOf(root))
    for (const other of rootsByGroup[own.group] ?? [])
      if (other.root !== root)
        related.set(other.root, Math.max(related.get(other.root) ?? 0, own.weight * other.weight));
  if (related.size > 0) relatedCache.set(root, related);
  return related;
}

function readBaseForms(): Map<string, string> {
  const forms = new Map<string, string>();
  for (const entry of IRREGULAR_FORMS) {
    const [base = "", ...others] = entry.split(" ");
    for (const other of others) if (!forms.has(other)) forms.set(other, base);
  }
  return forms;
}

interface Relations {
  readonly conceptsByRoot: ReadonlyMap<string, readonly Concept[]>;
  readonly rootsByGroup: readonly (readonly { readonly root: string; readonly weight: number }[])[];
}

function readRelations(): Relations {
  if (relations) return relations;
  const rootsByGroup: { readonly root: string; readonly weight: number }[][] = [];
  const concepts = new Map<string, Concept[]>();
  const add = (words: string, group: number, weight: number): void => {
    for (const word of words.split(" ").filter((each) => each !== "")) {
      const root = rootOf(word);
      const list = concepts.get(root) ?? [];
      if (list.some((concept) => concept.group === group)) continue;
      list.push({ group, weight });
      concepts.set(root, list);
      (rootsByGroup[group] ??= []).push({ root, weight });
    }
  };
  let group = 0;
  for (const family of WORD_FAMILIES) add(family, group++, FAMILY);
  for (const line of [
    ...LIFE_GROUPS,
    ...WORK_GROUPS,
    ...EVERYDAY_GROUPS,
    ...KIND_GROUPS,
    ...VERB_GROUPS,
    ...NOUN_GROUPS,
  ]) {
    const [heads = "", members = ""] = line.split("/");
    add(heads, group, HEAD);
    add(members, group++, MEMBER);
  }
  relations = { conceptsByRoot: concepts, rootsByGroup };
  return relations;
}
