import { isClosing, withoutSalutation } from "../../language/passed-over.js";
/** Who "I" and "we" are in a document; null where it does not say, so that the words stay. */
export interface Authors {
  readonly one: string | null;
  readonly group: string | null;
}

/** A document says what it is at its beginning. In characters. */
const LONGEST_HEAD = 2000;
const LONGEST_HEADING = 100;
const MINUTES =
  /\b(?:minutes|meetings?|stand-?ups?|retro(?:spective)?|sync|all[- ]hands|1[:-]1s?|one-on-one|kick-?off|off-?site|steering|town hall|post-?mortem|debrief|jour fixe)\b/i;
const LABEL =
  /^[ \t]{0,3}(?:[-*#]{1,4} ?)?(?:\*\*)?(?:attendees|participants|present|absent|apologies|agenda|action items?|decisions|minutes taken by|minuted by|note-?taker|scribe|facilitator|chair|chaired by|moderator)(?:\*\*)?(?::|[ \t]*$)/im;
const AUTHOR =
  /^[ \t]{0,3}(?:\*\*)?(?:author|written by|minutes taken by|minuted by|note-?taker|scribe|from)(?:\*\*)?:(?:\*\*)?[ \t]*(?!\S{1,80}@)(\p{Lu}[\p{L}'-]{1,30}(?: \p{Lu}[\p{L}'.-]{0,30}){0,3})/imu;
const TEAM_LABEL =
  /^[ \t]{0,3}(?:\*\*)?[Tt]eam(?:\*\*)?:(?:\*\*)?[ \t]*(\p{Lu}[\p{L}&-]{1,30}(?: [\p{Lu}&][\p{L}&-]{0,30}){0,2})/mu;
const TEAM_NAME = /(?<![\p{L}-])(\p{Lu}[\p{L}&-]{1,30}(?: \p{Lu}[\p{L}&-]{0,30})?) [Tt]eam\b/u;
const NO_TEAM = /^(?:The|Our|My|A|Whole|Hi|Hello|Dear|Hey|Weekly|Monthly|Daily|Meeting|Notes|Minutes|This|Your|All)\b/;
const AGREED = /\bwe (?:have )?(?:also )?(?:agreed|decided|resolved|voted|concluded)\b/i;
/** "Chen owns the rollout", "Bob will write the plan": how minutes assign work. */
const TASK_OF_ANOTHER =
  /(?:^|[.!?:]\s|\n)(?:[-*] )?(?!(?:The|This|That|It|We|He|She|They|There|You|What|Who|Everyone|Everybody|Nobody|Somebody|I)\b)\p{Lu}\p{L}{1,20} (?:will|owns|takes|to|presented|reported|volunteers|is responsible)\b/u;
const FIRST_PERSON = /\b(?:I|I'm|I’m|I've|I’ve|I'll|[Mm]y|me)\b/;

/**
 * The authors of a document written by a group or a named person: minutes, and texts with a line that names their
 * author. Null for any other text, which its sender is taken to have written.
 * @param opening the beginning of the whole document, of which `content` may be a later part
 */
export function authorsOf(
  content: string,
  { title, opening = content }: { readonly title?: string | null | undefined; readonly opening?: string | undefined },
): Authors | null {
  const head = opening.slice(0, LONGEST_HEAD);
  const one = AUTHOR.exec(head)?.[1] ?? signedBy(content) ?? speakerOf(head);
  if (one === null && !isMinutes(content, head, title ?? null)) return null;
  return { one, group: teamOf(head, title ?? "") };
}

/** "Eve: I moved to Lisbon", "[10:02] **Eve:** I'm …", "Eve — My …": a message that somebody copied. */
const SPOKEN =
  /^\s{0,20}(?:\[[^\]\n]{1,30}\] ?)?\*{0,2}(\p{Lu}\p{Ll}[\p{L}'’-]{0,30}(?: \p{Lu}[\p{L}'’-]{1,30})?)\*{0,2}(?::\*{0,2}| [—–]) {0,2}(?:I|I['’]m|I['’]ve|I['’]ll|My|We|We['’]re|Our)\b/u;
/** Labels of notes, which name nobody. */
const NO_SPEAKER =
  /^(?:Me|Myself|User|Note|Notes|Nb|Update|Reminder|Correction|Today|Yesterday|Tomorrow|Edit|Ps|Decision|Question|Answer|Todo|Fact|Info|Fyi|Diary|Journal|Summary|Status|Background|Context|Goal|Goals|Plan|Plans|Health|Diet|Work|Job|Home|Family|Travel|Money|Food|Hobby|Hobbies|Preference|Preferences|About|Bio|Profile|Idea|Result|Remember|Important|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December)\b/u;

function speakerOf(head: string): string | null {
  const name = SPOKEN.exec(head)?.[1];
  return name === undefined || NO_SPEAKER.test(name) ? null : name;
}

const NAME_LINE = /^\s{0,8}(\p{Lu}[\p{L}'’-]{1,30}(?: \p{Lu}[\p{L}'’.-]{0,30}){0,3})\s*$/u;
/** Lines of a signature below the name: a company, an address, a telephone number. */
const SIGNATURE_LINES = 8;

/** Who signed a letter: it begins with a greeting, and a closing with a name below it ends it. */
function signedBy(content: string): string | null {
  const lines = content.trim().split("\n");
  if (withoutSalutation((lines[0] ?? "").trim()) !== "") return null;
  const last = lines.slice(-SIGNATURE_LINES);
  const closing = last.findIndex((line) => isClosing(line.trim()));
  const below = closing === -1 ? undefined : last.slice(closing + 1).find((line) => line.trim() !== "");
  return NAME_LINE.exec(below ?? "")?.[1] ?? null;
}

const BYLINE =
  /^[ \t]{0,3}(?:[*_]{1,2})?(?:(?:[Pp]osted|[Ww]ritten|[Pp]ublished|[Ww]ords) )?[Bb]y:? (\p{Lu}[\p{L}'-]{1,30}(?: \p{Lu}[\p{L}'.-]{0,30}){1,3})(?=[*_]{0,2}(?: on | in | at | ?[,|·•–—-]|[ \t]*$))/mu;

/** How files name their author, and mails their sender: "Eve Adams", "Eve Adams <eve@example.org>". */
const NAMED_AUTHOR = /^["']?(\p{Lu}[\p{L}'’-]{1,30}(?: \p{Lu}[\p{L}'’.-]{0,30}){0,3})["']?(?: <[^<>]{0,200}>)?$/u;
/** "Adams, Eve <eve@example.org>", as in company address books. */
const FAMILY_FIRST =
  /^["']?(\p{Lu}[^",<>]{1,40}), (?!(?:Inc|Ltd|LLC|GmbH|AG|Co|Corp|PhD|Ph|MD|Jr|Sr)\b)(\p{Lu}[^",<>]{1,30}?)["']?(?= <|$)/u;
const NO_AUTHOR = /^(?:User|Assistant|System|Tool|Admin|Administrator|Unknown|Author|Owner|Microsoft|Python)\b/i;

/**
 * The authors of a text by others, such as a web page or a mail: its sender wrote none of it. "I" is the author named
 * by its file or a line, else `The author`; "we" stays when no team is named.
 */
export function foreignAuthorsOf(
  content: string,
  about: Parameters<typeof authorsOf>[1] & { readonly author?: string | undefined },
): Authors {
  const { one = null, group = null } = authorsOf(content, about) ?? {};
  const byline = BYLINE.exec((about.opening ?? content).slice(0, LONGEST_HEAD))?.[1];
  const named = NAMED_AUTHOR.exec((about.author ?? "").replace(FAMILY_FIRST, "$2 $1"))?.[1];
  const known = [named, one, byline].find((name) => typeof name === "string" && !NO_AUTHOR.test(name));
  return { one: known ?? "The author", group };
}

/** The head of a mail: its sender, and a line with another label. */
const HEAD_OF_LETTER =
  /^[ \t]{0,3}(?:- )?(?:\*\*)?(?:From|Von|De|Da|Van)(?::\*\*|(?:\*\*)?:)[ \t]*([^\n]{1,300}?)[ \t]*\n[ \t]{0,3}(?:- )?(?:\*\*)?\p{Lu}[\p{L} -]{1,20}(?::|\*\*:)/gmu;

/**
 * Splits a text at the head of each mail in it, with the sender: replies and forwarded mails have different authors.
 * The first part may be empty.
 */
export function splitLetters(content: string): { readonly content: string; readonly author?: string | undefined }[] {
  const heads = [...content.matchAll(HEAD_OF_LETTER)];
  return [{ index: 0, 1: undefined }, ...heads].map(({ index, 1: author }, at) => ({
    content: content.slice(index, heads[at]?.index),
    author,
  }));
}

function isMinutes(content: string, head: string, title: string | null): boolean {
  if (LABEL.test(head)) return true;
  if (headingsOf(head, title).some((heading) => MINUTES.test(heading))) return true;
  return AGREED.test(content) && !FIRST_PERSON.test(content) && TASK_OF_ANOTHER.test(content);
}

/** What is above the text or before its first colon, unless it is a sentence. */
function headingsOf(head: string, title: string | null): string[] {
  const [first = "", ...rest] = head.trim().split("\n");
  const opening = /^([^:.!?]{3,80}): /.exec(first)?.[1] ?? (rest.length > 0 || first.startsWith("#") ? first : "");
  // The title of a note of one line is that line.
  const isThatLine = rest.length === 0 && title !== null && first.startsWith(title);
  const above = title === null || isThatLine || isOfSentence(title, [first, ...rest]) ? "" : title;
  return [above, opening].filter(
    (heading) =>
      heading.length <= LONGEST_HEADING && !/[.!?]\s*$/.test(heading) && !/\b(?:I|we|my|our|I'm)\b/i.test(heading),
  );
}

/** True for a title taken from what somebody says of themselves: "I have a meeting with Omar tomorrow." */
function isOfSentence(title: string, lines: readonly string[]): boolean {
  const words = title.toLowerCase();
  const line = words === "" ? undefined : lines.find((one) => one.toLowerCase().includes(words));
  return line !== undefined && FIRST_PERSON.test(line);
}

function teamOf(head: string, title: string): string | null {
  const labelled = TEAM_LABEL.exec(head)?.[1];
  const named =
    labelled ??
    headingsOf(head, title)
      .map((heading) => TEAM_NAME.exec(heading)?.[1])
      .find(Boolean);
  return named === undefined || NO_TEAM.test(named) ? null : `The ${named} team`;
}
