import { fold } from "../../language/words.js";
import type { Document, FactCandidate, Origin } from "../types.js";
import { readingOfFact } from "./reading.js";
import { givesOrders } from "./trust.js";

/** A text of which facts are read. */
export type SourceText = Pick<Document, "content" | "turns"> & { readonly origin: Origin };

const ORDERS = "says that something is over in a text that gives orders to an assistant";
const OTHERS_WORD = "says that something is over for somebody else than its author";

/** The header of a mail, forwarded or not. */
const SENDER = /^[>*_ \t]{0,8}(?:from|sender)[*_ \t]{0,4}:[*_ \t]{0,4}(\S[^\n]{0,200})$/imu;
const OWN_NAME = /^(?:me|myself|i|the user|user)\b/i;
const NAME = "\\p{Lu}[\\p{L}'’.-]{0,30}(?: \\p{Lu}[\\p{L}'’.-]{0,30}){0,3}";
const CLOSED = new RegExp(
  "^(?:(?:best|kind|warm|many) (?:regards|wishes|thanks)|best|regards|cheers|sincerely|thanks|thank you|love|yours(?: (?:truly|sincerely|faithfully))?|greetings)" +
    `[,.!]?[ \\t]*\\n\\s{0,8}(${NAME})[ \\t]*$`,
  "imu",
);
const DASHED = new RegExp(`^(?:--|[—–])[ \\t]{0,4}\\n?[ \\t]{0,4}(${NAME})[ \\t]*$`, "mu");
const GREETED = /^\s{0,20}(?:hi|hello|hey|dear)\b/i;
const LAST_LINE = new RegExp(`\\n[ \\t]*\\n[ \\t]*(${NAME})$`, "u");

/**
 * Why somebody has to review what a fact says to be over, as a function of the fact: the text gives orders or is signed by
 * somebody whom the fact is not about, or another person of the conversation says it. Null for every other fact. Text is
 * looked at once, and only when a fact says that something is over.
 */
export function doubtOfEndings(source: SourceText): (candidate: FactCandidate) => string | null {
  const orders = new Map<string, boolean>();
  const ordersOf = (speaker: string | undefined): boolean => {
    const known = orders.get(speaker ?? "");
    if (known !== undefined) return known;
    const found = givesOrders(wordsOf(source, speaker), { origin: source.origin, speaker });
    orders.set(speaker ?? "", found);
    return found;
  };
  const author = source.turns ? null : authorOf(source.content);
  return (candidate) => {
    if (!saysOver(candidate)) return null;
    const { speaker } = candidate;
    const by = speaker ?? author;
    const isOwn = by === null || OWN_NAME.test(by);
    if (!isOwn && !isAbout(candidate.text, by)) return OTHERS_WORD;
    if (!source.turns && isQuotedLine(source.content, candidate.quote)) return OTHERS_WORD;
    return ordersOf(speaker) ? ORDERS : null;
  };
}

function saysOver(candidate: FactCandidate): boolean {
  const { statement, ending, replacement } = readingOfFact(candidate);
  return replacement !== null || (statement !== null && (statement.isNegative || ending !== null));
}

function wordsOf({ content, turns }: SourceText, speaker: string | undefined): string {
  const said = turns?.filter((turn) => speaker === undefined || fold(turn.speaker) === fold(speaker));
  return said ? said.map(({ text }) => text).join("\n") : content;
}

/** Who sends or signs a text; null where it does not say. */
function authorOf(content: string): string | null {
  const sender = SENDER.exec(content) ?? CLOSED.exec(content) ?? DASHED.exec(content);
  const signed = sender ?? (GREETED.test(content) ? LAST_LINE.exec(content.trimEnd()) : null);
  return signed?.[1]?.replace(/^["'“]/u, "") ?? null;
}

/** By the first name, which is all that most people say. */
function isAbout(text: string, name: string): boolean {
  return firstWord(text) === firstWord(name);
}

function firstWord(text: string): string {
  const [word = ""] = fold(text).split(/[\s,@<]/, 1);
  return word.replace(/['’]s$/u, "");
}

/** In mail, the words of whoever is answered stand behind such a mark. */
function isQuotedLine(content: string, quote: string | undefined): boolean {
  const at = quote === undefined ? -1 : content.indexOf(quote);
  return at !== -1 && /^[ \t]*>/.test(content.slice(content.lastIndexOf("\n", at) + 1, at + 1));
}
