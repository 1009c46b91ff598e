import type { ModelRequest } from "./scripted-model.js";

/** A fact as a model states it; what is left out has its plainest value. */
export interface ReadFact {
  readonly text: string;
  readonly kind?: "fact" | "preference" | "episode";
  readonly isStatic?: boolean;
  readonly eventDates?: readonly string[];
  readonly forgetAfter?: string | null;
}

/** What a sentence says, by the sentence without its full stop. A sentence that is not here is a fact as it stands. */
export type Reader = Readonly<Record<string, readonly ReadFact[]>>;

/** Answers like a language model that reads sentence by sentence, and takes nothing from where it cannot see it. */
export function answerAsReader(request: ModelRequest, reader: Reader): string {
  const { user } = promptOf(request);
  return JSON.stringify({ facts: readFacts(user, reader), summary: "", title: "" });
}

export function promptOf({ body }: ModelRequest): { readonly user: string; readonly schema: string } {
  const user = (body.messages ?? []).filter(({ role }) => role === "user").map(({ content }) => String(content));
  const format = body["response_format"] as { json_schema?: { name?: string } } | undefined;
  return { user: user.join("\n"), schema: format?.json_schema?.name ?? "" };
}

function readFacts(prompt: string, reader: Reader): object[] {
  const text = /--- ([0-9a-f]{16})\n([\s\S]*)\n--- \1/.exec(prompt)?.[2] ?? "";
  const sentences = text.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim() !== "");
  return sentences.flatMap((quote) => {
    const sentence = quote.replace(/[.!]$/, "");
    const facts = reader[sentence] ?? (sentence.endsWith("?") ? [] : [{ text: sentence }]);
    return facts.map((fact) => ({ kind: "fact", isStatic: false, eventDates: [], forgetAfter: null, quote, ...fact }));
  });
}
