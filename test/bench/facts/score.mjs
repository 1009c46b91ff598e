// How the candidates of an extractor are held against the labelled set. Its words of a fact are word beginnings that must
// all be in one candidate, in any order; `a|b` means either.

const NEGATION = /\b(?:not|never|no longer)\b/;
/** What follows is another clause, whose negation is its own. */
const FURTHER = / (?:who|which|that|because|but)\b/;

/** True when all words are in the text, and both or neither are negated. */
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

/** The source that an item of the set stands for: a conversation, one message of a chat, or a document. */
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

/** Holds the candidates of one item against its labels. A second candidate for the same fact counts neither way. */
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

/** Sums judged items up: shares between 0 and 1, null where there was nothing to judge. */
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

/** An update can be seen when the new fact was found, and the one that it replaces too if this text states it. */
function hasBothSides({ item, found, fact }) {
  const older = item.expected.find((other) => other.words === fact.replaces);
  return found.has(fact) && (older === undefined || found.has(older));
}

function share(part, whole) {
  return whole === 0 ? null : part / whole;
}
