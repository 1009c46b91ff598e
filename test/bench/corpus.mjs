// Notes like those people keep, generated from a seed: the n-th note is always the same, and no two are equal. Each comes
// with a question that it answers, so that results are checked as well as measured.
import { any, between, frequent, randomFrom } from "./random.mjs";
import {
  DAYS,
  FOODS,
  GIVEN_NAMES,
  MONTHS,
  PLACES,
  QUALITIES,
  SUBJECTS,
  SURNAMES,
  TERMS,
  THINGS,
  TRADES,
} from "./vocabulary.mjs";

/** Each form gets the facts and chooses one of several wordings, since real notes seldom use the same words. */
const FORMS = [
  ({ who, thing, where, when, way }) => ({
    text: `${who} ${way("bought picked_up found ordered sold returned")} ${article(thing)} in ${where} on ${when}.`,
    question: `Where was ${who} with the ${thing}?`,
  }),
  ({ who, trade, term, where, year, way }) => ({
    text: `${who} ${way("has_worked trains earns_a_living volunteers freelances")} as a ${trade} at ${capital(term)} in ${where} since ${year}.`,
    question: `What does ${who} do at ${capital(term)}?`,
  }),
  ({ who, other, subject, term, day, way }) => ({
    text: `${who} and ${other} ${way("agreed promised announced confirmed hope")} that the ${term} ${subject} ${way("starts begins ends opens closes")} next ${day}.`,
    question: `When is the ${term} ${subject} of ${who}?`,
  }),
  ({ who, food, other, term, way }) => ({
    text: `${who} ${way("is_allergic_to cannot_stand adores never_touches craves grows")} ${food}, so ${other} brings ${capital(term)} ${way("cake biscuits salad crackers juice")} instead.`,
    question: `What about ${who} and ${food}?`,
  }),
  ({ who, where, year, other, way }) => ({
    text: `${who} ${way("moved emigrated returned travelled cycled hitchhiked")} to ${where} in ${year} together with ${other}.`,
    question: `When did ${who} go to ${where}?`,
  }),
  ({ who, thing, term, price, day, way }) => ({
    text: `${way("Remember: Reminder: Note: Careful:")} the ${thing} for ${who} from ${capital(term)} ${way("costs weighs saves")} ${price} ${way("euros grams dollars")} and ${way("arrives leaves expires")} on ${day}.`,
    question: `What about the ${thing} from ${capital(term)} for ${who}?`,
  }),
  ({ who, food, day, where, way }) => ({
    text: `${who} ${way("cooks bakes fries peels serves smokes")} ${food} every ${day} for the ${way("family neighbours choir team guests")} from ${where}.`,
    question: `What does ${who} make for those from ${where}?`,
  }),
  ({ who, term, thing, other, way }) => ({
    text: `The ${way("password_hint label nickname wallpaper icon")} of the ${term} ${way("server router archive printer vault")} is the ${thing} of ${other}; ask ${who}.`,
    question: `Who knows about ${term} and the ${thing} of ${other}?`,
  }),
  ({ who, subject, where, when, other, way }) => ({
    text: `On ${when} ${who} ${way("visits leaves_for flies_to drives_to inspects")} ${where} for the ${subject}, and ${other} ${way("minds_the_children waters_the_plants feeds_the_cat answers_calls")}.`,
    question: `Why is ${who} in ${where}?`,
  }),
  ({ who, term, trade, price, way }) => ({
    text: `${who}, the ${trade}, ${way("charges asks quoted invoiced")} ${price} euros and ${way("swears_by warns_of recommends ran_out_of")} ${capital(term)} ${way("oil glue paint varnish thread")}.`,
    question: `What does ${who} the ${trade} say about ${capital(term)}?`,
  }),
];

/**
 * The n-th note of a seed. `who` is the person it is about, and `reference` occurs in no other note. `metadata` has a field
 * for each selectivity that is measured: `percent` has each of 100 values, `tenth` of 10 and `half` of 2, equally often.
 */
export function note(seed, n) {
  const random = randomFrom(seed * 1_000_003 + n);
  const person = () => `${frequent(random, GIVEN_NAMES)} ${frequent(random, SURNAMES)}`;
  const form = FORMS[n % FORMS.length];
  const who = person();
  const { text, question } = form({
    who,
    other: person(),
    thing: `${frequent(random, QUALITIES)} ${frequent(random, THINGS)}`,
    where: frequent(random, PLACES),
    term: frequent(random, TERMS),
    trade: frequent(random, TRADES),
    food: frequent(random, FOODS),
    subject: frequent(random, SUBJECTS),
    when: `${between(random, 1, 28)} ${any(random, MONTHS)} ${between(random, 2019, 2026)}`,
    year: between(random, 1985, 2026),
    day: any(random, DAYS),
    price: between(random, 12, 2_400),
    way: (ways) => any(random, ways.split(" ")).replaceAll("_", " "),
  });
  const group = Math.floor(random() * 100);
  return {
    text: `${text} ${reference(n)}`,
    question,
    who,
    metadata: { percent: `p${group}`, tenth: `t${group % 10}`, half: `h${group % 2}` },
    reference: reference(n),
  };
}

/** Different questions about the notes 0 to `of`, spread over all of them, each with the note that answers it. */
export function questions(seed, { count, of, skip = 0 }) {
  return Array.from({ length: count }, (_, index) => {
    // A step without a common factor with the number of notes visits each of them once before it repeats one.
    const about = ((skip + index) * 7_919 + 17) % of;
    return { about, ...note(seed, about) };
  });
}

/** People number their notes in many ways; here the number keeps any two from being the same. */
function reference(n) {
  return `#${n.toString(36)}`;
}

function article(thing) {
  return `${/^[aeiou]/.test(thing) ? "an" : "a"} ${thing}`;
}

function capital(term) {
  return term[0].toUpperCase() + term.slice(1);
}
