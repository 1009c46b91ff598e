// How the candidates of an extractor are compared with the labelled set. A label's words are prefixes that must all occur
// in one candidate, in any order; `a|b` means either.

const NEGATION = /\b(?:not|never|no longer)\b/;
/** Starts another clause, with its own negation. */
const FURTHER = / (?:who|which|that|because|but)\b/;

/** True when the text contains all words, and both or neither are negated. */
export function matches(words, text) {
  const plain = text.toLowerCase().replaceAll("cannot", "can not").replaceAll("n't", " not");
  const keys = words.toLowerCase().split(" ");
  if (!keys.every((key) => key.split("|").some((form) => hasWord(plain, form)))) return false;
  const isNegated = keys.some((key) => /^(?:not|never|no)\b/.test(key));
  return isNegated || !NEGATION.test(plain.split(FURTHER, 1)[0]);
}

function hasWord(text, form) {
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) return true;
  return false;
}

/** The source that an item represents: a conversation, one message of a chat, or a document. */
export function sourceOf(item, saidOn) {
  const turns = item.turns?.map(([speaker, text]) => ({ speaker, text }));
  const chat = [
    { speaker: "User", text: item.text },
    { speaker: "Assistant", text: "I see." },
  ];
  return {
    content: item.text ?? item.turns.map(([speaker, text]) => `${speaker}: ${text}`).join("\n"),
    containerTag: "evaluation",
    timeZone: "UTC",
    date: saidOn,
    turns: turns ?? (item.form === "chat" ? chat : undefined),
  };
}

/** Compares the candidates of one item with its labels. A second candidate for the same fact counts neither way. */
export function judgeItem(item, candidates) {
  const found = new Map();
  const wrong = [];
  for (const candidate of candidates) {
    const fitting = item.expected.filter((fact) => matches(fact.words, candidate.text));
    const open = fitting.find((fact) => !found.has(fact));
    if (open) found.set(open, candidate);
    else if (fitting.length === 0 && !item.optional.some((words) => matches(words, candidate.text)))
      wrong.push({
        text: candidate.text,
        isForbidden: item.never.some((words) => matches(words, candidate.text)),
      });
  }
  return { item, found, wrong, missed: item.expected.filter((fact) => !found.has(fact)) };
}

/** Adds up judged items: shares between 0 and 1, null if there was nothing to judge. */
export function summarise(judged) {
  const sum = (count) => judged.reduce((total, one) => total + count(one), 0);
  const pairs = judged.flatMap(({ found }) => [...found]);
  const kept = pairs.filter(([fact]) => fact.static !== undefined);
  const updates = judged.flatMap(({ item, found }) =>
    item.expected.filter((fact) => fact.replaces !== undefined).map((fact) => ({ item, found, fact })),
  );
  const right = pairs.length;
  const wrong = sum((one) => one.wrong.length);
  const expected = sum((one) => one.item.expected.length);
  return {
    expected,
    right,
    wrong,
    forbidden: sum((one) => one.wrong.filter(({ isForbidden }) => isForbidden).length),
    precision: share(right, right + wrong),
    recall: share(right, expected),
    staticAccuracy: share(kept.filter(([fact, { isStatic }]) => fact.static === isStatic).length, kept.length),
    expiryAccuracy: share(
      pairs.filter(([fact, { forgetAfter }]) => (fact.temporary === true) === (forgetAfter !== undefined)).length,
      right,
    ),
    updates: share(updates.filter(hasBothSides).length, updates.length),
  };
}

/** An update counts when the new fact was found, and also the superseded one if this text states it. */
function hasBothSides({ item, found, fact }) {
  const older = item.expected.find((other) => other.words === fact.replaces);
  return found.has(fact) && (older === undefined || found.has(older));
}

function share(part, whole) {
  return whole === 0 ? null : part / whole;
}
