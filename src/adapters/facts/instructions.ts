import { OF_THE_WORK } from "./definitions.js";
import type { SpecialFact } from "./special.js";
import { FACT, LIKING } from "./verdict.js";
import { readVerb } from "./verbs.js";
import type { Voice } from "./voice.js";

const POLITE =
  "(?:please,? |remember to |make sure to |be sure to |(?:from now on|going forward|in (?:the )?future|by default),? )*";
/** "Answer in English from now on, please." */
const FOR_GOOD = /(?:,? (?:please|from now on|going forward|in (?:the )?future|by default)){1,3}$/i;
const SAYING = "(?:answer|reply|respond|write|speak|talk|explain things|address me|refer to me)";
const MANNER =
  "(?:in (?:\\p{Lu}\\p{L}+|(?:full|short|complete|simple|plain|bullet|formal|informal|metric|british|american|one|two|three) ?\\p{L}*(?: \\p{L}+)?)|" +
  "briefly|concisely|shortly|formally|informally|politely|as \\p{Lu}\\p{L}+(?: \\p{Lu}\\p{L}+)?|by my (?:first|last) name|(?:in|within) at most .{3,40})";
/** "Answer in German, please", "Address me as Doctor". */
const ANSWERING = new RegExp(
  `^${POLITE}((?:(?:always|only) )?${SAYING}(?: to me)?(?: only| always)? ${MANNER}(?: only| always)?)(?:,? please)?$`,
  "iu",
);
const FORM =
  "(?:in (?:bullet points|bullets|bullet form|lists|tables|short sentences|full sentences|plain (?:text|english|language|words)|markdown|one (?:sentence|paragraph)|two sentences|a few words)|(?:with|without|using) (?:bullet points|bullets|emojis?|emoticons|markdown|tables|lists|code examples|examples|jargon|small talk|disclaimers)|briefly|concisely)";
/** "I want you to answer in bullet points", "I'd like you to be brief". */
const WISHED =
  /^(?:i(?:'d| would) (?:like|prefer)|i (?:want|need|prefer)) (?:it if )?you to (?=always |never |please |only |answer|reply|respond|write|speak|talk|explain|address|keep)/i;
const IN_FORM = new RegExp(
  `^${POLITE}((?:(?:always|only) )?${SAYING}(?: to me)?(?: only| always)? ${FORM}(?: only| always)?)(?:,? please)?$`,
  "iu",
);
/** "No emojis, please", "Use bullet points in your answers". */
const STYLE =
  /^(?:please,? )?(no|don't use|do not use|use|give me) (emojis?|emoticons|bullet points|bullets|markdown|tables|jargon|disclaimers|filler|small talk)(?: in (?:your |the |all )?(?:answers|replies|responses))?(?:,? please)?$/i;
/** "I'd like answers in bullet points", "I prefer short answers". */
const WISHED_ANSWERS = new RegExp(
  `^i(?:'d like| would like| want| would prefer|'d prefer) ((?:your )?(?:(?:short|brief|concise|detailed|long|direct|simple|honest) )?(?:answers|replies|responses|explanations)(?: ${FORM})?)(?:,? please)?$`,
  "iu",
);
/** "Keep answers short." */
const KEPT =
  /^(?:please )?(keep (?:your |all |the )?(?:answers|replies|responses|explanations|messages|summaries) (?:very )?(?:short|brief|concise|simple|formal|informal|friendly|to the point))(?:,? please)?$/i;
/** "Never use emojis", "Always run the tests before you push", "Don't use emojis". */
const ALWAYS = new RegExp(`^${POLITE}(always|never|do not|don't) (\\p{L}+) (\\p{L}.*?)(?:,? please)?$`, "iu");
/** "Use tabs, not spaces", "Prefer TypeScript over JavaScript", "Use tabs for indentation". */
const CHOICE =
  /^(?:please )?((?:use|prefer|choose|write) (?!code\b|coupon\b|promo\b|this\b|that\b|these\b|those\b|it\b|the\b|your\b|my\b|our\b)[\p{L}\p{N}+#.-]+(?: [\p{L}\p{N}+#.-]+){0,3}(?:,? (?:and )?not|,? instead of|,? rather than|,? over| for) [\p{L}\p{N}+#. -]{2,60})$/iu;
/** What an assistant does with words; anything else is a rule for the work. */
const WITH_WORDS =
  /^(?:answer|reply|respond|write|speak|talk|explain|address|refer|call|greet|ask|tell|suggest|recommend|cite|quote|summari[sz]e|translate|mention|remind|format|show|give)$/i;
/** These are figures of speech, said to anybody. */
const SAID_TO_ANYBODY =
  /^(?:mind|forget|worry|hesitate|be|say|know|know|think|get|let|give up|stop|trust|underestimate|panic|bother|do|try|look|stay|keep in)$/i;
const SPEAKS_OF_THE_TALK =
  /\b(?:this|that|these|those|it|him|her|them|here|there|below|above|following|link|button|page)\b/i;

/**
 * Reads, in somebody's own notes, how an assistant should answer, or a rule for the work: "Please always answer in German",
 * "Use tabs, not spaces". Null for a one-off request and for what is said to anybody.
 */
export function readInstruction(
  text: string,
  { self, kind, isNote, isOwn, addressee, authors }: Voice,
): SpecialFact | null {
  const isOfNotes = kind === "document" && isNote === true && isOwn === true && addressee === null && !authors;
  const isOfTalk = kind === "user" && addressee === "Assistant";
  if (!isOfNotes && !isOfTalk) return null;
  const whole = text
    .replace(WISHED, "")
    .replace(/[.!]+$/, "")
    .trim();
  const told = whole.replace(FOR_GOOD, "");
  const order =
    formOf(told) ?? (isOfNotes || isLasting(whole) ? ANSWERING.exec(told)?.[1] : undefined) ?? KEPT.exec(told)?.[1];
  if (order !== undefined) return wanted(self, order);
  if (!isOfNotes) return null;
  const [, how = "", verb = "", rest = ""] = ALWAYS.exec(told) ?? [];
  if (how !== "" && isOrder(how, verb, rest)) {
    const isForbidden = /^(?:never|do not|don't)$/i.test(how);
    const rule = `${isForbidden ? "never" : "always"} ${verb.toLowerCase()} ${rest}`;
    return WITH_WORDS.test(verb) ? wanted(self, rule) : { text: `The rule is: ${rule}`, verdict: FACT };
  }
  const choice = CHOICE.exec(told)?.[1];
  return choice === undefined ? null : { text: `The rule is: ${lowerFirst(choice)}`, verdict: FACT };
}

/** The form in which somebody wants answers: "answer in bullet points", "no emojis, please". */
function formOf(told: string): string | undefined {
  const form = IN_FORM.exec(told)?.[1];
  if (form !== undefined) return form;
  const [, not = "", style = ""] = STYLE.exec(told) ?? [];
  if (style !== "") return `${/^(?:use|give me|i)/i.test(not) ? "use" : "not use"} ${style.toLowerCase()}`;
  const answers = WISHED_ANSWERS.exec(told)?.[1];
  return answers === undefined ? undefined : `give ${answers}`;
}

/** In conversation, a request about one answer looks like one about all answers. */
function isLasting(told: string): boolean {
  return /\b(?:always|only|from now on|going forward|in (?:the )?future|by default|every time|all your (?:answers|replies))\b/i.test(
    told,
  );
}

/** Only the verb tells a lasting prohibition from a one-off one. */
const FORBIDDEN_FOR_GOOD =
  /^(?:use|commit|push|merge|deploy|delete|change|edit|touch|add|include|store|save|log|send|share|call|schedule|book|rebase|release|rename|remove)$/i;

function isOrder(how: string, verb: string, rest: string): boolean {
  if (/^(?:(?:up|out)\b|in$)/i.test(rest)) return false;
  if (!/^(?:always|never)$/i.test(how) && !WITH_WORDS.test(verb) && !FORBIDDEN_FOR_GOOD.test(verb)) return false;
  const about = rest.replace(OF_THE_WORK, "");
  return (
    readVerb(verb.toLowerCase(), "base") !== null && !SAID_TO_ANYBODY.test(verb) && !SPEAKS_OF_THE_TALK.test(about)
  );
}

function wanted(self: string, order: string): SpecialFact | null {
  const told = lowerFirst(order)
    .replace(/\bmy\b/gi, "their")
    .replace(/\bme\b/gi, "them")
    .replace(/\byour\b/gi, "its");
  if (/\b(?:i|we|us|our|you)\b/i.test(told)) return null;
  return { text: `${self} wants the assistant to ${told}`, verdict: LIKING };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
