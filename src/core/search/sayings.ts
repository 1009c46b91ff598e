import { sentenceSpans } from "../../language/sentences.js";
import { fold } from "../../language/words.js";
import { figuresConflict, readFigure, type Figure } from "../memories/figures.js";
import { readStatement } from "../memories/statement.js";
import type { UnitDetail } from "../ports.js";

/** Only this many first sentences of a longer passage are read. */
const MOST_SENTENCES = 40;
const SPEAKER = /^[^:\n]{1,40}: (?=\S)/;
const SAYING = /^(.{2,80}?) (?:is|are) (.{1,120})$/u;
/** Subjects about which many things can be true at once. */
const MANY_SIDED = /^(?:user|we|you|he|she|it|they|this|that|these|those|there|here|what|who|everything|everyone)$/;
const OWN = /^(?:user|we)\b/;
const NEWER = /\b(?:new|current) /g;

/** What a sentence says about something. */
export interface Saying {
  /** The thing it is about. */
  readonly of: string;
  readonly value: string | Figure;
  /** True if the words themselves say that it was different before. */
  readonly isChange: boolean;
}

/** Does not depend on the question, so it is computed once for each detail that the store keeps. */
const known = new WeakMap<UnitDetail, readonly Saying[]>();

/**
 * What a unit says about things that have one value at a time, once per thing. Of a memory, values in words count only if it
 * says that they changed: one that another corrects explicitly would already have been replaced.
 */
export function sayingsOf(detail: UnitDetail): readonly Saying[] {
  const before = known.get(detail);
  if (before) return before;
  const spans = sentenceSpans(detail.text).slice(0, MOST_SENTENCES);
  const speaker = detail.chunk?.metadata?.speakers?.[0] ?? "User";
  const all = spans.flatMap(({ start, end }) =>
    sayingsIn(detail.text.slice(start, end).trim().replace(SPEAKER, ""), speaker),
  );
  const counted = all.filter(({ isChange, value }) => isChange || typeof value !== "string" || !detail.memory);
  // The last thing said about something counts.
  const sayings = [...new Map(counted.map((saying) => [saying.of, saying])).values()];
  known.set(detail, sayings);
  return sayings;
}

/**
 * True when the later of two sayings about the same thing supersedes the earlier: it gives a different figure, or explicitly
 * corrects it ("The wifi name is now AtticNet", "We no longer use Slack").
 */
export function changes(later: Saying, earlier: Saying): boolean {
  if (later.of !== earlier.of) return false;
  const [now, before] = [later.value, earlier.value];
  if (typeof now === "string" || typeof before === "string")
    return later.isChange && !earlier.isChange && now !== before;
  return figuresConflict(now, before);
}

function sayingsIn(sentence: string, speaker: string): readonly Saying[] {
  const figure = readFigure(sentence);
  const ofFigure = figure ? [{ of: `figure ${figure.frame}`, value: figure, isChange: false }] : [];
  return [...ofFigure, ...statedIn(sentence, speaker)];
}

function statedIn(sentence: string, speaker: string): readonly Saying[] {
  const statement = readStatement(sentence);
  if (!statement) return [];
  const { dated, isNegative, isChange, scope } = statement;
  const folded = fold(dated);
  // Two people who speak of "my …" speak of two things.
  const whose = OWN.test(folded) ? fold(speaker) : "";
  const whole = { of: `all ${whose} ${folded} ${scope}`, value: String(isNegative), isChange: isNegative && isChange };
  const found = isNegative ? null : SAYING.exec(dated);
  if (!found) return [whole];
  const [, subject = "", value = ""] = found;
  const of = fold(subject)
    .replace(/^(?:the|our) /, "")
    .replace(NEWER, "");
  if (MANY_SIDED.test(of)) return [whole];
  const isNew = /\bnew\b/i.test(subject) || isChange;
  return [whole, { of: `one ${whose} ${of} ${scope}`, value: fold(value), isChange: isNew }];
}
