import * as z from "zod";
import type { ExtractionGuidance } from "../../core/ports.js";
import { wishParagraphs } from "../../core/prompts/owner-wishes.js";
import { truncate } from "../../lib/truncate.js";

/** Longer descriptions of buckets are cut: their beginning says what belongs in them. */
const LONGEST_DESCRIPTION = 400;

/** A fact as a prompt asks for it. An invalid field costs only that field, missing text only that fact. */
export const answeredFactSchema = z.object({
  text: z.string(),
  kind: z.enum(["fact", "preference", "episode"]).catch("fact"),
  isStatic: z.boolean().catch(false),
  eventDates: z.array(z.string()).catch([]),
  forgetAfter: z.string().nullable().catch(null),
  entities: z.array(z.string()).catch([]),
  /** Null when the model did not mention them: then the rules decide, which they do not after `[]`. */
  buckets: z.array(z.string()).nullable().catch(null),
  quote: z.string().nullable().catch(null),
});

/** Stands in for a fact without text, which is not a fact. */
export const NO_FACT: StatedByModel = {
  text: "",
  kind: "fact",
  isStatic: false,
  eventDates: [],
  forgetAfter: null,
  entities: [],
  buckets: null,
  quote: null,
};

/** The facts of an answer. An invalid one is replaced with one without text; if all are invalid, so is the answer. */
export function listOfFacts<T extends z.ZodType<StatedByModel>>(fact: T) {
  return z.array(fact).refine((facts) => facts.length === 0 || facts.some(isUsable));
}

/** False for an entry from which no field of a fact could be read. */
export function isUsable({ text }: StatedByModel): boolean {
  return text.trim() !== "";
}

/** A fact as stated by a language model, before any check. */
export type StatedByModel = z.output<typeof answeredFactSchema>;

/** The meaning of a fact's fields; a list to follow the words "Each fact has". */
export const FACT_FIELDS = `- text: one fact, complete in itself, in the third person and in the language of the text. Name whom or what it is about; no "he", "it", "there", "yesterday". Write dates as dates.
- kind: "preference" for likes, dislikes, habits and wishes; "episode" for what happened or will happen at some time; "fact" for everything else.
- isStatic: true only for what hardly ever changes, such as a name, a birthday, a birthplace, a native language or an allergy.
- eventDates: the days it is about, as YYYY-MM-DD; [] when there is none.
- forgetAfter: the day (YYYY-MM-DD) or the moment (ISO 8601) after which nobody needs it, for something temporary such as an exam tomorrow; else null.
- entities: the names of the people, places and things that it is about, as the text writes them, at most 10; [] when it names none.
- buckets: the keys of the buckets, listed below, that it belongs to; [] when it belongs to none of them or none are listed.
- quote: the words of the text that say so, copied exactly and in one piece, at most 200 characters; null when it only follows from the text.`;

/** Which facts are wanted. */
export const WHAT_COUNTS = `What counts: who people are, how they are related, where they live and work, what they own, do, plan, decide, like and need; what projects and things are and how they stand; decisions, dates, numbers and names. What is denied or over is a fact too, and is written as such. Small talk, questions, greetings, wishes that were only imagined and common knowledge do not count.`;

/** Who "I" is. */
export const WHO_SPEAKS = `In a conversation every line begins with its speaker; "I" is that speaker. What an assistant says counts only when it is about its user, or was done or agreed upon. In any other text "I" is called "User".`;

/** The owner's guidance and the available buckets: paragraphs for the end of a system message. */
export function guidanceParagraphs(guidance: ExtractionGuidance): string[] {
  return [...wishParagraphs(guidance), ...bucketList(guidance)];
}

function bucketList({ buckets = [] }: ExtractionGuidance): string[] {
  if (buckets.length === 0) return [];
  const lines = buckets.map(({ key, description }) => {
    const says = truncate(description, LONGEST_DESCRIPTION);
    return `- ${key}: ${JSON.stringify(says === description ? says : `${says} …`)}`;
  });
  return [`The buckets, each with its key and what belongs into it:\n${lines.join("\n")}`];
}

/** When a text was written, as the end of a sentence about it. */
export function writtenOn(date: string | null): string {
  if (date !== null) return `is from ${withWeekday(date)}.`;
  return 'is from a day that nobody knows: leave words such as "yesterday" or "in June" as they are, and write no year that it does not say.';
}

/** "Next Friday" can only be resolved with the day of the week. */
function withWeekday(date: string): string {
  const day = new Date(date.slice(0, 10));
  if (Number.isNaN(day.getTime())) return date;
  return `${day.toLocaleDateString("en", { weekday: "long", timeZone: "UTC" })}, ${date}`;
}
