import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const TAG = "mia";

/** A thing whose value changes again and again. */
interface Subject {
  readonly name: string;
  readonly values: readonly [string, string, string];
  readonly first: (value: string) => string;
  readonly change: (former: string, present: string) => string;
  readonly goBack: (present: string, former: string) => string;
  /** What a memory that holds says of the value. */
  readonly says: (value: string) => RegExp;
}

const SUBJECTS: readonly Subject[] = [
  {
    name: "a bank",
    values: ["N26", "Revolut", "Monzo"],
    first: (value) => `My bank is ${value}.`,
    change: (former, present) => `I switched from ${former} to ${present}.`,
    goBack: (present) => `I went back to ${present}.`,
    says: (value) => new RegExp(`bank is ${value}\\.?$`),
  },
  {
    name: "a bank, with both named",
    values: ["Nubank", "Wise", "Bunq"],
    first: (value) => `My bank is ${value}.`,
    change: (former, present) => `I switched from ${former} to ${present}.`,
    goBack: (present, former) => `I switched back from ${former} to ${present}.`,
    says: (value) => new RegExp(`bank is ${value}\\.?$`),
  },
  {
    name: "the name of a project",
    values: ["Heron", "Kestrel", "Falcon"],
    first: (value) => `The project is called ${value}.`,
    change: (former, present) => `We renamed ${former} to ${present}.`,
    goBack: (present, former) => `We renamed ${former} back to ${present}.`,
    says: (value) => new RegExp(`project is called ${value}\\.?$`),
  },
  {
    name: "what builds run on",
    values: ["Jenkins", "Buildkite", "Drone"],
    first: (value) => `Builds run on ${value}.`,
    change: (former, present) => `We switched builds from ${former} to ${present}.`,
    goBack: (present) => `We went back to ${present}.`,
    says: (value) => new RegExp(`^Builds run on ${value}\\.?$`),
  },
  {
    name: "an editor",
    values: ["Vim", "Zed", "Helix"],
    first: (value) => `I use ${value}.`,
    change: (former, present) => `I switched from ${former} to ${present}.`,
    goBack: (present, former) => `I switched back to ${present} from ${former}.`,
    says: (value) => new RegExp(`^(?:User uses|I use) ${value}\\.?$`),
  },
  {
    name: "a browser",
    values: ["Firefox", "Brave", "Arc"],
    first: (value) => `My browser is ${value}.`,
    change: (former, present) => `I switched from ${former} to ${present}.`,
    goBack: (present) => `I switched back to ${present}.`,
    says: (value) => new RegExp(`browser is ${value}\\.?$`),
  },
  {
    name: "an employer",
    values: ["Google", "Ikea", "Lego"],
    first: (value) => `Ben works at ${value}.`,
    change: (former, present) => `Ben left ${former} to work at ${present}.`,
    goBack: (present) => `Ben went back to ${present}.`,
    says: (value) => new RegExp(`^Ben works at ${value}\\.?$`),
  },
];

/** Positions among the values; a value that was there before is gone back to. */
const CHAINS: readonly (readonly number[])[] = [
  [0, 1],
  [0, 1, 2],
  [0, 1, 0],
  [0, 1, 0, 1],
  [0, 1, 2, 0],
  [0, 1, 2, 1, 0],
];

function sentencesOf({ values, first, change, goBack }: Subject, chain: readonly number[]): string[] {
  const told = chain.map((position) => values[position] ?? "");
  return told.map((value, index) => {
    const former = told[index - 1];
    if (former === undefined) return first(value);
    return told.slice(0, index).includes(value) ? goBack(value, former) : change(former, value);
  });
}

async function addDocument(content: string, documentDate?: string) {
  const { body } = await rest.send("POST", "/v3/documents", { content, containerTag: TAG, documentDate });
  await rest.settle();
  expect((await rest.send("GET", `/v3/documents/${body.id}`)).body.status).toBe("done");
}

async function addMemories(contents: readonly string[]) {
  const memories = contents.map((content) => ({ content }));
  expect((await rest.send("POST", "/v4/memories", { containerTag: TAG, memories })).status).toBe(201);
  await rest.settle();
}

async function holding(): Promise<readonly string[]> {
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [TAG], limit: 100 });
  return body.memoryEntries
    .filter(({ isForgotten }: { isForgotten: boolean }) => !isForgotten)
    .map(({ memory }: { memory: string }) => memory);
}

/** The value that a text says holds: what somebody went back to comes before what they left in "back to Vim from Zed". */
function heldValue(text: string, values: readonly string[]): string | undefined {
  const plain = text.replace(/ from [^ ]+?(?=\.?$)/, "");
  return values.toSorted((one, other) => plain.lastIndexOf(other) - plain.lastIndexOf(one))[0];
}

/** One text replaces at most five memories. */
const MOST_IN_ONE_TEXT = 3;

const WAYS: readonly [string, number, (sentences: readonly string[]) => Promise<void>][] = [
  [
    "in documents of their own",
    Infinity,
    async (sentences) => {
      for (const sentence of sentences) await addDocument(sentence);
    },
  ],
  [
    "in one document",
    MOST_IN_ONE_TEXT,
    async ([first = "", ...more]) => {
      await addDocument(first);
      await addDocument(more.join(" "));
    },
  ],
  [
    "as memories of one request",
    MOST_IN_ONE_TEXT,
    async ([first = "", ...more]) => {
      await addMemories([first]);
      await addMemories(more);
    },
  ],
];

describe.each(WAYS)("changes told %s", (_way, most, tell) => {
  const chains = CHAINS.filter(({ length }) => length - 1 <= most);
  const cases = SUBJECTS.flatMap((subject) =>
    chains.map((chain) => [subject.name, chain.map((at) => subject.values[at]).join(", "), subject, chain] as const),
  );
  test.each(cases)("of %s: %s leave the last value only", async (_name, _values, subject, chain) => {
    await tell(sentencesOf(subject, chain));
    const texts = await holding();
    const present = subject.values[chain.at(-1) ?? 0] ?? "";
    expect(texts.filter((text) => subject.says(present).test(text))).toHaveLength(1);
    expect(texts.map((text) => heldValue(text, subject.values))).toEqual(texts.map(() => present));
  });
});

describe("changes told in another order than they were made", () => {
  test.each(SUBJECTS.map((subject) => [subject.name, subject] as const))(
    "of %s leave no value that was given up",
    async (_name, subject) => {
      const [first = "", change = "", next = ""] = sentencesOf(subject, [0, 1, 2]);
      await addDocument(first, "2026-03-01");
      await addDocument(next, "2026-03-25");
      await addDocument(change, "2026-03-10");
      const texts = await holding();
      expect(texts.map((text) => heldValue(text, subject.values))).toEqual(texts.map(() => subject.values[2]));
      expect(texts).not.toEqual([]);
    },
  );
});
