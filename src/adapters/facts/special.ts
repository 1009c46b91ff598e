import type { Verdict } from "./verdict.js";
import { readVerb } from "./verbs.js";
import type { Voice } from "./voice.js";

/** A fact that a fixed phrase states. */
export interface SpecialFact {
  readonly text: string;
  readonly verdict: Verdict;
}

const CALL_ME =
  /^(?:please |[Yy]ou can |just |(?:everyone|everybody|people|they|(?:my |all my )?friends|my family) (?:all )?)?[Cc]alls? me ((?:\p{Lu}[\p{L}'-]*)(?: \p{Lu}[\p{L}'-]*){0,2})(?:, (?:everyone|everybody) does|, please)?[.!]*$/u;
const GO_BY = /^i(?: usually| also)? go by ((?:\p{Lu}[\p{L}'-]*)(?: \p{Lu}[\p{L}'-]*){0,2})[.!]*$/iu;
const STANDING_ORDER =
  /^(?:from now on,? |going forward,? |in (?:the )?future,? )?(?:please )?(always|never) (\w+)\b(.*?)[.!]*$/i;

/** Reads what users want to be called, and standing instructions to an assistant; null for anything else. */
export function readSpecial(text: string, voice: Voice): SpecialFact | null {
  if (voice.kind === "assistant") return null;
  const name = CALL_ME.exec(text)?.[1] ?? GO_BY.exec(text)?.[1];
  if (name !== undefined && !/^(?:Back|Later|Crazy|Maybe|Tomorrow|Today)$/.test(name)) {
    return { text: `${voice.self} is called ${name}`, verdict: { kind: "fact", isStatic: true } };
  }
  if (voice.kind !== "user" || voice.addressee === null) return null;
  const [, when = "", verb = "", rest = ""] = STANDING_ORDER.exec(text) ?? [];
  const isOrder =
    verb !== "" &&
    readVerb(verb.toLowerCase(), "base") !== null &&
    rest.trim() !== "" &&
    !/^(?:mind|forget|give|say)$/i.test(verb);
  if (!isOrder) return null;
  const told = rest.replace(/\bmy\b/gi, "their").replace(/\bme\b/gi, "them");
  if (/\b(?:i|we|you|your)\b/i.test(told)) return null;
  const order = `${when.toLowerCase()} ${verb.toLowerCase()}${told}`;
  return {
    text: `${voice.self} wants ${voice.addressee} to ${order}`,
    verdict: { kind: "preference", isStatic: true },
  };
}
