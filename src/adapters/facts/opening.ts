import { EVENT_NOUNS } from "./nouns.js";
import { isEventVerb, readVerb } from "./verbs.js";
import type { Voice } from "./voice.js";

const OPENERS =
  /^(?:(?:well|yeah|yes|yep|yup|no|nope|oh|ah|wow|ok|okay|so|and|but|also|anyway|anyways|btw|by the way|fyi|actually|honestly|to be honest|basically|plus|sure|right|hmm|haha|lol|sorry|thanks|thank you|guess what|you know|i mean|frankly|luckily|unfortunately|sadly|fortunately|thankfully|as i said|as i mentioned|like i said|for the record|just so you know|just fyi|fun fact|quick note|note|ps|p\.s\.|first of all|turns out|it turns out|hey there|hi there|hello there|hi all|hi everyone|hey|hi|hello|cool|great|nice|perfect|lovely|wonderful|excellent|awesome|amazing|brilliant|congratulations|congrats|ouch|yay|good point|fair enough|no problem|no worries|exciting|noted|thing is|the thing is|small correction|sorry for the confusion|correction|update|reminder|personally|apparently|recently|lately|of course|true|exactly|in fact|obviously|for context|for me|these days|nowadays|at the moment|right now|currently|in general|besides|speaking of which|funny enough|small change|quick update|big news|good news|bad news|before we start|side note|originally|dear diary)[,:!.…—-]*\s+)/i;
/** Phrases that only introduce what is to be remembered. */
const FRAMES =
  /^(?:(?:please )?(?:remember|note|know|don't forget|keep in mind|bear in mind)(?: that|:|,)?|(?:i|we) (?:just )?(?:want(?:ed)? to|should|have to|must|'d like to) (?:tell you|let you know|mention|add|share|point out|say)(?: that)?|(?:for your information|(?:we|they) (?:agreed|decided) that|it was (?:agreed|decided) that|you should know|i should mention|i forgot to mention|i can tell you|i told you|i already told you|did i mention)(?: that)?)[,:]? (?=(?:i|i'm|i've|my|we|we're|our|the|\p{Lu})\b)/iu;
const LEADING_TIME =
  /^((?:yesterday|today|tonight|tomorrow|last night|(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: (?:morning|evening|afternoon|night)s?)?|this (?:morning|afternoon|evening|week|month|year|weekend|spring|summer|fall|autumn|winter|\w+day)|(?:last|next) (?:week|month|year|weekend|spring|summer|fall|autumn|winter|\w+day)|(?:on|every|each) \w+(?: (?:morning|evening|afternoon|night)s?)?|on the \w+ of \w+|(?:a|an|one|two|three|four|five|six|seven|eight|ten|\d+|a few|a couple of|several) (?:days?|weeks?|months?|years?) ago|(?:back )?in (?:\w+ )?\d{4}|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|since \d{4}|on \w+ \d{1,2}(?:st|nd|rd|th)?|on \d{1,2}(?:st|nd|rd|th)? \w+|for (?:the (?:last|past) )?\w+ (?:years|months|weeks)|as an? \w+(?: \w+)?|after work|before work|at work|at home|on weekends|on weekdays|in the (?:mornings?|evenings?|afternoons?|summer|winter)|for a living|when i was (?:a |an )?\w+|for (?:breakfast|lunch|dinner)|in my (?:free|spare) time|in winter|in summer|at night|during the (?:week|day)|(?:ever )?since then|when it comes to \w+(?: \w+)?)),? (?=(?:i|i'm|i've|i'll|we|we're|we've|my|our|he|she|the)\b|\p{Lu}\p{L}+ )/iu;
/** Any other circumstance before "I" or "we": "after finishing school", "for tests", "on the side". */
const LEADING_CIRCUMSTANCE =
  /^((?:for|on|at|in|after|before|during|with|from|until|by|outside|near|over|since|ever since|throughout) (?!first\b|another note|the meantime|that\b|this\b|our last|the other hand|the one hand|addition|contrast|short\b|particular|theory|summary|conclusion|the long run|a nutshell|first\b|least\b|fact\b|general\b|my opinion\b|any case\b|case\b|that case\b|the end\b|case\b|some reason\b|now\b|me\b|you\b|the record\b|then\b|i\b|i'|we\b|my (?:view|mind|eyes|head)\b)[^,.;:!?]{2,45}?),? (?=(?:I|I'm|I've|we|we're|we've|my (?:husband|wife|partner|family|mother|father|mum|mom|dad|sister|brother))\b)/i;
/** A conclusion is not part of the statement; one whose own subject can be read has been split off before. */
const CONCLUSION = /, so (?!that\b|far\b|i\b|i'|we\b|we'|my\b|our\b|he\b|she\b)[^,]{1,200}$/i;
const DROPPED_SUBJECT = /^(?:(just|finally|recently|already) )?(\w+)\b/i;
/** Asides between commas or at the end, which say nothing. */
const ASIDE =
  /,? (?:(?:like|as) (?:i|you) (?:said|mentioned|told (?:you|me))|as you know|you know|of course|to be honest|honestly|btw|by the way|though|tho|haha|lol|for sure|actually|however|i think|i mean|too|as well|already)(?=[,.!]+(?:\s|$)|$),?/gi;
/** "The company I work for is called …". */
const EMPLOYER =
  /^the (company|firm|school|university|agency|clinic|hospital|village|town|street|place) (?:that |where |which )?(?:i|we) (?:work|study|live|teach|go)(?: (?:for|at|in|on|to))? is (?:called|named)\b/i;
/** "I collect three things: stamps, …". */
const LISTED_THINGS = /(?<=\b\w+) (?:(?:\w+ )?(?:things|instruments|languages|sports|countries|hobbies))(?=: \w)/i;
/** "on Thursday, not Friday": only what applies is a fact. */
const CORRECTED = /, not (?:[^,]|,(?=\d)){1,60}$/i;

/** A sentence that begins with its subject. */
export interface OpenedSentence {
  readonly text: string;
  /** The time that stood before the subject and belongs to the first clause; empty if there was none. */
  readonly time: string;
}

const REPORTED =
  /^(?!(?:i|we|you|please|remember|note)\b)[^.:!?\n]{1,80}\b(?:says?|said|writes?|wrote|claims?|claimed|replied|answered|texted|posted|tweeted|told (?:me|us|them|him|her))(?: \w{2,10}){0,2}: /i;

/** True for somebody else's words, whose "I" is not the writer: "Bob wrote: I live in Berlin". */
export function isReported(sentence: string): boolean {
  return REPORTED.test(sentence);
}

/** Removes what introduces a sentence, and its time, so that it begins with its subject. */
export function openSentence(text: string, voice: Voice): OpenedSentence {
  let opened = text
    .replace(/^"([^"]{1,60})" (?=\w)/, "$1 ")
    .replace(/^["'(]+/, "")
    .replace(/(\p{L})- /gu, "$1 - ");
  for (let round = 0; round < 4; round += 1) {
    const before = opened;
    opened = withoutVocative(opened.replace(OPENERS, "").replace(FRAMES, ""), voice);
    if (opened === before) break;
  }
  opened = opened
    .replace(ASIDE, (aside) => (aside.endsWith(",") && !aside.startsWith(",") ? "," : ""))
    .replace(/^now,? (?=(?:i|we|he|she|my|our)\b)/i, "")
    .replace(/^it was (decided|agreed) (?=to\b)/i, "we $1 ")
    .replace(/^it(?:'s| is) my birthday /i, "my birthday is ")
    .replace(EMPLOYER, (_, place: string) => `My ${place} is called`)
    .replace(LISTED_THINGS, "")
    .replace(/^((?:I|we) \w+): (?=\w)/i, "$1 ")
    .replace(CONCLUSION, "")
    .replace(CORRECTED, "");
  if (voice.kind === "assistant")
    opened = opened.replace(
      /^(?:as )?you (?:mentioned|said|told me)(?: earlier| before)?(?: that|,)? (?=you|your)/i,
      "",
    );
  if (voice.isNote === true) opened = withCapital(opened);
  const time = leadingTime(opened) ?? "";
  const rest = opened.slice(time.length).replace(/^,? /, "");
  return {
    text: restoreSubject(rest, voice),
    time: /^(?:I\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)/.test(time) ? time : lowerFirst(time),
  };
}

/** Says when an event is, or that it is moved or cancelled; "session is expired" is about no event. */
const OF_AN_EVENT =
  /^\p{Ll}[\p{L}-]{2,20}(?= (?:now )?(?:is|are|was|has been|starts|begins|moved|slipped) (?:now )?(?:at|on|to|moved|postponed|rescheduled|cancell?ed|called off|due|planned|scheduled)\b)/u;

/** "Correction: standup is at 9:30": an event may begin a note without an article. */
function withCapital(text: string): string {
  const noun = OF_AN_EVENT.exec(text)?.[0] ?? "";
  return EVENT_NOUNS.has(noun) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** "Thanks, Mel" and "Mel, I …": drops the names of speakers, even shortened ones. */
function withoutVocative(text: string, voice: Voice): string {
  const start = /^(\p{Lu}\p{L}+)[,!] /u.exec(text);
  const end = /, (\p{Lu}\p{L}+)[.!…]*$/u.exec(text);
  const isSpeaker = (name: string | undefined): boolean =>
    name !== undefined && [...voice.speakers].some((speaker) => speaker.startsWith(name.slice(0, 3)));
  let result = text;
  if (end && isSpeaker(end[1])) result = result.slice(0, end.index);
  if (start && isSpeaker(start[1])) result = result.slice(start[0].length);
  return result;
}

const NAMES_OF_PAST_FORM = /^(?:Bent|Drew|Lent|Rose|Sung|Tore|Won)$/;

/** "Tore is a biologist", "Drew likes tea", "Rose's car", "Mark and I": a name that is also a verb has a verb or more names after it. */
function isSubject(text: string, word: string): boolean {
  const rest = text.slice(text.indexOf(word) + word.length);
  if (/^(?:['’]s\b| (?:is|was|has|had|will|would|can|does|did|doesn['’]t|isn['’]t)\b| and (?:I\b|\p{Lu}))/u.test(rest))
    return true;
  const next = /^ ([\p{L}'’-]+)/u.exec(rest)?.[1] ?? "";
  if (!NAMES_OF_PAST_FORM.test(word)) return false;
  const isVerb = readVerb(next, "third") !== null || readVerb(next, "past") !== null;
  return isVerb || /^(?:\p{Lu}.*|never|always|often|usually|just|also|now|still|only|\p{Ll}+ly)$/u.test(next);
}

/** In conversation, "Just moved to Berlin" and "Gonna visit Rome" have an unspoken "I". */
function restoreSubject(text: string, voice: Voice): string {
  if (voice.authors) return text;
  if ((voice.kind === "document" && voice.isPersonal !== true && voice.isNote !== true) || voice.kind === "assistant")
    return text;
  if (voice.kind === "document" && /^\w+(?:: | (?:by|in|on|at|with|for|from|as|under)\b)/i.test(text)) return text;
  const [, , word = ""] = DROPPED_SUBJECT.exec(text) ?? [];
  const lower = word.toLowerCase();
  if (lower === "gonna" || (lower === "going" && / to /.test(text.slice(0, 12)))) return `I am ${lowerFirst(text)}`;
  if (/^(?:moved|changed|postponed|shifted) (?:to|until) (?:\w+day|tomorrow|next|\d)/i.test(text)) return text;
  if (
    /^(?:(?:now|currently|still|originally|happily) )?(?:born|raised|based|married|divorced|engaged|retired|allergic|vegetarian|vegan|pregnant)\b(?: (?:and|in|to|with|from|since|for|at|near)\b|[.!,]|$)/i.test(
      text,
    )
  )
    return `I ${/^(?:born|raised)/i.test(text) ? "was" : "am"} ${lowerFirst(text)}`;
  if (isSubject(text, word)) return text;
  const past = readVerb(lower, "past");
  const isEvent =
    past !== null &&
    isEventVerb(past) &&
    (readVerb(lower, "base") === null || /\b(?:ago|yesterday|last (?:week|month|year|night))\b/.test(text)) &&
    (voice.kind === "document" || !/^(?:made|found|had|left|took|kept|met|got)$/.test(lower));
  const isAge = /^(?:just |finally )?turned \d/i.test(text);
  const isGot =
    lower === "got" &&
    /^(?:(?:just|finally) got (?:a|an|my|back|engaged|married|promoted)|got (?:myself|ourselves|engaged|married|promoted|divorced|hired))\b/i.test(
      text,
    );
  return isEvent || isGot || isAge ? `I ${lowerFirst(text)}` : text;
}

function leadingTime(text: string): string | undefined {
  const time = LEADING_TIME.exec(text)?.[1];
  const isBeforeSubject =
    time !== undefined &&
    /^,? (?:\p{Lu}|(?:i|i'm|i've|i'll|we|we're|we've|my|our|he|she|the)\b)/u.test(text.slice(time.length));
  return isBeforeSubject ? time : LEADING_CIRCUMSTANCE.exec(text)?.[1];
}

/** "on the side I do bookkeeping" -> "I do bookkeeping on the side". */
export function withTimeLast(text: string): string {
  const time = leadingTime(text);
  return time === undefined
    ? text
    : `${text
        .slice(time.length)
        .replace(/^,? /, "")
        .replace(/[.!]+$/, "")} ${lowerFirst(time)}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
