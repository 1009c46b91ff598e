import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KnownFact } from "../../src/core/memories/decision.js";
import { decide } from "../../src/core/memories/relate.js";

function ended(known: readonly string[], text: string): readonly string[] {
  const facts: KnownFact[] = known.map((one) => ({
    memory: { id: one, text: one, forgetAfter: null },
    saidAt: "2024-05-06T12:00:00Z",
  }));
  const decision = decide({ text, saidAt: "2024-05-07T12:00:00Z" }, facts);
  return decision.kind === "updates" ? decision.ids : [];
}

const PREPOSITIONS = ["to", "with", "for", "from", "at", "near", "on", "in", "by", "of"];
const NAMES = [
  "nuts",
  "cats",
  "the office",
  "the cellar",
  "Bonn",
  "Ghent",
  "Rubens",
  "Siemens",
  "my aunt",
  "old ships",
];
const HOLDING: readonly (readonly [holds: string, over: readonly string[]])[] = [
  ["User has an allergy", ["User no longer has an allergy", "User does not have the allergy any more"]],
  ["User owns a house", ["User sold the house", "User no longer owns the house", "User got rid of the house"]],
  ["User has paintings", ["User gave away the paintings", "User no longer has any paintings"]],
  ["User has a subscription", ["User cancelled the subscription", "User no longer has a subscription"]],
  ["User has a meeting", ["User called off the meeting", "User cancelled the meeting"]],
  ["User attends the choir", ["User left the choir", "User quit the choir"]],
  ["User is a member of the club", ["User resigned from the club"]],
];

test("an ending about something else ends nothing, whatever the preposition", () => {
  const tail = fc.tuple(fc.constantFrom(...PREPOSITIONS), fc.constantFrom(...NAMES));
  fc.assert(
    fc.property(fc.constantFrom(...HOLDING), fc.nat(2), tail, tail, ([holds, over], which, one, other) => {
      fc.pre(one[1] !== other[1]);
      const held = `${holds} ${one.join(" ")}`;
      const ending = `${over[which % over.length]} ${other.join(" ")}`;
      expect(ended([held], ending)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("an ending with the same detail, or with none about the only match, ends it", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...HOLDING),
      fc.nat(2),
      fc.constantFrom(...PREPOSITIONS),
      fc.constantFrom(...NAMES),
      ([holds, over], which, preposition, name) => {
        const held = `${holds} ${preposition} ${name}`;
        const ending = over[which % over.length] ?? "";
        expect(ended([held], `${ending} ${preposition} ${name}`)).toEqual([held]);
        expect(ended([held], ending)).toEqual([held]);
        expect(ended([holds], `${ending} ${preposition} ${name}`)).toEqual([holds]);
      },
    ),
  );
});

test("an ending without a detail ends nothing if several facts differ in theirs", () => {
  expect(ended(["User has a house in Bonn", "User has a house in Ghent"], "User sold the house")).toEqual([]);
  expect(
    ended(["User has a house", "User has a house in Bonn", "User has a house in Ghent"], "User sold the house"),
  ).toEqual([]);
  expect(ended(["User has a house in Bonn", "User has a house in Ghent"], "User sold the house in Bonn")).toEqual([
    "User has a house in Bonn",
  ]);
  expect(ended(["User attends the choir in Bonn", "User attends the choir in Ghent"], "User left the choir")).toEqual(
    [],
  );
});

test("no longer using something ends all of its uses", () => {
  const uses = ["User uses Postgres for analytics", "User uses Postgres for billing"];
  expect(ended(uses, "User no longer uses Postgres")).toEqual(uses);
});

describe("an ending in other words ends", () => {
  test.each([
    ["User has a subscription to Netflix", "User cancelled their Netflix subscription"],
    ["User has a subscription to Netflix", "User cancelled Netflix"],
    ["User has a subscription to Netflix", "User no longer has a Netflix subscription"],
    ["User has a Netflix subscription", "User cancelled their subscription to Netflix"],
    ["User subscribes to Netflix", "User cancelled the subscription with Netflix"],
    ["User has a dentist appointment", "User cancelled the appointment with the dentist"],
    ["User has an account with ING", "User no longer has the account at ING"],
    ["User has a key to the office", "User no longer has the office key"],
    ["User has a key to the office", "User no longer has the key for their office"],
    ["User attends the choir in Bonn", "User left the Bonn choir"],
    ["User has a house in Bonn", "User sold the house in Bonn to Tom for 3,000 €"],
    ["User has a house in Bonn", "User sold the house for 3,000 €"],
    ["User has a house in Bonn", "User sold the house on Friday"],
    ["User has a house in Bonn", "User sold the house because it lies far from Ghent"],
    ["User has a house in Bonn near the station", "User sold the house in Bonn"],
    ["User has a meeting with Anna on Monday", "User cancelled the meeting on Monday"],
    ["User has an allergy to nuts and cats", "User no longer has an allergy to nuts and cats"],
    ["User uses Jenkins for CI", "User stopped using Jenkins"],
    ["User uses Jenkins for CI", "User stopped using Jenkins for CI"],
    ["User uses Jenkins for CI", "User quit using Jenkins"],
    ["Finn has a Netflix subscription", "Finn cancelled his subscription to Netflix"],
    ["Finn has a subscription to Netflix", "Finn cancelled his Netflix subscription"],
    ["Kai plans a trip to Rome", "Kai cancelled the trip to Rome"],
    ["Kai plans a trip to Rome", "The trip to Rome was cancelled"],
    ["Ana drives a Volvo", "Ana sold the Volvo, then moved to Oslo"],
  ])("%j: %j", (held, ending) => expect(ended([held], ending)).toEqual([held]));
});

describe("an ending that may not cover all of it does not end", () => {
  test.each([
    ["User has a house in Bonn and a flat in Ghent", "User sold the house"],
    ["User has a house in Bonn and a flat in Ghent", "User sold the house in Bonn"],
    ["User has an allergy to nuts and cats", "User no longer has an allergy to cats"],
    ["User has paintings by Rubens", "User sold the painting by Rubens"],
    ["User has two Volvos", "User sold the Volvo"],
    ["User has a letter from Anna", "User gave away the letter for Anna"],
    ["User has a desk at home", "User no longer has a desk at the office"],
    ["User has an allergy to nuts", "User no longer has an allergy at work"],
    ["User has a house near Bonn", "User sold the house in Bonn"],
    ["User has a sister in Bonn", "User does not have a sister in Ghent any more"],
    ["The meeting with Anna is on Monday", "The meeting with Tom was cancelled"],
    ["User booked a table at Luigi's", "User cancelled the table at Mario's"],
    ["User has a subscription to Netflix", "User cancelled their Spotify subscription"],
    ["User has a ticket to Paris", "User sold the ticket to Rome"],
  ])("%j: %j", (held, other) => expect(ended([held], other)).toEqual([]));
});
