import { hiddenReadings } from "../../language/hidden-text.js";
import type { ChunkMetadata, FactCandidate, Memory, Origin, Trust } from "../types.js";
import { plainForm } from "./plain-form.js";
import { ANNOUNCED, CHANGED, OF_THE_USER, PAYMENT, SENSITIVE, SIGNS, type Audience } from "./trust-signs.js";

export interface Judgement {
  readonly trust: Trust;
  /** The reasons, worded for a reviewer; empty unless flagged. */
  readonly reasons: readonly string[];
}

/** Where a text came from. */
export interface Provenance {
  readonly origin: Origin;
  /** Role or name of the speaker, if it was said in a conversation. `User` is the owner's own word. */
  readonly speaker?: string | undefined;
}

/** What is needed about a fact's trust in order to write it. */
export interface JudgedFact<Candidate extends FactCandidate> {
  /** The candidate as it may be written: a flagged one is not static and replaces nothing; one from a stranger is not static. */
  readonly candidate: Candidate;
  readonly isFlagged: boolean;
  /** For the memory's metadata; null for a trusted one. */
  readonly label: Readonly<Record<string, unknown>> | null;
}

/** Characters of a text matched against a sign at once; longer than nearly all memories. */
const WINDOW = 4_000;
/** Longer than anything a sign can match. */
const OVERLAP = 1_000;

const OUTSIDE_ORIGINS: readonly Origin[] = ["web", "mail", "connector"];
/** The speaker of a mail that was sent as a file. */
export const SENDER = "sender";
const OUTSIDE_SPEAKERS = new Set(["assistant", "tool", "system", "developer", "function", SENDER]);
const FIRST_PERSON = /\b(?:i|i'm|i've|i'll|i'd|my|mine|myself)\b/iu;
const ABOUT_USER = /^user\b/iu;

/**
 * Judges a fact by its text, the words that state it, and its origin. Pure, and linear in the length of both.
 * What the owner says directly (a memory created by hand, their own turn of a conversation) is flagged only for what nobody
 * means seriously, such as a forged system prompt. From everybody else, orders to an assistant are flagged too, and from
 * outside also corrections of how somebody is reached, paid or let in.
 */
export function judgeText(text: string, quote: string | undefined, from: Provenance): Judgement {
  const reasons = new Set<string>();
  for (const part of new Set([text, quote ?? ""])) {
    for (const reason of signsOf(plainForm(part), from)) reasons.add(reason);
    if (reasons.size > 0) continue;
    const hidden = hiddenReadings(part).find((reading) => signsOf(plainForm(reading.text), from).length > 0);
    if (hidden) reasons.add(`hides an instruction in ${hidden.how}`);
  }
  for (const reason of hijackSigns(text, quote, from)) reasons.add(reason);
  if (
    (from.origin === "web" || from.origin === "mail") &&
    ABOUT_USER.test(text) &&
    FIRST_PERSON.test(plainForm(quote ?? ""))
  )
    reasons.add("mistakes the author of a page or a file for the user");
  if (reasons.size > 0) return { trust: "flagged", reasons: [...reasons] };
  return { trust: isOutside(from) ? "unverified" : "trusted", reasons: [] };
}

/** True for a text that gives orders to an assistant, openly or hidden. Linear in the length of the text. */
export function givesOrders(text: string, from: Provenance): boolean {
  return (
    signsOf(plainForm(text), from).length > 0 ||
    hiddenReadings(text).some((reading) => signsOf(plainForm(reading.text), from).length > 0)
  );
}

/** Judges the words of a candidate: most of the work of `judgeFact`, to be done before a transaction begins. */
export function judgeCandidate({ text, quote, speaker }: FactCandidate, origin: Origin): Judgement {
  return judgeText(text, quote, { origin, speaker });
}

/**
 * Judges a candidate before it is written.
 * @param judged the judgement of its words, if already made
 * @param replaced the memory it would replace, if any: text from outside replaces nothing that the user or an agent stated
 */
export function judgeFact<Candidate extends FactCandidate>(
  candidate: Candidate,
  origin: Origin,
  replaced: Pick<Memory, "origin" | "text"> | null,
  judged: Judgement = judgeCandidate(candidate, origin),
): JudgedFact<Candidate> {
  const from = { origin, speaker: candidate.speaker };
  const reasons = [...judged.reasons];
  if (replaced && mayNotReplace(replaced, candidate, from)) reasons.push("would replace what the user stated");
  if (reasons.length > 0) {
    const { updates: _updates, ...rest } = candidate;
    const label = { trust: "flagged" satisfies Trust, flagged: reasons };
    return { candidate: { ...(rest as Candidate), isStatic: false }, isFlagged: true, label };
  }
  const label = judged.trust === "trusted" ? null : { trust: judged.trust };
  // Signs do not catch every trick; what strangers say is never a lasting trait until the user confirms it.
  const written = isByStranger(from) ? { ...candidate, isStatic: false } : candidate;
  return { candidate: written, isFlagged: false, label };
}

/** True for a flagged memory that nobody has approved: it must not appear in a profile. */
export function isFlagged({ isInference, metadata }: Pick<Memory, "isInference" | "metadata">): boolean {
  return isInference && metadata?.["trust"] === "flagged";
}

/** Metadata without the label of a judgement; a caller's own `trust` of another kind stays. */
export function withoutLabel(metadata: Memory["metadata"]): Memory["metadata"] {
  if (metadata?.["trust"] !== "flagged" && metadata?.["trust"] !== "unverified") return metadata;
  const { trust: _trust, flagged: _flagged, ...rest } = metadata;
  return Object.keys(rest).length > 0 ? rest : null;
}

/** How far a memory is trusted; approval makes a flagged one a stated fact. */
export function trustOf(memory: Pick<Memory, "isInference" | "metadata" | "origin">): Trust {
  if (isFlagged(memory)) return "flagged";
  if (memory.metadata?.["reviewStatus"] === "approved") return "trusted";
  return memory.metadata?.["trust"] === "unverified" || isOutside(memory) ? "unverified" : "trusted";
}

/** True for what the user or an agent stated, or a person approved. */
export function isTrusted(memory: Pick<Memory, "isInference" | "metadata" | "origin">): boolean {
  return !memory.isInference && trustOf(memory) === "trusted";
}

/**
 * How far a passage of a document is trusted: like the document, or like words of strangers in a mail, page or invitation sent
 * as a file.
 */
export function trustOfPassage(origin: Origin, metadata: ChunkMetadata | null | undefined): Trust {
  return metadata?.isByStranger ? "unverified" : trustOfDocument({ origin });
}

/** How far a whole document is trusted: by its sender, whatever it says. */
export function trustOfDocument({ origin }: { readonly origin: Origin }): Trust {
  return isOutside({ origin }) ? "unverified" : "trusted";
}

/** True for an origin of which the user is not the author. */
export function isOutsideOrigin(origin: Origin): boolean {
  return OUTSIDE_ORIGINS.includes(origin);
}

function isOutside({ origin, speaker }: Provenance): boolean {
  return isOutsideOrigin(origin) || (speaker !== undefined && isOutsideSpeaker(speaker));
}

/** True for a role other than the user's, which is nobody's name. */
export function isOutsideSpeaker(speaker: string): boolean {
  return OUTSIDE_SPEAKERS.has(speaker.toLowerCase());
}

/** A connected service contains the user's own notes; pages, tools and the assistant are not the user. */
export function isByStranger(from: Provenance): boolean {
  return isOutside(from) && (from.origin !== "connector" || from.speaker !== undefined);
}

function isOwnWord(from: Provenance): boolean {
  return !isOutside(from) && from.speaker?.toLowerCase() === "user";
}

function signsOf(text: string, from: Provenance): string[] {
  const audiences = audiencesFor(from);
  const parts = windowsOf(text);
  return SIGNS.filter((sign) => audiences.includes(sign.audience) && parts.some((part) => sign.pattern.test(part))).map(
    ({ reason }) => reason,
  );
}

/** Overlapping parts of a long text, so that the cost of a sign grows linearly with the text, not quadratically. */
function windowsOf(text: string): readonly string[] {
  if (text.length <= WINDOW) return [text];
  const parts: string[] = [];
  for (let start = 0; start + OVERLAP < text.length; start += WINDOW - OVERLAP)
    parts.push(text.slice(start, start + WINDOW));
  return parts;
}

function audiencesFor(from: Provenance): readonly Audience[] {
  if (isOwnWord(from)) return ["everyone"];
  return isOutside(from) ? ["everyone", "not the owner", "outsiders"] : ["everyone", "not the owner"];
}

/**
 * Attempts to change how somebody is reached, paid or let in. Outside texts may not announce such a change at all. In a
 * document of the user, or a fact of an agent, only a correction that refers to the user in the third person is suspicious.
 */
function hijackSigns(text: string, quote: string | undefined, from: Provenance): string[] {
  if (isOwnWord(from)) return [];
  const [fact, source] = [plainForm(text), plainForm(quote ?? "")];
  const said = `${source}\n${fact}`;
  const isAnnounced = ANNOUNCED.test(fact) || ANNOUNCED.test(source);
  if (!SENSITIVE.test(said)) return [];
  const reason = "changes how someone is reached, paid or given access";
  if (isOutside(from)) return isAnnounced || CHANGED.test(said) || PAYMENT.test(said) ? [reason] : [];
  if (isAnnounced && (OF_THE_USER.test(said) || PAYMENT.test(said))) return [reason];
  const isDocument = from.origin !== "agent" && source !== "";
  return isDocument && OF_THE_USER.test(source) && CHANGED.test(source) ? [reason] : [];
}

function mayNotReplace(
  replaced: Pick<Memory, "origin" | "text">,
  { text, quote = "" }: FactCandidate,
  from: Provenance,
): boolean {
  if (!isOutside(from) || OUTSIDE_ORIGINS.includes(replaced.origin)) return false;
  return isByStranger(from) || [text, quote, replaced.text].some((said) => SENSITIVE.test(plainForm(said)));
}
