import { describe, expect, test } from "vitest";
import type { KnownFact } from "../../src/core/memories/decision.js";
import { decide } from "../../src/core/memories/relate.js";

const LATER = "2024-05-07T12:00:00Z";

function fact(text: string, id = text, saidAt = "2024-05-06T12:00:00Z"): KnownFact {
  return { memory: { id, text, forgetAfter: null }, saidAt };
}

/** The texts that a new fact replaces. */
function ended(known: readonly string[], text: string, eventDates?: readonly string[]): readonly string[] {
  const decision = decide(
    { text, saidAt: LATER, eventDates },
    known.map((one) => fact(one)),
  );
  return decision.kind === "updates" ? decision.ids : [];
}

const ENDED: Readonly<Record<string, readonly (readonly [held: string, ending: string])[]>> = {
  "an object that is given away": [
    ["User drives a Volvo", "User sold the Volvo"],
    ["User drives a Volvo", "User sold their old Volvo in April 2024"],
    ["User has a red Volvo XC60", "User sold the Volvo to Tom for 3,000 €"],
    ["User drives a Volvo", "User sold the car"],
    ["User has a grand piano", "User gave away their grand piano"],
    ["Mia owns a sailing boat", "Mia has sold her sailing boat"],
    ["User drives a Volvo", "User no longer has the Volvo"],
    ["User drives a Volvo at weekends", "User got rid of the Volvo"],
  ],
  "a job that was left": [
    ["User works at Bosch", "User quit their job"],
    ["User works as a welder", "User lost their job last week"],
    ["Mia works for Siemens", "Mia was laid off"],
    ["Mia works for Siemens", "Mia retired"],
    ["User works at Bosch", "User quit"],
    ["User works at Bosch", "User resigned"],
    ["User works at Bosch", "User handed in their notice"],
    ["Mia works at Siemens", "Mia left the company"],
    ["Ben works at Siemens", "Ben quit at Siemens last week"],
    ["Ben works for Siemens", "Ben was laid off by Siemens"],
    ["Ben works at Siemens as a planner", "Ben retired from Siemens"],
  ],
  "an animal that died": [
    ["User has a dog named Rex", "Rex died"],
    ["User has an old brown dog called Rex", "Rex passed away"],
    ["User's dog is called Rex", "User's dog Rex died"],
    ["Mia has a cat named Tom", "Mia's cat Tom was put down"],
    ["User has a cat named Flo", "User no longer has a cat"],
    ["User has an old brown dog called Rex", "User no longer has a dog"],
    ["User's cat is called Flo", "User no longer has a cat"],
    ["User has a cat named Flo", "User no longer has any pets"],
    ["User has a boat named Luna", "User no longer has a boat"],
    ["User has a boat named Luna", "User sold the boat"],
  ],
  "something replaced by something else": [
    ["User uses Neovim", "User switched from Neovim to Zed"],
    ["User uses Jenkins for CI", "User replaced Jenkins with Buildkite"],
    ["User uses Jenkins", "User has migrated from Jenkins to Buildkite"],
    ["User drives a Volvo", "User replaced the Volvo with a Skoda"],
    ["User drives a Volvo", "User swapped their Volvo for a Skoda"],
  ],
  "a home that was left": [
    ["User lives with their parents", "User moved out"],
    ["User lives with their parents", "User moved out of their parents' house"],
    ["User shares a flat with Tom", "User moved out of the flat"],
    ["User rents a room in Ghent", "User moved out"],
  ],
  "a relationship that ended": [
    ["User is dating Anna", "User broke up with Anna"],
    ["User is engaged to Anna", "User and Anna split up"],
    ["User's girlfriend is called Anna", "User broke up with their girlfriend"],
    ["User has a girlfriend named Anna", "User broke up"],
    ["Mia is married to Tom", "Mia and Tom separated"],
    ["User is married to Tom", "User is divorced"],
    ["User is engaged to Anna", "User called off the engagement"],
  ],
  "an activity that was given up": [
    ["User smokes a pack a day", "User quit smoking"],
    ["User plays tennis on Sundays", "User stopped playing tennis"],
    ["User goes to the gym every morning", "User stopped going to the gym"],
    ["User does yoga every morning", "User quit yoga"],
    ["User drinks coffee", "User gave up coffee"],
    ["User is a member of the chess club", "User left the chess club"],
    ["Mia studies at TU Delft", "Mia dropped out of TU Delft"],
    ["Mia sings in the church choir", "Mia quit the church choir"],
  ],
  "a cancelled plan": [
    ["User has a Netflix subscription", "User cancelled Netflix"],
    ["User subscribes to Netflix", "User canceled their Netflix subscription"],
    ["User has a dentist appointment on 10 May 2024", "User cancelled the dentist appointment"],
    ["User has a dentist appointment on 10 May 2024", "User's dentist appointment was cancelled"],
    ["The trip to Rome is planned for June", "The trip to Rome was cancelled"],
    ["User booked a flight to Rome", "User cancelled the trip to Rome"],
    ["User is a member of Fitness First", "User cancelled their Fitness First membership"],
  ],
};

const KEPT: Readonly<Record<string, readonly (readonly [held: string, other: string])[]>> = {
  "the same verb about something else": [
    ["User works at the shop", "User stopped by the shop"],
    ["User likes concerts", "The concert was sold out"],
    ["User drives a Volvo", "User sold out of Volvo posters"],
    ["User drives a Volvo", "User stopped the Volvo"],
    ["User works at Bosch", "User quit smoking"],
    ["User works at Bosch", "User quit the chess club"],
    ["User drinks tea every morning", "User stopped drinking"],
    ["User runs a bakery", "User stopped running"],
    ["User lives with Anna", "User moved out of the office"],
    ["User is dating Anna", "User broke up the fight"],
    ["User works at Bosch", "Mia retired from the race"],
    ["User works at Bosch", "User retired from the race"],
    ["User works at Bosch", "User quit at half past eight"],
    ["User uses Jenkins", "User migrated from Java to Kotlin"],
    ["User uses Jenkins for CI", "User replaced a Jenkins node with a new one"],
    ["User uses Jenkins", "Mia replaced Jenkins with Buildkite"],
    ["User uses Git and Jenkins", "User replaced Jenkins with Buildkite"],
    ["User drives a Volvo", "User replaced the Volvo's battery with a new one"],
  ],
  "something that belongs to another person": [
    ["User drives a Volvo", "User sold a Volvo"],
    ["User drives a Volvo", "User sells the Volvo brand"],
    ["User drives a Volvo", "Mia sold the Volvo"],
    ["User has a Volvo", "User sold their brother's Volvo"],
    ["User has a Volvo", "User gave away their parents' Volvo"],
    ["User's brother has a Volvo", "User sold the Volvo"],
    ["User is dating Anna", "Anna and Tom broke up"],
    ["User lives with their parents", "Tom moved out"],
  ],
  "something with a similar name": [
    ["User owns a Volvo dealership", "User sold the Volvo"],
    ["User drives a Volvo", "User sold the Volvo shares"],
    ["User drives a Volvo", "User sold the Skoda"],
    ["User has a cat named Flo", "User no longer has a dog"],
    ["User has a cat named Flo", "User no longer has a cat flap"],
    ["User has a cat named Flo", "Mia no longer has a cat"],
    ["User has a cat named Flo", "User no longer has a car"],
    ["User has a beach house", "User sold the house"],
    ["User has a dentist appointment on 10 May 2024", "User cancelled the appointment"],
    ["User is a member of the chess club", "User left the tennis club"],
    ["User works at Bosch", "User quit their second job"],
    ["User's wife is a nurse", "User broke up"],
    ["User is dating Anna", "User broke up with Ina"],
  ],
  "something that continues": [
    ["User has a team meeting every Monday", "User cancelled the team meeting"],
    ["User has a dentist appointment on 10 May 2024", "User cancelled the dentist appointment on 3 May 2024"],
    ["User has a Volvo and a sailing boat", "User sold the Volvo"],
    ["User loves the Volvo", "User sold the Volvo"],
    ["User bought a Volvo in 2019", "User sold the Volvo"],
  ],
  "something that did not happen": [
    ["User drives a Volvo", "User did not sell the Volvo"],
    ["User drives a Volvo", "User almost sold the Volvo"],
    ["User drives a Volvo", "User wants to sell the Volvo"],
    ["User drives a Volvo", "User might have sold the Volvo"],
    ["User drives a Volvo", "Mia says User sold the Volvo"],
    ["User drives a Volvo", "Has User sold the Volvo?"],
    ["User works at Bosch", "User thinks about quitting their job"],
    ["User works at Bosch", "User never quit their job"],
  ],
};

const PAST_OR_PASSING: readonly (readonly [held: string, other: string])[] = [
  ["User works at Bosch", "User was laid off in 2015"],
  ["User works at Bosch", "User quit their job in 2015"],
  ["User works at Bosch", "User lost their job in March 2009"],
  ["User works at Bosch", "User quit their job on 2015-03-02"],
  ["User works at Bosch", "User quit their job when User was a student"],
  ["User drives a Volvo", "User sold their Volvo in 1998"],
  ["User drives a Volvo", "User sold their Volvo in the summer of 1998"],
  ["User drives a Volvo", "In 1998 User sold their Volvo"],
  ["User drives a Volvo", "User sold their Volvo in 1998 for 900 euros"],
  ["User drives a Volvo", "User sold their Volvo in the 1990s"],
  ["User drives a Volvo", "User sold their Volvo in the nineties"],
  ["User drives a Volvo", "User no longer had the Volvo in 1998"],
  ["User is married to Anna", "User divorced in 2009 and met Anna in 2012"],
  ["User is married to Anna", "User divorced in 2009"],
  ["User is married to Anna", "User got divorced in 2009"],
  ["User lives with their parents", "User moved out in 2015"],
  ["User works at Bosch", "User left Bosch at 5 pm"],
  ["User works at Bosch", "User left Bosch early"],
  ["User works at Bosch", "User left Bosch to pick up the kids"],
  ["User attends yoga", "User left yoga at 8 today"],
  ["User attends yoga", "User left yoga at 8:30"],
  ["User attends yoga", "User left yoga at half past eight"],
  ["User attends yoga", "User left yoga at noon"],
  ["User attends yoga", "User left yoga around 8 pm"],
  ["User attends yoga", "User left yoga early"],
  ["User attends yoga", "User left yoga early today because of a headache"],
  ["User attends yoga", "User left yoga late"],
  ["User attends yoga", "User left yoga after ten minutes"],
  ["User attends yoga", "User left yoga to pick up the kids"],
  ["User attends yoga", "User left yoga for lunch"],
  ["User attends the choir", "User left the choir at 9 pm yesterday"],
  ["User attends the choir", "User left the choir at 9 pm on 6 May 2024"],
];

describe("an ending in the past, or for that day only, ends nothing:", () => {
  test.each(PAST_OR_PASSING)("%j: %j", (held, other) => expect(ended([held], other)).toEqual([]));

  test.each([
    ["User works at Bosch", "User was laid off in May 2024"],
    ["User works at Bosch", "User left Bosch in May 2024"],
    ["User works at Bosch", "User left Bosch for Siemens"],
    ["User works at Bosch", "User quit their job in 2024"],
    ["User drives a Volvo", "User sold their Volvo on 7 May 2024"],
    ["User drives a Volvo", "User sold their Volvo for 2000 euros"],
    ["User drives a Volvo", "User sold the Volvo at 9 am"],
    ["User attends the choir", "User left the choir in May 2024"],
    ["User attends the choir", "User left the choir to spend more time with the family"],
  ])("but a current ending ends the fact: %j: %j", (held, ending) => expect(ended([held], ending)).toEqual([held]));

  test("and does not outdate a statement that arrives later", () => {
    const known = fact("User was laid off in 2015", "laid off", LATER);
    expect(decide({ text: "User works at Bosch", saidAt: "2024-05-01" }, [known])).toEqual({ kind: "new" });
  });
});

describe.each(Object.entries(ENDED))("ended: %s", (_group, pairs) => {
  test.each(pairs)("%j: %j", (held, ending) => expect(ended([held], ending)).toEqual([held]));
});

describe.each(Object.entries(KEPT))("not ended: %s", (_group, pairs) => {
  test.each(pairs)("%j: %j", (held, other) => expect(ended([held], other)).toEqual([]));
});

test("an ending applies to all facts that say the same in other words, and to none if it is ambiguous", () => {
  expect(ended(["User drives a Volvo", "User owns a Volvo XC60"], "User sold the Volvo")).toHaveLength(2);
  expect(ended(["User drives a Volvo V40", "User owns a Volvo XC60"], "User sold the Volvo")).toEqual([]);
  expect(ended(["User drives a Volvo", "User drives a Tesla"], "User sold the car")).toEqual([]);
  expect(ended(["User works at Bosch", "User works for Siemens"], "User quit their job")).toEqual([]);
  expect(
    ended(["User has a meeting on 3 May 2024", "User has a meeting on 4 May 2024"], "User cancelled the meeting"),
  ).toEqual([]);
});

test("an ending dated before the fact ends nothing, and a fact older than its ending is outdated on arrival", () => {
  expect(ended(["User drives a Volvo"], "User sold the Volvo in 2015", ["2015-01-01"])).toEqual([]);
  const sold = fact("User sold the Volvo", "sold", LATER);
  expect(decide({ text: "User drives a Volvo", saidAt: "2024-05-01" }, [sold])).toEqual({
    kind: "outdated",
    by: "sold",
  });
  expect(decide({ text: "User drives a Volvo", saidAt: "2024-06-01" }, [sold])).toEqual({ kind: "new" });
});

describe("a statement about somebody known by name", () => {
  const kindOf = (known: readonly string[], text: string) =>
    decide(
      { text, saidAt: LATER },
      known.map((one) => fact(one)),
    );

  test.each([
    ["User has a dog named Rex", "Rex is a golden retriever"],
    ["User has a dog, Rex", "Rex is five years old"],
    ["User's sister is called Anna Weber", "Anna Weber lives in Ghent"],
    ["Mia adopted a grey cat called Tom", "Tom hates rain"],
  ])("extends the fact that introduced them: %j, %j", (known, text) => {
    expect(kindOf([known], text)).toEqual({ kind: "extends", id: known });
  });

  test.each([
    [["User has a dog named Rex"], "Max is a golden retriever"],
    [["User has a dog named Rex"], "User is a nurse"],
    [["User has a dog named Rex"], "Is Rex a golden retriever?"],
    [["User has a dog named Rex", "Mia has a cat named Rex"], "Rex is a golden retriever"],
    [["User likes Rex"], "Rex is a golden retriever"],
  ])("extends nothing else: %j, %j", (known, text) => expect(kindOf(known, text)).toEqual({ kind: "new" }));
});

test("an ending is ambiguous for several animals of one name, and for several jobs", () => {
  expect(ended(["User has a dog named Rex", "Mia has a dog named Rex"], "Rex died")).toEqual([]);
  expect(ended(["User has a dog named Rex", "User has a cat named Rex"], "Rex died")).toEqual([]);
  expect(ended(["User has a dog named Rex", "Mia has a dog named Rex"], "Mia's dog Rex died")).toEqual([
    "Mia has a dog named Rex",
  ]);
  expect(ended(["User has a dog named Rex"], "Max died")).toEqual([]);
  expect(ended(["User has a brother named Rex"], "Rex died")).toEqual([]);
  expect(ended(["User works at Bosch", "User works for Siemens"], "User quit")).toEqual([]);
});
