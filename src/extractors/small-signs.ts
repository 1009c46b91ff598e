const RAISED = signs("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ");
const LOWERED = signs("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎");

function signs(usual: string, small: string): ReadonlyMap<string, string> {
  const others = small.split("");
  return new Map(usual.split("").map((sign, at) => [sign, others[at] ?? sign]));
}

/** Superscript or subscript; null for text on the baseline. */
export type Script = "raised" | "lowered" | null;

/** Superscript or subscript in plain characters, as in `10⁶` and `H₂O`. Text with any other letters stays as it is: `19th`. */
export function smallSigns(text: string, script: Script): string {
  if (script === null) return text;
  const known = script === "raised" ? RAISED : LOWERED;
  const letters = text.split("");
  const isKnown = letters.every((letter) => known.has(letter) || letter === " ");
  return isKnown ? letters.map((letter) => known.get(letter) ?? letter).join("") : text;
}
