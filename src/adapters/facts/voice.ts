import type { FactSource } from "../../core/ports.js";
import { authorsOf, foreignAuthorsOf, splitLetters, type Authors } from "./authors.js";

/** Who speaks in a passage, and how facts name them. */
export interface Voice {
  /** `user` and `assistant` are roles, `named` is a person of a conversation, `document` any text that is no conversation. */
  readonly kind: "user" | "assistant" | "named" | "document";
  /** What "I" stands for. */
  readonly self: string;
  /** What "you" stands for, or null where that is not certain. */
  readonly addressee: string | null;
  readonly speakers: ReadonlySet<string>;
  /** True for a document that says "I": a note or a journal, whose sentences may leave the "I" out. */
  readonly isPersonal?: boolean;
  /** True for a short text that greets nobody: one's own notes, where "Call the bank on Monday" is one's own task. */
  readonly isNote?: boolean;
  /** Who "I" and "we" are in a document that says so, or is known to be by others; absent when both are `self`. */
  readonly authors?: Authors;
  /** True for a document by the user or an agent, false for one that came from outside. */
  readonly isOwn?: boolean;
}

/** A text in one voice. */
export interface Passage {
  readonly voice: Voice;
  readonly text: string;
  /** ISO date or date-time that relative dates resolve against. */
  readonly date: string;
  /** As `FactSource.isUndated`. */
  readonly isUndated: boolean;
}

/** In characters; longer texts are written for others. */
const LONGEST_NOTE = 2000;
const GREETING = /^\s*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b/im;
const SALUTATION =
  /^\s{0,80}(?:[Hh]i|[Hh]ello|[Hh]ey|[Dd]ear) ((?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?\p{Lu}[\p{L}'-]{1,30}(?: \p{Lu}[\p{L}'-]{1,30})?),\s/u;
/** The record of a person begins with their name: a sentence without a subject is about them. */
const RECORD_OF_ANOTHER =
  /^\s{0,20}(?:[-*#]{1,4} ?)?(?:\*\*)?(?:[Pp]atient|[Cc]lient|[Cc]andidate|[Aa]pplicant|[Ee]mployee|[Ii]nterviewee|[Pp]upil|[Ss]tudent)(?:['’]s)?(?: name)?(?:\*\*)?:(?:\*\*)?[ \t]*(?:(?:Mr|Mrs|Ms|Dr)\.? )?\p{Lu}[\p{L}'’-]+ \p{Lu}[\p{L}'’-]/u;
const SILENT = new Set(["System", "Tool"]);

/**
 * The passages of a source: its turns, or its whole content in the voice of its authors, by default the user.
 * Instructions and tool output state nothing.
 */
export function passagesOf(source: FactSource): Passage[] {
  const { turns, isUndated = false } = source;
  if (!turns || turns.length === 0)
    return lettersOf(source).map((letter) => ({
      voice: voiceOfLetter(letter, source),
      text: letter.content,
      date: source.date,
      isUndated,
    }));
  const speakers = new Set(turns.map((turn) => turn.speaker).filter((speaker) => !SILENT.has(speaker)));
  const voices = new Map([...speakers].map((speaker) => [speaker, voiceOf(speaker, speakers)]));
  return turns.flatMap((turn) => {
    const voice = voices.get(turn.speaker);
    if (!voice) return [];
    const { date } = turn;
    return [{ voice, text: turn.text, date: date ?? source.date, isUndated: isUndated && date === undefined }];
  });
}

/** Outside content has one letter per mail head in it; any other document is one letter. */
function lettersOf({ content, title, opening = content, author, isOwn }: FactSource): Letter[] {
  if (isOwn !== false) return [{ content, title, opening, author }];
  const [first, ...others] = splitLetters(content);
  const letters: Letter[] = [
    { content: first?.content ?? "", title, opening: splitLetters(opening)[0]?.content, author },
  ];
  return [...letters, ...others].filter((letter) => letter.content.trim() !== "");
}

/** Text by one author. */
type Letter = Pick<FactSource, "content" | "title" | "opening" | "author">;

function voiceOfLetter(letter: Letter, { isOwn }: FactSource): Voice {
  const { content } = letter;
  const authors = isOwn === false ? foreignAuthorsOf(content, letter) : authorsOf(content, letter);
  const isOfAnother = RECORD_OF_ANOTHER.test(content);
  const self = authors ? (authors.one ?? "The author") : "User";
  return {
    kind: "document",
    self,
    addressee: addresseeOf(content),
    speakers: new Set([self]),
    ...(authors && { authors }),
    isPersonal: !isOfAnother && /\b(?:I|I'm|I’m|I've|I’ve|[Mm]y)\b/.test(content),
    isOwn: isOwn ?? false,
    isNote: !isOfAnother && content.length <= LONGEST_NOTE && !GREETING.test(content),
  };
}

/** Who a first-person word refers to; null if unknown, so that the word stays. */
export function meantBy(word: string, { self, authors }: Voice): string | null {
  if (!authors) return self;
  return /^(?:we|us|our|ours|ourselves)$/.test(word) ? authors.group : authors.one;
}

/** Whom a letter greets by name; in any other document it is unknown who "you" are. */
function addresseeOf(content: string): string | null {
  const name = SALUTATION.exec(content)?.[1] ?? null;
  return name === null ||
    /^(?:All|Team|Everyone|Everybody|There|Folks|Sir|Madam|Colleagues?|Friends?|Customer|Diary)\b/.test(name)
    ? null
    : name;
}

function voiceOf(self: string, speakers: ReadonlySet<string>): Voice {
  const others = [...speakers].filter((speaker) => speaker !== self);
  const addressee = others.length === 1 ? (others[0] ?? null) : null;
  if (self === "Assistant") return { kind: "assistant", self, addressee: addressee ?? "User", speakers };
  if (self === "User") return { kind: "user", self, addressee: addressee ?? "Assistant", speakers };
  return { kind: "named", self, addressee, speakers };
}
