import { answerAsReader, promptOf } from "./model-reader.js";
import type { ModelRequest, Reply } from "./scripted-model.js";

/** What a question about relations shows: handles by text. */
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
  return promptOf(request).schema === "relate_facts";
}

/** Reads every other question sentence by sentence, and lets the test answer those about relations. */
export function answerAsRelater(request: ModelRequest, relate: (shown: Shown) => Relations | Reply): Reply {
  if (!isRelating(request)) return answerAsReader(request, {});
  const answer = relate(shownTo(request));
  if (typeof answer === "string" || !("relations" in answer || "derived" in answer)) return answer as Reply;
  const relations = (answer.relations ?? []).map((entry) => ({ memories: [], ...entry }));
  return JSON.stringify({ relations, derived: answer.derived ?? [] });
}

export function shownTo(request: ModelRequest): Shown {
  const shown: { facts: Record<string, string>; memories: Record<string, string> } = { facts: {}, memories: {} };
  for (const [, handle = "", text = ""] of promptOf(request).user.matchAll(/^([fm]\d+) \(said [^)]*\): (".*")$/gm))
    (handle.startsWith("f") ? shown.facts : shown.memories)[JSON.parse(text) as string] = handle;
  return shown;
}
