import { isPointing, lowerText } from "./objects.js";
import type { Word } from "./words.js";

const MASS_AVOIDED =
  /^(?:tv|television|sports|anime|fiction|poetry|makeup|jewellery|jewelry|social media|public transport|golf|video games)$/;

/** "I don't take photos", "I don't buy anything from …": things in general, not a particular one. */
export function isAvoided(verb: string, rest: readonly Word[]): boolean {
  if (!/^(?:take|buy|read|watch|play|follow|keep|wear|use|cook|celebrate|drive|own|order)$/.test(verb)) return false;
  if (MASS_AVOIDED.test(lowerText(rest))) return true;
  const isKind =
    rest.length <= 2 &&
    /^\p{L}{3,}s$/u.test(rest.at(-1)?.lower ?? "") &&
    !/^(?:the|these|those|this|his|hers|yours|sides|chances|risks|prisoners|things|words)$/.test(rest[0]?.lower ?? "");
  return isKind || (rest[0]?.lower === "anything" && rest.length > 2 && !isPointing(rest.slice(1)));
}
