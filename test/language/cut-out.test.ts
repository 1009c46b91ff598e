import { describe, expect, test } from "vitest";
import { Cut } from "../../src/language/cut-out.js";
import { findPlaces, type QuotedPassage, saysAny } from "../../src/language/find-places.js";

const cutOut = async (text: string, ...passages: QuotedPassage[]): Promise<string> =>
  new Cut(text, await findPlaces(text, passages)).rest();
const without = (text: string, ...quotes: string[]): Promise<string> =>
  cutOut(text, ...quotes.map((quote) => ({ quote, at: null })));

describe("text that is cut out", () => {
  test.each([
    ["a line", "Ben\nBen works with Benedict at Benco", "Ben", "Ben works with Benedict at Benco"],
    ["one of several lines", "Mia\nBenedict\nBen\nBenco", "Benedict", "Mia\nBen\nBenco"],
    ["a sentence", "I like tea. My code is 7731. I own a boat.", "My code is 7731.", "I like tea. I own a boat."],
    ["a sentence in other quotation marks and case", "“Yes”, he said. Ok.", '"yes", he said.', "Ok."],
    ["the last sentence", "I like tea. My code is 7731.", "My code is 7731", "I like tea."],
    ["every sentence that says it", "Code: 7. Tea. Code: 7. Code: 77.", "Code: 7.", "Tea. Code: 77."],
    [
      "words within a sentence",
      "I own a boat and my code is 7731, as you know.",
      "my code is 7731",
      "I own a boat and , as you know.",
    ],
    [
      "a text of several lines",
      "Tea\nRoses are red\nViolets are blue\nBoat",
      "Roses are red\nViolets are blue",
      "Tea\nBoat",
    ],
    ["the whole text", "My code is 7731.", "My code is 7731.", ""],
  ])("is %s", async (_what, text, quote, rest) => {
    expect(await without(text, quote)).toBe(rest);
  });

  test.each([
    ["a part of a word", "Benedict works at Benco.", "Ben"],
    ["the end of a longer word", "The codebook", "book"],
    ["a word followed by a combining mark", "Zoe\u0308 sings", "Zoe"],
    ["a word next to a letter of two code units", "𝒳Ben sings", "Ben"],
  ])("is never %s", async (_what, text, quote) => {
    expect(await without(text, quote)).toBe(text);
    expect(await saysAny(text, [quote])).toBe(false);
  });

  test("is at the recorded position, even if the same words occur earlier", async () => {
    const text = "Ben has a dog called Ben";
    expect(await cutOut(text, { quote: "Ben", at: { start: 21, end: 24 } })).toBe("Ben has a dog called");
  });

  test("is located again when the recorded position contains something else", async () => {
    const text = "Now more. My code is 7731. End.";
    expect(await cutOut(text, { quote: "My code is 7731.", at: { start: 0, end: 16 } })).toBe("Now more. End.");
  });
});

test("maps other positions to where they are after the cut", async () => {
  const text = "One two. Three four. Five six.";
  const cut = new Cut(text, await findPlaces(text, [{ quote: "Three four.", at: null }]));
  const rest = cut.rest();
  for (const word of ["One two.", "Five six."]) {
    const start = text.indexOf(word);
    const place = cut.placeAfter({ start, end: start + word.length });
    expect(rest.slice(place?.start, place?.end)).toBe(word);
  }
  expect(cut.placeAfter({ start: 4, end: 12 })).toBeNull();
  expect(cut.placeAfter({ start: 9, end: 20 })).toBeNull();
});

describe("a statement is found behind a list mark or a speaker's name:", () => {
  const MARKS = `-,*,+,•,–,>,> >,1.,12.,3),(4),(a),b),[1],#,######,- [ ],- [x],1. [ ],> -,|,✅,>`.split(",");
  const LABELS =
    `user:,assistant:,Mia:,Mia Berg:,**Mia:**,Mia (she):,[2024-01-02 10:00] Mia:,10:15 Mia:,- Mia:,> user:,[user]`.split(
      ",",
    );
  const SAID = "My code is 7731.";

  test.each([...MARKS, ...LABELS])("%s", async (mark) => {
    for (const quote of [SAID, "my code is 7731", `${mark} ${SAID}`, `- Tom: ${SAID}`])
      for (const said of [SAID, "my code is 7731", "My  code is “7731”!", "**My code is 7731.**"])
        expect(await without(`Tea.\n${mark} ${said}\nBoat. ${mark} Boat.`, quote)).not.toContain("7731");
    expect(await without(`Tea.\n${mark} ${SAID}\nBoat.`, SAID)).toBe(`Tea.\n${mark} \nBoat.`.replace(/ +\n/, "\n"));
  });

  test.each([
    ["a sign that belongs to a number", "Today:\n-5 degrees\n>5 degrees\n$5 degrees\n.5 degrees", "5 degrees"],
    ["the label of something else", "Flight: 4417\nGate: B 12", "4417"],
    ["the label of another statement", "Old address: 12 Main Street Lisbon", "12 Main Street Lisbon"],
    ["other words", "I said: well, my code is 7731\nmy code is 7731, I said", "My code is 7731."],
  ])("never behind %s", async (_what, text, quote) => {
    const first = text.indexOf(quote);
    const noted = { quote, at: { start: text.length, end: text.length + quote.length } };
    const places = await findPlaces(`${text}${quote}`, [noted]);
    expect([first, ...places]).toEqual([first, noted.at]);
    expect(await saysAny(text, [quote])).toBe(true);
  });

  test("across several lines", async () => {
    const text = "Tea\n- My code\n  is 7731.\nBoat\n> My code is 7731\nEnd";
    expect(await without(text, "My code is 7731.")).toBe("Tea\n-\nBoat\n>\nEnd");
  });
});

describe("cutting from a long text takes linear time", () => {
  test.each([
    ["of lines", "- The code is 7731. Tea and more tea.\n"],
    ["of one line", "The code is 7731. Tea and more tea. "],
    ["of one sentence", "The code is 7731 and "],
    ["of repetitions", "The code is 7731."],
    ["of parts of words", "The code is 77313The code is 7731"],
  ])("%s", async (_what, piece) => {
    const measure = async (pieces: number): Promise<number> => {
      const text = piece.repeat(pieces);
      const times: number[] = [];
      // Other work on the machine slows down only some of the runs.
      for (let time = 0; time < 3; time += 1) {
        const began = performance.now();
        await without(text, "The code is 7731.");
        times.push(performance.now() - began);
      }
      return Math.min(...times);
    };
    await measure(500);
    expect((await measure(8_000)) / Math.max(1, await measure(1_000))).toBeLessThan(30);
  });
});
