import { rememberLast } from "../../lib/remember-last.js";
import { readEnding, readHoldings, type State } from "./endings.js";
import { introducedBy, tellsOf } from "./introductions.js";
import { meaningKey } from "./near-duplicates.js";
import { readReplacement, saysNew, type Replacement } from "./replacements.js";
import { valueWords } from "./slot-values.js";
import { readClaim, type Claim } from "./slots.js";
import { readStatedValues, type StatedValue } from "./stated-values.js";
import { readStatement, type Statement } from "./statement.js";
import { readReturn, statesOfReturn, type Return } from "./returns.js";
import { presentState, readTransition, readTransitions, type Transition } from "./transitions.js";

const LONGEST_READ = 400;
/** About 2 kB each. */
const MOST_REMEMBERED = 4_000;

/** A text as the rules see it. Each part is computed on first use: for most texts only one or two ever are. */
export class Reading {
  readonly #text: string;
  readonly #isOfGroup: boolean;
  readonly #quoted: Transition | null;
  #statement: Statement | null | undefined;
  #claim: Claim | null | undefined;
  #ending: State | null | undefined;
  #holdings: readonly State[] | undefined;
  #replacement: Replacement | null | undefined;
  #transitions: readonly Transition[] | undefined;
  #returns: Return | null | undefined;
  #statedValues: readonly StatedValue[] | undefined;
  #introduces: string | null | undefined;
  #tellsOf: string | null | undefined;
  #pieces: readonly string[] | undefined;

  /**
   * @param told.replacement what the quoted words say is replaced, if the text itself does not say so
   * @param told.transition what they say became something else
   * @param told.isOfGroup whether those words are about what "we" do
   */
  constructor(
    text: string,
    told: {
      readonly replacement?: Replacement | null;
      readonly transition?: Transition | null;
      readonly isOfGroup?: boolean;
    } = {},
  ) {
    this.#text = text;
    this.#replacement = told.replacement ?? undefined;
    this.#quoted = told.transition ?? null;
    this.#isOfGroup = told.isOfGroup ?? false;
  }

  get statement(): Statement | null {
    if (this.#statement === undefined) this.#statement = readStatement(this.#text);
    return this.#statement;
  }

  get claim(): Claim | null {
    if (this.#claim === undefined) this.#claim = readClaim(this.#text, this.statement);
    return this.#claim;
  }

  /** The same for the team, if a member says what "we" no longer do. */
  get claimOfTeam(): Claim | null {
    const { claim } = this;
    if (!this.#isOfGroup || claim?.slot !== "says" || !claim.isNegative || !claim.isChange) return null;
    return claim.value.startsWith("user ") ? { ...claim, value: claim.value.replace(/^user /, "team ") } : null;
  }

  /** What it says is over. */
  get ending(): State | null {
    if (this.#ending === undefined) this.#ending = this.statement && readEnding(this.statement, this.#isOfGroup);
    return this.#ending;
  }

  /** What it says holds and may end. */
  get holdings(): readonly State[] {
    return (this.#holdings ??= this.statement ? readHoldings(this.statement) : []);
  }

  /** What it says replaces something that it names. */
  get replacement(): Replacement | null {
    if (this.#replacement === undefined) this.#replacement = readReplacement(this.#text);
    return this.#replacement;
  }

  /** What it says became something else, as the text itself and as the quoted words say it. */
  get transitions(): readonly Transition[] {
    if (this.#transitions === undefined) {
      const own = readTransitions(this.#text, this.#isOfGroup);
      this.#transitions = this.#quoted === null ? own : [...own, this.#quoted];
    }
    return this.#transitions;
  }

  /** What it says somebody went back to. */
  get returns(): Return | null {
    if (this.#returns === undefined) this.#returns = readReturn(this.#text, this.#isOfGroup);
    return this.#returns;
  }

  /** What it says of its subject, whatever that is. */
  get statedValues(): readonly StatedValue[] {
    return (this.#statedValues ??= [
      ...(this.statement ? readStatedValues(this.statement) : []),
      ...this.transitions.map(presentState),
      ...(this.returns ? statesOfReturn(this.returns) : []),
    ]);
  }

  /** The name of somebody whom it introduces. */
  get introduces(): string | null {
    if (this.#introduces === undefined) this.#introduces = introducedBy(this.#text);
    return this.#introduces;
  }

  /** The name of somebody about whom it says more. */
  get tellsOf(): string | null {
    if (this.#tellsOf === undefined) this.#tellsOf = tellsOf(this.#text);
    return this.#tellsOf;
  }

  /** The pieces of its meaning in order. */
  get pieces(): readonly string[] {
    return (this.#pieces ??= this.#text.length > LONGEST_READ ? [] : meaningKey(this.#text).split(" "));
  }
}

const OF_GROUP =
  /^(?:(?:as of|since|from|in|on|last|this) [^,]{1,30}?,? |(?:today|yesterday|recently|finally),? )?we\b/i;

/** Reads a fact with the sentence that states it, which may name what is no longer so where the fact says only what is so now. */
export function readingOfFact({
  text,
  quote,
}: {
  readonly text: string;
  readonly quote?: string | undefined;
}): Reading {
  const reading = readingOf(text);
  if (quote === undefined) return reading;
  const isOfGroup = OF_GROUP.test(quote);
  const named = reading.replacement ? null : readReplacement(quote);
  const replacement = named && reading.statement && saysNew(named, reading.statement) ? named : null;
  const transition = quotedTransition(text, quote, isOfGroup);
  return replacement || transition || isOfGroup ? new Reading(text, { replacement, transition, isOfGroup }) : reading;
}

const OF_SPEAKER = /\b(?:i|my|we|our)\b/i;
const OF_USER = /^(?:user|we|the team|our)\b/i;

/** What the quoted words say became something else, if the fact says what it is now, and the same person says both. */
function quotedTransition(text: string, quote: string, isOfGroup: boolean): Transition | null {
  if (quote === text || (OF_SPEAKER.test(quote) && !OF_USER.test(text))) return null;
  const read = readTransition(quote, isOfGroup);
  if (read === null) return null;
  const said = new Set(valueWords(text));
  const saysPresent = valueWords(read.present).every((word) => said.has(word));
  return saysPresent || readTransition(text, isOfGroup)?.thing === read.thing ? read : null;
}

const readShort = rememberLast((text) => new Reading(text), MOST_REMEMBERED);

/** Reads a text by rules. Recent readings are cached, because each new fact is compared with many others. */
export function readingOf(text: string): Reading {
  return text.length > LONGEST_READ ? new Reading(text) : readShort(text);
}
