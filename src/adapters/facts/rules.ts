import type { FactExtractor, FactSource } from "../../core/ports.js";
import type { FactCandidate } from "../../core/types.js";
import { yieldTurn } from "../../lib/time.js";
import { endOfDay, localDate, type TimeZone, wallClock } from "../../lib/time-zone.js";
import { readDefinition } from "./definitions.js";
import { readForeign } from "./foreign.js";
import { readInstruction } from "./instructions.js";
import { personOf, readClause, splitClauses, type Clause } from "./clauses.js";
import { judge } from "./judge.js";
import { readJotting } from "./jottings.js";
import { onlyRelativeIn } from "./mentions.js";
import { readLabel } from "./labels.js";
import { isReported, openSentence } from "./opening.js";
import { rewriteRest } from "./phrase.js";
import { AHEAD, pointingOf } from "./pointing.js";
import { statementsOf, type Sentence } from "./sentences.js";
import { readSpecial, type SpecialFact } from "./special.js";
import { isAssistantFact } from "./assistant.js";
import { APPOINTMENT, type Verdict } from "./verdict.js";
import { withoutEnd, withRest } from "./rest.js";
import { passagesOf, type Passage, type Voice } from "./voice.js";
import { resolveDates, type DatedText, type ParseDates } from "./when.js";

/** A document that states more than this is neither a conversation nor a note; its chunks are found all the same. */
const MOST_CANDIDATES = 500;
const LONGEST_FACT = 320;
/** Lines and sentences read before other work gets its turn. */
const READ_PER_TURN = 100;
/** "She" refers to somebody named at most this many sentences earlier. */
const MEMORY_OF_PERSONS = 2;

/**
 * A fact extractor without a model: it reads English sentences by rules, and would rather miss a fact than invent one.
 * At most 500 candidates per document; time grows only with the length of the text.
 */
export function createRulesExtractor(): FactExtractor {
  return { name: "rules", extract: extractFacts };
}

async function extractFacts(source: FactSource, signal?: AbortSignal): Promise<FactCandidate[]> {
  const chrono = await import("chrono-node/en");
  const parse: ParseDates = (text, reference, option) => chrono.parse(text, reference, option);
  const facts = new Map<string, FactCandidate>();
  const toldByUser: LastMentioned = { person: null, age: 0 };
  let read = 0;
  const passages = passagesOf(source);
  for (const [index, passage] of passages.entries()) {
    // Among several people, somebody else may have been mentioned in between.
    const told = passage.voice.kind === "user" ? toldByUser : { person: null, age: 0 };
    const reader = createReader(passage, told, { timeZone: source.timeZone, parse });
    const after = passages.slice(index + 1, index + 3).find(({ voice }) => voice.kind !== "assistant");
    for (const sentence of statementsOf(passage.text, passage.voice, after?.text)) {
      read += 1;
      if (read % READ_PER_TURN === 0) await yieldTurn();
      signal?.throwIfAborted();
      if (sentence === null) continue;
      for (const fact of reader(sentence)) {
        const key = fact.text.toLowerCase();
        if (!facts.has(key)) facts.set(key, sentence.isTakenBack ? { ...fact, isTakenBack: true } : fact);
      }
      if (facts.size >= MOST_CANDIDATES) return [...facts.values()].slice(0, MOST_CANDIDATES);
    }
  }
  return [...facts.values()];
}

/** The point in time from which a text is read. */
interface When {
  /** Its UTC fields are what a clock in the zone showed. */
  readonly reference: Date;
  readonly timeZone: TimeZone;
  readonly parse: ParseDates;
  readonly isUndated: boolean;
  /** The start of the event, in the sentence, whose end a later clause may state. */
  readonly begun?: string | null;
}

/** The person in a speaker's last sentences, and how many sentences ago. */
interface LastMentioned {
  person: string | null;
  age: number;
}

/** Reads the sentences of one passage in order, remembering whom this speaker mentioned last. */
function createReader(
  passage: Passage,
  told: LastMentioned,
  { timeZone, parse }: Pick<When, "timeZone" | "parse">,
): (sentence: Sentence) => FactCandidate[] {
  const { voice } = passage;
  const { isUndated } = passage;
  const when: When = { reference: referenceOf(passage.date, timeZone), timeZone, parse, isUndated };
  return (sentence) => {
    told.age += 1;
    if (told.age > MEMORY_OF_PERSONS) told.person = null;
    if (isReported(sentence.text)) return [];
    const opened = openSentence(sentence.text, voice);
    const special = readSpecial(opened.text, voice) ?? readLabel(sentence.text, voice);
    if (special) return [specialFact(special, sentence)];
    const facts: FactCandidate[] = [];
    let about = "";
    let begun: string | null = null;
    for (const part of splitClauses(opened, { voice, antecedent: told.person })) {
      const clause = readClause(part, { voice, antecedent: told.person });
      if (!clause) continue;
      const person = personOf(clause, voice);
      if (person !== null) {
        told.person = person;
        told.age = 0;
      }
      if (clause.subject.text !== about) begun = null;
      about = clause.subject.text;
      const read = factOf(clause, passage, sentence, { ...when, begun });
      begun = read?.begins ?? begun;
      if (read?.fact) facts.push(read.fact);
    }
    const mentioned = onlyRelativeIn(sentence.text, voice);
    if (mentioned !== null && told.age > 0) {
      told.person = mentioned;
      told.age = 0;
    }
    const jotting = facts.length === 0 ? readJotting(opened.text, voice) : null;
    const task = jotting === null ? null : jottingFact(jotting, sentence, when);
    if (task) return [task];
    if (facts.length > 0) {
      const said = withoutEnd(opened.text);
      const whole = readClause(said, { voice, antecedent: told.person });
      return withRest(facts, { said, whole: (whole && factOf(whole, passage, sentence, when)?.fact) ?? null });
    }
    const noted =
      readInstruction(sentence.text, voice) ?? readDefinition(opened.text, voice) ?? readForeign(sentence.text, voice);
    return noted ? [specialFact(noted, sentence)] : [];
  };
}

function specialFact({ text, verdict: { kind, isStatic } }: SpecialFact, { quote }: Sentence): FactCandidate {
  return { text, kind, isStatic, quote };
}

function jottingFact(jotting: string, sentence: Sentence, when: When): FactCandidate | null {
  const dated = resolveDates(jotting, { ...when, pointing: AHEAD });
  return written({ words: dated.text, verdict: APPOINTMENT, dated }, sentence, when);
}

/** A clause as a fact, if it is one, and when the event in it starts. */
interface ReadClause {
  readonly fact: FactCandidate | null;
  readonly begins: string | null;
}

function factOf(clause: Clause, passage: Passage, sentence: Sentence, when: When): ReadClause | null {
  const { subject, predicate } = clause;
  const verdict = judge(subject, predicate);
  if (!verdict || (passage.voice.kind === "assistant" && !isAssistantFact(clause, verdict, passage.voice.self)))
    return null;
  const rest = rewriteRest(predicate.rest, passage.voice, speakerIn(clause, passage.voice));
  if (rest === null) return null;
  const pointing = pointingOf(clause, verdict);
  const dated = resolveDates(rest, { ...when, pointing, verbs: predicate.group });
  const text = [subject.text, predicate.group, dated.text].filter((part) => part !== "").join(" ");
  const isPresent = predicate.frame === "be" || predicate.frame === "present";
  return { fact: written({ words: text, verdict, dated, isPresent }, sentence, when), begins: dated.begins };
}

/** The content of a clause or a jotting, before it becomes a fact. */
interface Stated {
  readonly words: string;
  readonly verdict: Verdict;
  readonly dated: DatedText;
  /** It is about the present. */
  readonly isPresent?: boolean;
}

const OR_LONGER = /\b(?:unless|at least|at the (?:very )?earliest|or (?:longer|later)|automatically)\b/i;

/** "Is valid until 3 May 2024", with its year: over after that day, even if the day is past. */
function endsOn({ hasLimit, days, completed }: DatedText, lastDay: string): boolean {
  return hasLimit && days.includes(lastDay) && completed.every(({ date }) => date !== lastDay);
}

function written(
  { words, verdict, dated, isPresent = false }: Stated,
  sentence: Sentence,
  { reference, timeZone }: When,
): FactCandidate | null {
  if (verdict.needsDate === true && !dated.isDated) return null;
  const text = words.replace(/\s+/g, " ").replace(/\bcan not\b/g, "cannot");
  if (text.length > LONGEST_FACT) return null;
  const { lastDay } = dated;
  const isAhead = lastDay !== null && lastDay >= reference.toISOString().slice(0, 10);
  const isTemporary = verdict.isTemporary === true || dated.hasLimit;
  const isOpenEnded = dated.hasLimit && OR_LONGER.test(text);
  const ends = isTemporary && !isOpenEnded && lastDay !== null && (isAhead || (isPresent && endsOn(dated, lastDay)));
  return {
    text,
    kind: verdict.kind,
    isStatic: verdict.isStatic && !ends,
    ...(ends ? { forgetAfter: endOfDay(lastDay, timeZone) } : {}),
    ...(dated.days.length > 0 ? { eventDates: dated.days } : {}),
    ...(dated.completed.length > 0 ? { completedDates: dated.completed } : {}),
    ...(dated.open.length > 0 ? { openDates: dated.open } : {}),
    quote: sentence.quote,
  };
}

/** The speaker, when the clause is about them or something of theirs. */
function speakerIn({ subject: { role, text, isPlural } }: Clause, { self, authors }: Voice): string | null {
  const names = [self, authors?.one, authors?.group].filter((name) => typeof name === "string");
  if (role === "self") return names.find((name) => text === name) ?? (isPlural ? self : text);
  return role === "own" ? (names.find((name) => text.startsWith(`${name}'s`)) ?? null) : null;
}

/** An invalid date is no reason to lose the facts; relative dates then resolve against today. */
function referenceOf(date: string, timeZone: TimeZone): Date {
  return localDate(date, timeZone) ?? wallClock(new Date(), timeZone);
}
