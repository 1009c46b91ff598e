import { smallSigns } from "../small-signs.js";
import { rightOf, type Fragment } from "./fragment.js";

/** Maximum size of superscripts and subscripts, relative to their neighbours. */
const SMALLER = 0.85;
/** Minimum shift up or down, relative to the neighbours' size. */
const LEAST_SHIFT = 0.08;
const GREATEST_RAISE = 0.75;
const GREATEST_DROP = 0.5;
/** Maximum horizontal distance, in the same unit. */
const NEAR = 0.3;

/**
 * Puts superscripts and subscripts on the line they belong to, as `10⁶`, `H₂O` and `x^a`. Several letters stay as they are:
 * `19th`.
 * @param fragments in file order, where such text is next to its line
 */
export function placeScripts(fragments: readonly Fragment[]): Fragment[] {
  let base: Fragment | undefined;
  let before: Fragment | undefined;
  return fragments.map((fragment, at) => {
    const next = fragments[at + 1];
    const isAfter = base !== undefined && before !== undefined && isScriptOf(base, fragment, [before, base]);
    const line = isAfter ? base : next && isScriptOf(next, fragment, [next]) ? next : undefined;
    before = fragment;
    if (line) return scriptOn(line, fragment);
    base = fragment;
    return fragment;
  });
}

function isScriptOf(base: Fragment, script: Fragment, neighbours: readonly Fragment[]): boolean {
  const raise = (base.baseline - script.baseline) / base.size;
  const isShifted = Math.abs(raise) >= LEAST_SHIFT && (raise > 0 ? raise <= GREATEST_RAISE : -raise <= GREATEST_DROP);
  const isBeside = neighbours.some(
    (one) => Math.max(script.x - rightOf(one), one.x - rightOf(script)) <= NEAR * base.size && !covers(one, script),
  );
  return script.size <= SMALLER * base.size && isShifted && isBeside;
}

/** Whether one is above or below the other rather than next to it. */
function covers(one: Fragment, script: Fragment): boolean {
  const shared = Math.min(rightOf(one), rightOf(script)) - Math.max(one.x, script.x);
  return shared > 0.5 * Math.min(script.width, one.width);
}

function scriptOn(base: Fragment, script: Fragment): Fragment {
  const isRaised = script.baseline < base.baseline;
  return {
    ...script,
    text: written(script.text, isRaised),
    baseline: base.baseline,
    size: base.size,
  };
}

function written(text: string, isRaised: boolean): string {
  if (/^\p{Ll}$/u.test(text) && !(isRaised && text === "n")) return `${isRaised ? "^" : "_"}${text}`;
  return smallSigns(text, isRaised ? "raised" : "lowered");
}
