import { sentenceSpans } from "../../language/sentences.js";
import type { ExtractionGuidance } from "../ports.js";
import { presetJudge } from "../profile/preset-cues.js";
import { judgeSubject } from "../profile/subject-words.js";
import { subjectsIn } from "./plain-subjects.js";

/** What prompts say plainly enough for rules to follow: subjects by name. */
export interface PlainWishes {
  /** Only texts about one of these are wanted; if empty, all are. */
  readonly only: readonly string[];
  /** Texts about one of these are not wanted. */
  readonly never: readonly string[];
}

/** A prompt as the rules understand it. */
export interface PlainPrompt extends PlainWishes {
  /** True when it also says something that rules cannot follow. */
  readonly saysMore: boolean;
}

/** Longer ones say more than a subject. */
const MOST_WORDS = 16;
/** Per prompt or list. */
const MOST_SUBJECTS = 50;

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));
const COURTESY = words("please you should must shall always kindly");
const KEEPING = words(
  "remember store save keep extract record note memorize memorise memorise capture retain collect log include track",
);
const LEAVING_OUT = words("ignore exclude skip omit avoid");
const NEGATION = words("never not don't dont no");
const ONLY = words("only just solely exclusively");
/**
 * What a prompt says in the form "only remember facts about food" or "never store salaries", sentence by sentence, in English.
 * Takes time proportional to its length.
 */
export function readPlainPrompt(prompt: string): PlainPrompt {
  const only: string[] = [];
  const never: string[] = [];
  let saysMore = false;
  for (const { start, end } of sentenceSpans(prompt.replaceAll(";", "\n"))) {
    const wish = readWish(prompt.slice(start, end));
    if (!wish) saysMore = true;
    else (wish.isOnly ? only : never).push(...wish.subjects);
  }
  return { only: only.slice(0, MOST_SUBJECTS), never: never.slice(0, MOST_SUBJECTS), saysMore };
}

interface Wish {
  readonly isOnly: boolean;
  readonly subjects: readonly string[];
}

function readWish(sentence: string): Wish | null {
  const said = sentence
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/[^\p{L}\p{N}\s,'-]/gu, " ")
    .replaceAll(",", " , ")
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "-");
  if (said.length > MOST_WORDS) return null;
  let at = 0;
  const skip = (set: ReadonlySet<string>): boolean => {
    const before = at;
    while (set.has(said[at] ?? "")) at += 1;
    return at > before;
  };
  skip(COURTESY);
  if (said[at] === "do" && said[at + 1] === "not") at += 1;
  const isNever = skip(NEGATION);
  skip(words("ever"));
  let isOnly = !isNever && skip(ONLY);
  const isLeftOut = LEAVING_OUT.has(said[at] ?? "");
  if (!isLeftOut && !KEEPING.has(said[at] ?? "")) return null;
  at += 1;
  isOnly = (!isNever && !isLeftOut && skip(ONLY)) || isOnly;
  const rest = said.slice(at);
  if (!isNever && !isLeftOut && ONLY.has(rest.at(-1) ?? "")) {
    rest.pop();
    isOnly = true;
  }
  // "Never ignore" and "only skip" mean something else; a plain "remember food" excludes nothing.
  if (isLeftOut ? isNever || isOnly : !isNever && !isOnly) return null;
  const subjects = subjectsIn(rest);
  return subjects && { isOnly, subjects };
}

/** The names in a setting of any JSON type: a text, or a list of texts; null for anything else. */
export function namesIn(items: unknown): string[] | null {
  const list: readonly unknown[] = Array.isArray(items) ? items : [items];
  const names = list.flatMap((item) => (typeof item === "string" && item.trim() !== "" ? [item.trim()] : []));
  return names.length === list.length && names.length > 0 ? names.slice(0, MOST_SUBJECTS) : null;
}

/** The part of somebody's guidance that rules can follow. */
export function plainWishesOf(guidance: ExtractionGuidance | undefined): PlainWishes {
  const prompts = [guidance?.filterPrompt, guidance?.entityContext].flatMap((prompt) =>
    prompt ? [readPlainPrompt(prompt)] : [],
  );
  return {
    only: prompts.flatMap(({ only }) => only),
    never: [...prompts.flatMap(({ never }) => never), ...(namesIn(guidance?.excludeItems) ?? [])],
  };
}

/** Tells whether a text may be stored under these wishes; null if all may. */
export function judgeWishes({ only, never }: PlainWishes): ((text: string) => boolean) | null {
  if (only.length === 0 && never.length === 0) return null;
  const wanted = only.map((name) => judgeNamed(name, false));
  const unwanted = never.map((name) => judgeNamed(name, true));
  return (text) =>
    !unwanted.some((isAbout) => isAbout(text)) && (wanted.length === 0 || wanted.some((isAbout) => isAbout(text)));
}

/** An allergy to nuts or cats does not make a text about nuts or cats: words that belong to an allergy do not count. */
const ALLERGIES = /^(?:[\p{L}-]+ )?allerg(?:y|ies|ens?)$/iu;
const OF_ALLERGIES =
  /\b(?:allerg\p{L}*|anaphyla\p{L}*|intoleran(?:t|ces?)|hay ?fever|co?eliac|epi-?pens?|antihistamines?|hypersensitiv\p{L}*)\b/iu;

function judgeNamed(name: string, isNarrow: boolean): (text: string) => boolean {
  if (ALLERGIES.test(name)) return (text) => OF_ALLERGIES.test(text);
  const isAbout = judgeSubject({ name, isNarrow });
  const isPreset = presetJudge(name.toLowerCase());
  return (text) => isAbout(text) || isPreset?.(text) === true;
}

/** A text without the sentences that may not be stored. */
export function withoutUnwanted(text: string, mayBeKept: (text: string) => boolean): string {
  let kept = "";
  let from = 0;
  for (const { start, end } of sentenceSpans(text)) {
    if (mayBeKept(text.slice(start, end))) continue;
    kept += text.slice(from, start);
    from = end;
  }
  return kept + text.slice(from);
}
