const PEOPLE =
  "Ana Ben Chloe David Elif Farid Greta Hugo Ines Jonas Kira Liam Mona Nils Olga Pavel Rosa Sami Tara Umar".split(" ");
const SURNAMES =
  "Adler Brandt Costa Duarte Evans Fischer Gomez Hansen Ivanova Jensen Keller Lopez Moreau Novak Olsen".split(" ");
const CITIES = "Lisbon Porto Berlin Oslo Turin Lyon Graz Ghent Malmo Bergen Krakow Tartu Split Basel Cork".split(" ");
const FACTS = [
  (n) => `works as a ${["nurse", "welder", "teacher", "geologist", "baker", "pilot"][n % 6]} in ${pick(CITIES, n)}`,
  (n) => `moved to ${pick(CITIES, n)} in ${1990 + (n % 35)}`,
  (n) => `prefers ${["green tea", "black coffee", "oat milk", "mineral water", "apple juice"][n % 5]} at breakfast`,
  (n) =>
    `plays the ${["cello", "trumpet", "piano", "drums", "violin"][n % 5]} on ${["Mondays", "Fridays", "Sundays"][n % 3]}`,
  (n) => `drives a car with the number plate ${String.fromCharCode(65 + (n % 26))}${1000 + n}`,
  (n) => `is allergic to ${["peanuts", "pollen", "cats", "shellfish", "penicillin"][n % 5]}`,
  (n) => `keeps a ${["dog", "parrot", "tortoise", "ferret"][n % 4]} called ${pick(PEOPLE, n * 7)}${n % 97}`,
];

function pick(list, n) {
  return list[n % list.length];
}

/** The n-th memory: made up, about 60 characters, no two the same. */
export function memory(n) {
  const person = `${pick(PEOPLE, n)} ${pick(SURNAMES, Math.floor(n / PEOPLE.length))} ${Math.floor(n / 300)}`;
  return { person, text: `${person} ${FACTS[n % FACTS.length](Math.floor(n / 3))}.` };
}

/** Questions as people ask them, each about one of the first `of` memories, spread over all of them. */
export function questions(count, of) {
  return Array.from({ length: count }, (_, index) => {
    const about = Math.floor((index * of) / count);
    const form = ["Where does X work?", "What does X prefer at breakfast?", "Which pet does X keep?"][index % 3];
    return { about, text: form.replace("X", memory(about).person) };
  });
}
