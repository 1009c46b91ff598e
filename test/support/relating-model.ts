import { answerAsReader, questionOf } from "./model-reader.js";
import type { ModelRequest, Reply } from "./scripted-model.js";

/** The contents of a question about relations: handles by text. */
export interface Shown {
  readonly facts: Readonly<Record<string, string>>;
  readonly memories: Readonly<Record<string, string>>;
}

export interface Relations {
  readonly relations?: readonly {
    readonly fact: string | undefined;
    readonly relation: string;
    readonly memories?: readonly (string | undefined)[];
  }[];
  readonly derived?: readonly { readonly text: string; readonly from: readonly (string | undefined)[] }[];
}

export function isRelating(request: ModelRequest): boolean {
  return questionOf(request).name === "relate_facts";
}

/** Reads documents sentence by sentence, lets the test answer questions about relations, and returns nothing else. */
export function answerAsRelater(request: ModelRequest, relate: (shown: Shown) => Relations | Reply): Reply {
  const { name } = questionOf(request);
  if (name !== "relate_facts") return name === "extract_facts" ? answerAsReader(request, {}) : "{}";
  const answer = relate(shownTo(request));
  if (typeof answer === "string" || !("relations" in answer || "derived" in answer)) return answer as Reply;
  const relations = (answer.relations ?? []).map((entry) => ({ memories: [], ...entry }));
  return JSON.stringify({ relations, derived: answer.derived ?? [] });
}

export function shownTo(request: ModelRequest): Shown {
  const shown: { facts: Record<string, string>; memories: Record<string, string> } = { facts: {}, memories: {} };
  for (const [, handle = "", text = ""] of questionOf(request).prompt.matchAll(/^([fm]\d+) \(said [^)]*\): (".*")$/gm))
    (handle.startsWith("f") ? shown.facts : shown.memories)[JSON.parse(text) as string] = handle;
  return shown;
}
