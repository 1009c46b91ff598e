import { PEOPLE } from "../../language/english/people.js";
import { fold } from "../../language/words.js";
import { isDate, isSameDate } from "./date-values.js";
import { isPlace, valueWords } from "./slot-values.js";
import { TOOLS } from "./slot-words.js";
import type { Link, StatedValue } from "./stated-values.js";
import { PET } from "./ending-patterns.js";
import {
  EXCHANGED_ROLE,
  NAME,
  NOT_THE_ONE,
  PLACE_OF_ONES_OWN,
  TOOL_OF_GROUP,
  type TransitionKind,
} from "./transition-patterns.js";
import { keyOf, OURSELVES, type Transition } from "./transitions.js";

/** A statement, the transition that ends it, and the key of what it says. */
export interface EndedState {
  readonly transition: Transition;
  readonly held: StatedValue;
  readonly state: string;
  /** Which thing of theirs is meant, as a key, where only the value tells; otherwise empty. */
  readonly attribute: string;
}

/** What one text ends of what another says. */
export function endedStates(
  { transitions }: { readonly transitions: readonly Transition[] },
  { statedValues }: { readonly statedValues: readonly StatedValue[] },
): readonly EndedState[] {
  return transitions.flatMap((transition) =>
    statedValues.flatMap((held) => {
      const state = endedState(transition, held);
      return state === null ? [] : [{ transition, held, state, attribute: attributeOf(transition, held) }];
    }),
  );
}

function attributeOf(transition: Transition, { subject }: StatedValue): string {
  const isNamed = transition.kind === "rename" || transition.thing !== "" || isOf(transition, subject);
  return isNamed ? "" : keyOf(subject, "");
}

/** Statements that say the same of the same thing have the same key, empty if they do not name the thing; null for one that the transition does not end. */
function endedState(transition: Transition, held: StatedValue): string | null {
  if (transition.scope !== held.scope) return null;
  if (transition.kind === "rename") return endedName(transition, held);
  if (held.link === "name" || (held.link === "home" && transition.kind === "set")) return null;
  const { subject, thing, isThing } = transition;
  if (thing !== "" && passesOn(transition, held)) return thing;
  if (!isFormer(transition, held)) return null;
  if (thing !== "") return isOfThing(transition, held) ? thing : null;
  if (isOf(transition, held.subject)) {
    if (isThing) return OF_THINGS.includes(held.link) ? subject : null;
    const mayEnd = OF_PEOPLE[transition.kind].includes(held.link) && isCertain(transition, held);
    return mayEnd ? `${subject} ${classOf(held)}` : null;
  }
  return isAttribute(transition, held) ? `${subject} use` : null;
}

const OF_THINGS: readonly Link[] = ["is", "at", "with", "done", "goes", "use", "habit"];
/** What somebody's own transition ends: who moves from Porto may still go there, work there and be interested in it. */
const OF_PEOPLE: Readonly<Record<Exclude<TransitionKind, "rename">, readonly Link[]>> = {
  move: ["at", "with", "work", "home", "member", "use", "use for", "does in", "habit"],
  switch: ["at", "with", "work", "home", "member", "goes", "use", "use for", "does in", "habit"],
  replace: ["use", "use for", "own", "habit"],
  leave: ["work", "member", "with"],
  set: [],
};

const BELONGING: readonly Link[] = ["work", "home", "member", "at", "with"];

/** What one did in a place, with a tool or with others may go on. */
function isCertain(transition: Transition, { link }: StatedValue): boolean {
  // Many things are done in a place: only a tool makes it certain that they are done elsewhere now.
  if (link === "does in") return isTool(transition.former);
  if (link === "own") return /^(?:the|their|his|her|its|my|our) /i.test(transition.former);
  return !BELONGING.includes(link) || mayBelongElsewhere(transition, link);
}

/** Who works there may move from its products to others. */
const MAKES_TOOLS =
  /^(?:adobe|amazon|atlassian|autodesk|cisco|dell|hp|ibm|lenovo|meta|microsoft|mozilla|nokia|o2|red hat|samsung|sap|sony|telekom|vmware|vodafone|xiaomi|zoho)\b/i;

/** Who switched from Oracle to Postgres still works there, unless the text names the job, or others say it of a person. */
function mayBelongElsewhere({ kind, subject, isOfJob, isOfGroup, former, present }: Transition, link: Link): boolean {
  if (kind !== "move" && kind !== "switch") return true;
  const isMoved = kind === "move";
  const isOther = subject !== "";
  const areDepartments = /^\p{Ll}/u.test(former) && /^\p{Ll}/u.test(present);
  if (link === "work" && (isOfJob === true || areDepartments)) return true;
  if ((link === "home" || link === "at") && isPlace(former) && isPlace(present)) return true;
  if (isTool(former) || isTool(present)) return false;
  if (link === "work" && !isOther && (isOfGroup || MAKES_TOOLS.test(former))) return false;
  return link === "with" || (link === "member" ? isOther : isMoved);
}

function isTool(value: string): boolean {
  return /^\p{Lu}/u.test(value) && TOOLS.has(fold(value).split(" ")[0] ?? "");
}

/** What holds of a thing in one way only has one class: of several, it is uncertain which one is meant. */
function classOf({ link }: StatedValue): string {
  if (link === "work" || link === "member") return "work";
  return link === "use for" || link === "does in" || link === "with" ? "use" : link;
}

/** "Tom is the team lead": what Tom was is said of somebody else. */
function passesOn({ kind, former, thing }: Transition, { subject, link, value }: StatedValue): boolean {
  return kind === "replace" && link === "is" && keyOf(subject, "") === wordsOf(former) && keyOf(value, "") === thing;
}

function isFormer({ former, thing }: Transition, { value }: StatedValue): boolean {
  const said = wordsOf(value);
  if (said === wordsOf(former)) return true;
  if (isDate(former)) return isSameDate(former, value);
  return thing !== "" && said === `${wordsOf(former)} ${thing}`;
}

/** The words of a value, without what says whose or where it is, in which a thing and its purpose follow each other. */
function wordsOf(value: string): string {
  const plain = value.trim().replace(/^(?:their|his|her|its|my|our) /i, "");
  return valueWords(plain.replace(/ (?:for|as|to) (?:the |their |our |my )?/i, " ")).join(" ");
}

/** "Builds run on Jenkins", "we use Jenkins for builds", "the team runs builds on Jenkins" */
function isOfThing(transition: Transition, { subject, topic, value }: StatedValue): boolean {
  if (keyOf(subject, "") === transition.thing) return true;
  const isTheirs = isOf(transition, subject);
  return isTheirs && (keyOf(topic, "") === transition.thing || wordsOf(value).endsWith(` ${transition.thing}`));
}

/** What "we" do is also said of the team; what one of them does is said of that one only. */
function isOf({ subject, isOfGroup, thing }: Transition, named: string): boolean {
  if (subject !== "") return keyOf(named, "") === subject;
  return isOfGroup || thing !== "" ? OURSELVES.test(fold(named)) : /^user$/i.test(named);
}

/** "User's editor is Vim": a thing of one's own, that has a name. */
function isAttribute(transition: Transition, { subject: named, link, value }: StatedValue): boolean {
  const { kind } = transition;
  const attribute = ownedBy(transition, fold(named));
  if (!/^(?:move|switch|replace)$/.test(kind) || !/^[\p{L} -]{1,40}$/u.test(attribute)) return false;
  if (NOT_THE_ONE.test(attribute) || !/\p{Lu}|\d/u.test(value)) return false;
  if (transition.isOfGroup && TOOL_OF_GROUP.test(attribute)) return /^(?:is|with|at|use)$/.test(link);
  if (PEOPLE.test(attribute) || (link !== "is" && link !== "with")) return false;
  return named.includes("'s ") && (kind === "move" ? PLACE_OF_ONES_OWN : EXCHANGED_ROLE).test(attribute);
}

/** "User's CI", and "our CI" and "the CI" of a group; empty for what belongs to nobody or somebody else. */
function ownedBy({ subject, isOfGroup }: Transition, named: string): string {
  const owner = `${subject === "" ? "user" : subject}'s `;
  if (named.startsWith(owner)) return named.slice(owner.length);
  const [ours = ""] = isOfGroup && subject === "" ? (/^(?:the|we's) /.exec(named) ?? []) : [];
  return ours === "" ? "" : named.slice(ours.length);
}

/** A name alone must be one that nothing else bears; "the flag pricing.v2" also says what it names. */
function endedName({ former, thing, present }: Transition, { link, subject, value }: StatedValue): string | null {
  const name = plainName(value);
  if (!NAME.test(present) && /[\s\p{Lu}]/u.test(value)) return null;
  if (thing !== "") {
    const isSame = (link === "name" || link === "is") && keyOf(subject, "") === thing;
    return isSame && name === plainName(former) ? thing : null;
  }
  if (link !== "name") return null;
  if (/^(?:the|our|my|their) \p{Ll}/iu.test(former) && keyOf(subject, "") === keyOf(former, ""))
    return keyOf(subject, "");
  const said = plainName(former.replace(/^(?:the|our|my|their) /i, ""));
  if (said === name && PEOPLE.test(subject) && !(PET_OF_ONES_OWN.test(subject) && /^\p{Lu}\p{Ll}+$/u.test(present)))
    return null;
  if (said === name) return /[\p{Lu}\d._/-]/u.test(former.replace(/^The /, "")) ? keyOf(subject, "") : null;
  const kind = said.startsWith(`${name} `)
    ? said.slice(name.length)
    : said.endsWith(` ${name}`) && said.slice(0, -name.length);
  if (kind === false) return null;
  const words = new Set(valueWords(subject));
  return valueWords(kind).every((word) => words.has(word)) ? keyOf(subject, "") : null;
}

/** People give a name to nobody but their pets. */
const PET_OF_ONES_OWN = new RegExp(`^(?:user|we|the team)'s (?:[\\p{L}-]+ ){0,2}(?:${PET})$`, "iu");

function plainName(name: string): string {
  return fold(name.replace(/["'`“”‘’]/g, "").trim());
}
