import type { ModelRequest } from "./scripted-model.js";

/** A fact as a model states it; omitted fields have default values. */
export interface ReadFact {
  readonly text: string;
  readonly kind?: "fact" | "preference" | "episode";
  readonly isStatic?: boolean;
  readonly eventDates?: readonly string[];
  readonly forgetAfter?: string | null;
}

/** The facts of a sentence, by the sentence without its full stop. A sentence that is not listed is itself a fact. */
export type Reader = Readonly<Record<string, readonly ReadFact[]>>;

/** Conclusions from several statements, by the conclusion. */
export type Conclusions = Readonly<Record<string, readonly string[]>>;

/**
 * Answers like a language model that reads sentence by sentence, understands a few slots, and knows no dates: it takes
 * events long past or in the future for news. It sees what a real model would see, and nothing else.
 */
export function answerAsReader(request: ModelRequest, reader: Reader, conclusions: Conclusions = {}): string {
  const { prompt, name } = questionOf(request);
  switch (name) {
    case "extract_facts":
      return JSON.stringify({ facts: readFacts(prompt, reader), summary: "" });
    case "extract_group":
      return JSON.stringify({ facts: readGroup(prompt, reader) });
    case "relate_facts":
      return JSON.stringify(relate(statementsIn(prompt), conclusions));
    case "forget_matching":
      return JSON.stringify({ about: aboutWish(prompt) });
    default:
      throw new Error(`The reader was asked for ${name}`);
  }
}

/** The prompt of a request, and the name of the schema that it requests. */
export function questionOf({ body }: ModelRequest): { readonly prompt: string; readonly name: string } {
  const asked = (body.messages ?? []).filter(({ role }) => role === "user").map(({ content }) => String(content));
  const format = body["response_format"] as { json_schema?: { name?: string } } | undefined;
  return { prompt: asked.join("\n"), name: format?.json_schema?.name ?? "" };
}

function readFacts(prompt: string, reader: Reader): object[] {
  return factsOf(/--- ([0-9a-f]{16})\n([\s\S]*)\n--- \1/.exec(prompt)?.[2] ?? "", reader);
}

function readGroup(prompt: string, reader: Reader): object[] {
  const texts = [...prompt.matchAll(/--- ([0-9a-f]{16} (d\d+))\n([\s\S]*?)\n--- \1/g)];
  return texts.flatMap(([, , document, text = ""]) => factsOf(text, reader).map((fact) => ({ ...fact, document })));
}

function factsOf(text: string, reader: Reader): object[] {
  const sentences = text.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim() !== "");
  return sentences.flatMap((quote) => {
    const sentence = quote.replace(/[.!]$/, "");
    const facts = reader[sentence] ?? (sentence.endsWith("?") ? [] : [{ text: sentence }]);
    const plain = { kind: "fact", isStatic: false, eventDates: [], forgetAfter: null, entities: [], buckets: [] };
    return facts.map((fact) => ({ ...plain, quote, ...fact }));
  });
}

interface Statement {
  readonly handle: string;
  readonly text: string;
}

function statementsIn(prompt: string): Statement[] {
  const lines = prompt.matchAll(/^([fm]\d+)(?: \(.*?\))?: (".*")$/gm);
  return [...lines].map(([, handle = "", text = ""]) => ({ handle, text: JSON.parse(text) as string }));
}

function relate(statements: readonly Statement[], conclusions: Conclusions): object {
  const memories = statements.filter(({ handle }) => handle.startsWith("m"));
  const facts = statements.filter(({ handle }) => handle.startsWith("f"));
  return { relations: facts.map((fact) => relationOf(fact, memories)), derived: derive(statements, conclusions) };
}

function relationOf({ handle: fact, text }: Statement, memories: readonly Statement[]): object {
  const twin = memories.find((memory) => memory.text === text);
  if (twin) return { fact, relation: "duplicate", memories: [twin.handle] };
  const shorter = memories.find((memory) => text.startsWith(`${memory.text} `));
  if (shorter) return { fact, relation: "extends", memories: [shorter.handle] };
  const slot = slotOf(text);
  const [rival, ...more] = memories.filter((memory) => slot !== null && slotOf(memory.text) === slot);
  // Several memories in one slot are there for a reason: nothing is replaced.
  if (!rival || more.length > 0) return { fact, relation: "new", memories: [] };
  return { fact, relation: "updates", memories: [rival.handle] };
}

function derive(statements: readonly Statement[], conclusions: Conclusions): object[] {
  return Object.entries(conclusions).flatMap(([text, premises]) => {
    const from = statements.filter((statement) => premises.includes(statement.text)).map(({ handle }) => handle);
    return from.length === premises.length ? [{ text, from }] : [];
  });
}

const SLOTS: readonly (readonly [name: string, form: RegExp])[] = [
  ["home", /^(.+?) (?:lives in|moved to|will move to) /],
  ["work", /^(.+?) (?:works at|no longer works at|worked at) /],
  ["age", /^(.+?) is \d+ years old$/],
  ["diet", /^(.+?) is (?:not )?vegan/],
  ["chess", /^(.+?) (?:no longer )?likes chess$/],
];

/** The subject and slot of a text, where only one value can be true at a time. */
function slotOf(text: string): string | null {
  for (const [name, form] of SLOTS) {
    const subject = form.exec(text)?.[1];
    if (subject !== undefined) return `${name} of ${subject}`;
  }
  return null;
}

function aboutWish(prompt: string): string[] {
  const wish = JSON.parse(/^The wish: (".*")$/m.exec(prompt)?.[1] ?? '""') as string;
  return statementsIn(prompt).flatMap(({ handle, text }) => (text === wish ? [handle] : []));
}
