import { describe, expect, test } from "vitest";
import type { UnitDetail } from "../../src/core/ports.js";
import { prepareUnits, rankPrepared, strongestChunks, withMore } from "../../src/core/search/rank.js";
import { queryWords, tokenise } from "../../src/language/words.js";
import { stem } from "../../src/language/stem.js";
import { chunkDetail, memoryDetail } from "../support/unit-details.js";
import { rankUnits } from "../support/rank-units.js";

const CALIBRATION = {
  points: [
    [0, 0.2],
    [0.5, 0.5],
    [1, 1],
  ],
  wordWeight: 1,
  doubt: 0,
} as const;
const NOW = new Date("2024-05-06T07:08:09.000Z");

function rank(query: string, details: readonly UnitDetail[], cosines: readonly number[] = []) {
  const counts = queryWords(query).map(
    (word) => details.filter(({ text }) => tokenise(text).map(stem).includes(stem(word))).length,
  );
  return rankUnits({
    query,
    vectorHits: details.flatMap(({ unit }, index) => {
      const cosine = cosines[index];
      return cosine === undefined ? [] : [{ unit, cosine }];
    }),
    textHits: [],
    details,
    wordCounts: { total: details.length, counts },
    calibration: CALIBRATION,
    now: NOW,
  });
}

const texts = (ranked: ReturnType<typeof rank>): string[] => ranked.map(({ detail }) => detail.text);

function conversation(...turns: string[]): UnitDetail[] {
  return turns.map((text, position) =>
    chunkDetail({ seq: position + 1, text, position, speakers: [text.split(":")[0] ?? ""] }),
  );
}

describe("the ranking", () => {
  test("puts the unit with the rare words first", () => {
    const ranked = rank("Which violin does Nora play?", [
      memoryDetail({ seq: 1, text: "Nora plays cards on Sundays." }),
      memoryDetail({ seq: 2, text: "Nora inherited a violin from Cremona." }),
      memoryDetail({ seq: 3, text: "Nora has a red car." }),
    ]);
    expect(texts(ranked)[0]).toContain("violin");
  });

  test("finds a fact by related words", () => {
    const ranked = rank("Where does Anna live?", [
      memoryDetail({ seq: 1, text: "Anna plays the cello." }),
      memoryDetail({ seq: 2, text: "Anna moved to Lisbon." }),
    ]);
    expect(texts(ranked)[0]).toBe("Anna moved to Lisbon.");
  });

  test("raises the answer to a matching question, and the words of the person named", () => {
    const ranked = rank("What did Ben cook for the picnic?", [
      ...conversation(
        "Ana: The weather was perfect, wasn't it",
        "Ana: And what did you cook for the picnic?",
        "Ben: Just a huge bowl of couscous",
        "Ana: My train was late again",
      ),
    ]);
    expect(texts(ranked).slice(0, 2)).toContain("Ben: Just a huge bowl of couscous");
  });

  test("prefers units from the date in the query", () => {
    const details = ["2023-01-10", "2023-06-10", "2023-11-10"].map((date, index) =>
      chunkDetail({ seq: index + 1, text: `Ana: We won game number ${index}`, documentId: date, date }),
    );
    expect(rank("Which game did Ana win in June 2023?", details)[0]?.detail.documentIds).toEqual(["2023-06-10"]);
  });

  test("prefers units from a relative time in the query, without affecting similarity", () => {
    const details = ["2024-01-10", "2024-04-30", "2024-05-05"].map((date, index) =>
      chunkDetail({ seq: index + 1, text: `Ana: We won game number ${index}`, documentId: date, date }),
    );
    const ranked = rank("Which game did we win last week?", details);
    expect(ranked[0]?.detail.documentIds).toEqual(["2024-04-30"]);
    expect(new Set(ranked.map(({ similarity }) => similarity)).size).toBe(1);
  });

  test("follows the vectors if words are of no use", () => {
    const details = [memoryDetail({ seq: 1, text: "Alpha." }), memoryDetail({ seq: 2, text: "Omega." })];
    expect(texts(rank("zzz", details, [0.1, 0.9]))).toEqual(["Omega.", "Alpha."]);
  });

  test("raises what was said around the best hits, nearest first, and nothing in other documents", () => {
    const talk = conversation(
      "Ana: I lost my keys",
      "Ben: Oh no",
      "Ana: My cousin fixes accordions for a living",
      "Ben: Where does she work?",
      "Ana: In an old mill by the river",
      "Ben: Good for her",
      "Ana: My phone is empty",
      "Ben: Mine too",
    );
    const elsewhere = chunkDetail({
      seq: 90,
      text: "Eva: In a brick house at the coast",
      documentId: "other",
      position: 3,
    });
    const ranked = rank("accordions", [...talk, elsewhere]);
    const scoreOf = (of: UnitDetail | undefined): number => ranked.find(({ detail }) => detail === of)?.score ?? -1;
    const scores = [2, 4, 5, 6].map((position) => scoreOf(talk[position]));
    expect(scores).toEqual([...new Set(scores)].sort((first, second) => second - first));
    expect(scoreOf(elsewhere)).toBeLessThan(0.01);
  });

  test("prefers what the person named says about themselves to what others say to them", () => {
    const ranked = rank("What does Nora play?", [
      chunkDetail({ seq: 1, text: "Ben: You play so well", speakers: ["Ben"] }),
      chunkDetail({ seq: 2, text: "Nora: They play so well", speakers: ["Nora"], documentId: "b" }),
      chunkDetail({ seq: 3, text: "Nora: We play so well", speakers: ["Nora"], documentId: "c" }),
    ]);
    expect(texts(ranked)).toEqual(["Nora: We play so well", "Nora: They play so well", "Ben: You play so well"]);
  });

  test("prefers statements that say when it happened", () => {
    const times = ["yesterday", "a week ago", "on the 3rd", "in 2019", "last spring"];
    for (const time of times) {
      const fact = "Nora sold her violin, the red one with the carved scroll, to a cousin of her neighbour";
      const told = memoryDetail({ seq: 2, text: `${fact} ${time}` });
      const ranked = rank("Nora's violin", [memoryDetail({ seq: 1, text: fact }), told]);
      expect(ranked[0]?.detail).toBe(told);
    }
  });

  test("finds a fact by a word of the same family with another stem, ranked behind the word itself", () => {
    const facts = ["Nora's umbrella", "Nora's recoverer", "Nora's recovering"].map((text, index) =>
      memoryDetail({ seq: index + 1, text }),
    );
    for (const asked of ["recovers", "recovery"]) {
      const [first, second, third] = texts(rank(`${asked} zzz`, facts));
      expect(new Set([first, second])).toEqual(new Set(["Nora's recoverer", "Nora's recovering"]));
      expect(third).toBe("Nora's umbrella");
    }
    expect(texts(rank("recover zzz", facts))[0]).toBe("Nora's recovering");
  });

  test("weights a rare related word more than a common one", () => {
    const [rare, common] = [
      memoryDetail({ seq: 2, text: "Nora: suitcase" }),
      memoryDetail({ seq: 1, text: "Nora: go" }),
    ];
    expect(texts(rank("travel", [common, rare]))).toEqual([rare.text, common.text]);
  });

  test("weights the subject of a question more than its recency", () => {
    const [subject, time] = [
      chunkDetail({ seq: 2, documentId: "b", text: "Some garage burned down there." }),
      chunkDetail({ seq: 1, documentId: "a", text: "Recently others use ladders there." }),
    ];
    expect(texts(rank("Which garage did we use recently?", [time, subject]))).toEqual([subject.text, time.text]);
  });

  test("prefers the speaker named first, unless the query asks for both", () => {
    const spoken = (name: string, seq: number): UnitDetail =>
      chunkDetail({ seq, text: `${name}: Let the dough rest twice.`, documentId: name, speakers: [name] });
    const talk = [spoken("Nora", 1), spoken("Ben", 2)];
    const scores = (query: string): Record<string, number> =>
      Object.fromEntries(rank(query, talk).map(({ detail, score }) => [detail.text.split(":")[0] ?? "", score]));
    expect(texts(rank("What does Nora tell Ben about the dough?", talk))[0]).toContain("Nora");
    expect(texts(rank("What does Ben tell Nora about the dough?", talk))[0]).toContain("Ben");
    const both = scores("What do Ben and Nora say about the dough?");
    expect(both["Nora"]).toBeCloseTo(both["Ben"] ?? 0, 10);
  });

  test("weights one word of the subject more than several common words", () => {
    const [subject, talk] = [
      memoryDetail({ seq: 1, text: "Wool lies upstairs." }),
      memoryDetail({ seq: 2, text: "Help us find lodgings." }),
    ];
    expect(texts(rank("Can you help me find wool?", [talk, subject]))).toEqual([subject.text, talk.text]);
  });

  test("finds who said a text, even if others say the same elsewhere", () => {
    const talk = (documentId: string, speaker: string, seq: number): UnitDetail =>
      chunkDetail({ seq, text: "Hiking in the rain, of course", documentId, speakers: [speaker] });
    const details = [talk("a", "Ben", 1), talk("b", "Nora", 2), talk("c", "Ben", 3)];
    for (const name of ["Nora", "Ben"]) {
      const [first] = rank(`What does ${name} like, hiking?`, details);
      expect(first?.detail.chunk?.metadata?.speakers).toEqual([name]);
    }
  });

  test("is deterministic, whatever the order of the input", () => {
    const details = Array.from({ length: 30 }, (_, index) => memoryDetail({ seq: index + 1, text: `Fact ${index}` }));
    const forwards = texts(rank("Which fact?", details));
    expect(texts(rank("Which fact?", [...details].reverse()))).toEqual(forwards);
    expect(forwards).toHaveLength(30);
  });
});

test("the strongest chunks are those that match by themselves, best first, without memories", () => {
  const details = [
    ...conversation("Ana: Hello", "Ana: I keep bees", "Ben: Bees in a hive on the roof?", "Ana: Yes, a hive of bees"),
    memoryDetail({ seq: 1, text: "Ana keeps bees in a hive" }),
  ];
  const input = {
    now: NOW,
    query: "bees hive",
    vectorHits: [],
    textHits: [],
    details,
    wordCounts: null,
    calibration: CALIBRATION,
  };
  const strongest = strongestChunks(prepareUnits(input), 2);
  expect(new Set(strongest)).toEqual(new Set([details[2]?.unit, details[3]?.unit]));
  expect(strongestChunks(prepareUnits(input), 9)).toHaveLength(4);
  expect(strongestChunks(prepareUnits({ ...input, details: [] }), 9)).toEqual([]);
  const later = withMore(prepareUnits({ ...input, details: details.slice(0, 2) }), details.slice(2));
  expect(rankPrepared(later)).toEqual(rankUnits(input));
});

describe("similarity", () => {
  const anna = memoryDetail({ seq: 1, text: "Anna moved to Lisbon." });
  const ben = memoryDetail({ seq: 2, text: "The printer is out of paper." });
  const similarityOf = (ranked: ReturnType<typeof rank>, detail: UnitDetail): number =>
    ranked.find(({ unit }) => unit === detail.unit)?.similarity ?? -1;

  test("does not depend on what else was found", () => {
    const query = "Where does Anna live?";
    const counts = { total: 10, counts: [2, 1] };
    const input = { query, textHits: [], wordCounts: counts, calibration: CALIBRATION, now: NOW };
    const hits = [
      { unit: anna.unit, cosine: 0.5 },
      { unit: ben.unit, cosine: 0 },
    ];
    const both = rankUnits({ ...input, vectorHits: hits, details: [anna, ben] });
    const alone = rankUnits({ ...input, vectorHits: hits, details: [anna] });
    expect(similarityOf(both, anna)).toBe(similarityOf(alone, anna));
    expect(similarityOf(both, anna)).toBeGreaterThan(0.5);
    expect(similarityOf(both, ben)).toBeLessThan(0.3);
  });

  test("is 1 for the identical text, and works without vectors", () => {
    const ranked = rank(anna.text, [anna, ben]);
    expect(similarityOf(ranked, anna)).toBe(1);
    expect(similarityOf(ranked, ben)).toBeLessThan(0.3);
  });

  test("passes the threshold by the vector alone if the vector indicates a relation", () => {
    expect(similarityOf(rank("xyzzy", [ben], [0.6]), ben)).toBeGreaterThanOrEqual(0.5);
  });
});

describe("repetitions", () => {
  test("are returned once", () => {
    const ranked = rank("What does Anna like?", [
      memoryDetail({ seq: 1, text: "Anna likes tea." }),
      memoryDetail({ seq: 2, text: "anna likes the tea" }),
      memoryDetail({ seq: 3, text: "Anna does not like tea." }),
      memoryDetail({ seq: 4, text: "Anna likes tea at 5." }),
      memoryDetail({ seq: 5, text: "Anna likes tea at 6." }),
    ]);
    expect(texts(ranked)).toHaveLength(4);
    expect(texts(ranked)).toEqual(
      expect.arrayContaining(["Anna does not like tea.", "Anna likes tea at 5.", "Anna likes tea at 6."]),
    );
  });

  test("do not include a memory that says part of a chunk: callers need its id", () => {
    const chunk = chunkDetail({
      seq: 1,
      text: "Anna: I love my new job at Northwind, the team is great!",
      speakers: ["Anna"],
    });
    const memory = memoryDetail({ seq: 1, text: "Anna loves her new job at Northwind.", documentId: "document" });
    const ranked = rank("Where does Anna work?", [memory, chunk]);
    expect(texts(ranked).sort()).toEqual([chunk.text, memory.text].sort());
  });

  test("are resolved in favour of a memory that says all of a chunk", () => {
    const chunk = chunkDetail({ seq: 1, text: "Anna: I work at Northwind!", speakers: ["Anna"] });
    const memory = memoryDetail({ seq: 1, text: "Anna works at Northwind.", documentId: "document" });
    expect(texts(rank("Where does Anna work?", [chunk, memory]))).toEqual([memory.text]);
  });

  test("are resolved in favour of the memory if memory and chunk have the same text", () => {
    const text = "Anna moved to Lisbon in May.";
    const ranked = rank("Where does Anna live?", [chunkDetail({ seq: 1, text }), memoryDetail({ seq: 2, text })]);
    expect(ranked.map(({ detail }) => detail.memory && detail.text)).toEqual([text]);
  });

  test("do not include a long chunk, a chunk of another document, or one that lacks the memory's number", () => {
    const fact = "Anna works at Northwind since 2019.";
    const memory = memoryDetail({ seq: 1, text: fact, documentId: "document" });
    const long = chunkDetail({ seq: 1, text: `${fact} ${"The weather was nice and we sat outside. ".repeat(12)}` });
    const foreign = chunkDetail({ seq: 2, text: `Anna: ${fact} Nice, isn't it?`, documentId: "other" });
    const vague = chunkDetail({ seq: 3, text: "Anna works at Northwind, did you know that, my friend?", position: 7 });
    expect(texts(rank("Where does Anna work?", [memory, long, foreign, vague]))).toHaveLength(4);
  });
});

describe("a memory and the passage it was extracted from", () => {
  const passage = (text: string, position: number): UnitDetail =>
    chunkDetail({ seq: position + 1, text: `Nora: ${text}`, position, speakers: ["Nora"], documentId: "talk" });
  const said = "Got back from the glacier yesterday, my knees hurt like never before and I would go again at once!";
  const memory = memoryDetail({
    seq: 1,
    text: "Nora came back from the glacier on 3 March 2024",
    documentId: "talk",
    quote: "Got back from the glacier yesterday",
  });

  test("are both listed, the passage first because it says more", () => {
    expect(texts(rank("What happened to Nora at the glacier?", [memory, passage(said, 0)]))).toEqual([
      `Nora: ${said}`,
      memory.text,
    ]);
  });

  test("match together: the passage is found by words that only the memory has", () => {
    const others = ["We had soup for lunch, it was too hot to eat", "The bus was late again, so I took a taxi home"];
    const details = [passage(said, 0), ...others.map((text, index) => passage(text, index + 4)), memory];
    const scoreOf = (list: readonly UnitDetail[]): number =>
      rank("What did Nora do in March?", list).find(({ detail }) => detail.text === `Nora: ${said}`)?.score ?? 0;
    expect(scoreOf(details)).toBeGreaterThan(scoreOf(details.slice(0, -1)));
  });

  test("do not affect each other if the passage is not among the candidates", () => {
    const scoreOf = (list: readonly UnitDetail[]): number =>
      rank("Where was Nora?", list).find(({ detail }) => detail === memory)?.score ?? 0;
    const elsewhere = chunkDetail({ seq: 9, text: `Nora: ${said}`, documentId: "another talk" });
    expect(scoreOf([memory, elsewhere])).toBeCloseTo(scoreOf([memory]), 1);
    expect(scoreOf([memory, passage(said, 0)])).toBeLessThan(scoreOf([memory, elsewhere]));
  });

  test("tolerate quotes that are empty, not found or of units without text", () => {
    for (const quote of ["", "nowhere to be found", "("]) {
      const odd = memoryDetail({ seq: 1, text: "Nora likes tea", documentId: "talk", quote });
      expect(rank("What does Nora like?", [odd, passage("", 0), passage(said, 1)])).toHaveLength(3);
    }
  });
});

describe("the history of a memory", () => {
  const daysAgo = (days: number): string => new Date(NOW.getTime() - days * 86_400_000).toISOString();
  const episode = (seq: number, of: { days: number; strength?: number; eventDates?: string[] }): UnitDetail =>
    memoryDetail({
      seq,
      text: `Anna met Ben at the lake, day ${seq}`,
      kind: "episode",
      createdAt: daysAgo(of.days),
      ...(of.strength !== undefined && { strength: of.strength }),
      ...(of.eventDates && { eventDates: of.eventDates }),
    });
  const order = (details: readonly UnitDetail[]): number[] =>
    rank("When did Anna meet Ben?", details).map(({ detail }) => details.indexOf(detail));

  test("moves an old episode behind a new one, and further back with age", () => {
    expect(order([episode(1, { days: 400 }), episode(2, { days: 90 }), episode(3, { days: 0 })])).toEqual([2, 1, 0]);
  });

  test("keeps a repeated or future episode in front", () => {
    expect(order([episode(1, { days: 90 }), episode(2, { days: 90, strength: 5 })])).toEqual([1, 0]);
    expect(order([episode(1, { days: 90 }), episode(2, { days: 90, eventDates: ["2024-07-01"] })])).toEqual([1, 0]);
  });

  test("does not make facts age", () => {
    const facts = [900, 0].map((days, index) =>
      memoryDetail({ seq: index + 1, text: `Anna lives with Ben, day ${index}`, createdAt: daysAgo(days) }),
    );
    const [first, second] = rank("Who does Anna live with?", facts);
    expect(first?.score).toBe(second?.score);
  });

  test("raises a preference by repetition, up to a limit", () => {
    const scoreOf = (strength: number): number =>
      rank("What tea does Anna prefer?", [
        memoryDetail({ seq: 1, text: "Anna prefers green tea", kind: "preference", strength }),
      ])[0]?.score ?? 0;
    expect(scoreOf(3)).toBeGreaterThan(scoreOf(1));
    expect(scoreOf(8)).toBeGreaterThan(scoreOf(3));
    expect(scoreOf(800)).toBe(scoreOf(8));
    expect(scoreOf(800)).toBeLessThan(scoreOf(1) * 1.1);
  });

  test("does not affect similarity, and leaves nothing out", () => {
    const details = [episode(1, { days: 4_000 }), episode(2, { days: 0 })];
    const similarities = rank("When did Anna meet Ben?", details).map(({ similarity }) => similarity);
    expect(similarities).toHaveLength(2);
    expect(similarities[0]).toBe(similarities[1]);
  });

  test("tolerates invalid dates", () => {
    const odd = episode(1, { days: 10, eventDates: ["soon", "", "9999-99-99"] });
    expect(rank("When did Anna meet Ben?", [odd])[0]?.score).toBeGreaterThan(0);
  });
});

test("an inferred memory ranks behind a stated one, with the same similarity", () => {
  const told = memoryDetail({ seq: 1, text: "Anna works at Northwind in Lisbon" });
  const inferred = memoryDetail({ seq: 2, text: "Anna works for Northwind in Porto", isInference: true });
  const approved = memoryDetail({ seq: 2, text: "Anna works for Northwind in Porto" });
  const scores = (second: typeof inferred) =>
    rank("Where does Anna work?", [told, second]).find(({ detail }) => detail === second);
  expect(texts(rank("Where does Anna work?", [inferred, told]))).toEqual([told.text, inferred.text]);
  expect(scores(inferred)?.score).toBeLessThan(scores(approved)?.score ?? 0);
  expect(scores(inferred)?.similarity).toBe(scores(approved)?.similarity);
});

test("odd input can be ranked", () => {
  expect(rank("anything", [])).toEqual([]);
  for (const query of ["", " ", "?!", "\ud83d", "\u0000", "the of and", "word ".repeat(2_000), "a".repeat(10_000)]) {
    const ranked = rank(query, [
      memoryDetail({ seq: 1, text: "" }),
      chunkDetail({ seq: 1, text: "\udc00 😀 ".repeat(99) }),
    ]);
    expect(ranked).toHaveLength(2);
    for (const { similarity, score } of ranked) {
      expect(similarity).toBeGreaterThanOrEqual(0);
      expect(similarity).toBeLessThanOrEqual(1);
      expect(Number.isFinite(score)).toBe(true);
    }
  }
});
