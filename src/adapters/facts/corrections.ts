/** How people take back what they just said. */
const TAKEN_BACK =
  /(?:\s*(?:…|\.{2,4}|[,;!.]| [-–—]+)\s*|\s)(?:(?:oh|uh|um|er|ah|hm+),? )?(?:no,? wait|wait,? no|no,? no|no,? actually|actually,? no|scratch that|strike that|my mistake|correction|i mean(?:t)?|or rather|sorry,? i mean(?:t)?|(?:sorry|wait|oops|hold on|hang on),? (?:i mean(?:t)?|it's|it is|make that|not \S{1,30} but))\b/iu;
const INSTEAD =
  /^(?:[\s,;:.!…–—-]+|(?:that's|that is|that was) (?:wrong|not right)|(?:oh|no|wait|actually|sorry|scratch that|strike that|correction|my mistake|i mean(?:t)?|i should say|or rather|rather|make (?:that|it)|it's|it is|it should be|of course)(?![\p{L}'])|not \S{1,30} but(?= ))+/iu;
const OWN_CLAUSE = /^(?:i|i'm|i've|we|we're|my|our|he|she|they|the|you|it|there)\b/iu;
/** After these a single word is the whole object: "in Bonn", "have two", "prefer". */
const BEFORE_ONE =
  /^(?:in|at|on|for|to|from|with|by|as|of|a|an|the|my|is|are|was|am|like|likes|love|loves|prefer|prefers|use|uses|want|wants|need|needs|drink|drinks|eat|eats|play|plays|speak|speaks|drive|drives|have|has|own|owns|called|named)$/iu;
/** Words that replace one of their own kind: "on Friday, or rather on Saturday". */
const KINDS: readonly RegExp[] = [
  /^(?:in|at|on|for|to|from|with|by|as|of|near|until|till|since|before|after)$/iu,
  /^(?:a|an|the|my|our|his|her|their)$/iu,
];
const MOST_WORDS = 4;

/** True for words that take back what precedes them. */
export function takesBack(text: string): boolean {
  return TAKEN_BACK.exec(` ${text.slice(0, 60)}`)?.index === 0;
}

/**
 * Applies a speaker's self-correction: "I prefer tabs… no wait, I mean 2 spaces" says "I prefer 2 spaces".
 * @returns the text unchanged if nothing is taken back; null if it is uncertain what holds
 */
export function withCorrection(text: string): string | null {
  const found = TAKEN_BACK.exec(text);
  if (!found) return text;
  const before = text.slice(0, found.index).trimEnd();
  const instead = text
    .slice(found.index)
    .replace(INSTEAD, "")
    .replace(/[.!…]+$/u, "")
    .trim();
  if (instead === "" || before === "") return null;
  if (OWN_CLAUSE.test(instead)) return instead;
  const words = before.split(" ");
  const isShort = instead.split(" ").length <= MOST_WORDS && !/[,;:]/u.test(instead);
  const sameKind = KINDS.find((kind) => kind.test(instead.split(" ", 1)[0] ?? ""));
  if (sameKind) {
    const from = Math.max(
      words.length - MOST_WORDS,
      words.findLastIndex((word) => sameKind.test(word)),
    );
    return isShort && sameKind.test(words[from] ?? "") ? `${words.slice(0, from).join(" ")} ${instead}.` : null;
  }
  return isShort && BEFORE_ONE.test(words.at(-2) ?? "") ? `${words.slice(0, -1).join(" ")} ${instead}.` : null;
}
