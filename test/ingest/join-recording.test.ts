import { expect, test } from "vitest";
import { joinRecording } from "../../src/ingest/join-recording.js";

const piece = (start: number, end: number, text: string) => ({ start, end, text });

test("joins overlapping sections without repeating or losing anything", () => {
  const parts = joinRecording([
    {
      start: 0,
      pieces: [piece(0, 3, "Good morning."), piece(3, 7, "The harbour is closed."), piece(7, 10, "Ferries leave")],
    },
    {
      start: 5,
      pieces: [piece(0, 2, "is closed."), piece(2, 6, "Ferries leave from the north pier."), piece(6, 9, "Thank you.")],
    },
  ]);
  const text = parts.map((part) => part.text).join(" ");
  expect(text).toBe("Good morning. The harbour is closed. Ferries leave from the north pier. Thank you.");
});

test("keeps a sentence that ends one section and begins the next only once", () => {
  const parts = joinRecording([
    { start: 0, pieces: [piece(0, 4, "One."), piece(4, 9, "Bring the blue folder.")] },
    { start: 8, pieces: [piece(0, 2, "bring the blue folder"), piece(2, 5, "And the keys.")] },
  ]);
  expect(parts.map((part) => part.text).join(" ")).toBe("One. Bring the blue folder. And the keys.");
});

test("paragraphs have times and end at pauses", () => {
  const parts = joinRecording([
    { start: 60, pieces: [piece(0, 2, "First."), piece(2, 4, "Second."), piece(12, 14, "After the break.")] },
  ]);
  expect(parts).toEqual([
    { text: "First. Second.", place: { time: [60, 64] } },
    { text: "After the break.", place: { time: [72, 74] } },
  ]);
});

test("a long recording becomes paragraphs of searchable length", () => {
  const pieces = Array.from({ length: 200 }, (_, index) =>
    piece(index * 5, index * 5 + 5, `Sentence number ${index} about the weather at sea.`),
  );
  const parts = joinRecording([{ start: 0, pieces }]);
  expect(parts.length).toBeGreaterThan(15);
  for (const part of parts) expect(part.text.length).toBeLessThanOrEqual(600);
  expect(
    parts
      .map((part) => part.text)
      .join(" ")
      .match(/number \d+/g),
  ).toHaveLength(200);
});

test("silence yields no paragraph", () => {
  expect(joinRecording([{ start: 0, pieces: [] }])).toEqual([]);
});
