import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

type Metadata = Readonly<Record<string, string | number | boolean | string[]>>;
interface Condition {
  readonly key: string;
  readonly value: string | number | boolean;
  readonly filterType?: "metadata" | "numeric" | "array_contains" | "string_contains";
  readonly numericOperator?: string;
  readonly negate?: boolean | "true" | "false";
  readonly ignoreCase?: boolean | "true" | "false";
}
interface Group {
  readonly AND?: readonly Expression[];
  readonly OR?: readonly Expression[];
}
type Expression = Condition | Group;

// --------------------------------------------------------------------------- the rules of contract 1.13, literally

function isGroup(expression: Expression): expression is Group {
  return "AND" in expression || "OR" in expression;
}

/** Both lists of a group must hold; an empty list always does. */
function holds(expression: Expression, test: (condition: Condition) => boolean): boolean {
  if (!isGroup(expression)) return test(expression);
  const { AND = [], OR = [] } = expression;
  return AND.every((part) => holds(part, test)) && (OR.length === 0 || OR.some((part) => holds(part, test)));
}

const isOn = (flag: unknown): boolean => flag === true || flag === "true";
const FLIPPED: Record<string, string> = { "<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "=" };

function conditionHolds(condition: Condition, metadata: Metadata): boolean {
  const { key, filterType = "metadata", numericOperator = "=", negate, ignoreCase } = condition;
  const stored = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  if (filterType === "numeric") {
    const operator = isOn(negate) ? FLIPPED[numericOperator] : numericOperator;
    return compare(numberOf(stored), operator ?? "", Number(condition.value));
  }
  const fold = (text: unknown) => (isOn(ignoreCase) ? String(text).toLowerCase() : String(text));
  const wanted = fold(condition.value);
  const matches = (): boolean => {
    if (stored === undefined) return false;
    if (Array.isArray(stored)) return filterType === "array_contains" && stored.some((item) => fold(item) === wanted);
    return filterType === "string_contains" ? fold(stored).includes(wanted) : fold(stored) === wanted;
  };
  return matches() !== isOn(negate);
}

function numberOf(stored: Metadata[string] | undefined): number {
  if (typeof stored === "number") return stored;
  return typeof stored === "string" && stored.trim() !== "" ? Number(stored) : Number.NaN;
}

function compare(stored: number, operator: string, wanted: number): boolean {
  if (Number.isNaN(stored)) return false;
  switch (operator) {
    case "<":
      return stored < wanted;
    case "<=":
      return stored <= wanted;
    case ">":
      return stored > wanted;
    case ">=":
      return stored >= wanted;
    case "=":
      return stored === wanted;
    default:
      return stored !== wanted;
  }
}

/** A memory's own value decides; if it has none, the value of any of its documents does. */
function memoryConditionHolds(condition: Condition, { own, documents }: Remembered): boolean {
  if (Object.hasOwn(own, condition.key)) return conditionHolds(condition, own);
  return documents.some((metadata) => conditionHolds(condition, metadata));
}

// ---------------------------------------------------------------------------------------------------- what is generated

const KEYS = ["team", "sm_scope", "n", "tags", "a.b", "endUserId"] as const;
const TEXTS = [
  "red",
  "Red",
  "reddish",
  "ÄRGER",
  "ärger",
  "10",
  "9.5",
  " 7 ",
  "1e1",
  "true",
  "",
  "a%b",
  "it's",
  '"q"',
  "漢字",
];
const NUMBERS = [0, 7, 9.5, 10, -3, 1e21, 0.1];

const someText = fc.constantFrom(...TEXTS);
const someNumber = fc.constantFrom(...NUMBERS);
const metadata = fc.dictionary(
  fc.constantFrom(...KEYS),
  fc.oneof(
    { weight: 4, arbitrary: someText },
    { weight: 3, arbitrary: someNumber },
    { weight: 1, arbitrary: fc.boolean() },
    { weight: 2, arbitrary: fc.array(someText, { maxLength: 4 }) },
  ),
  { maxKeys: KEYS.length },
);

const flag = fc.constantFrom(true, false, "true" as const, "false" as const);
const operator = fc.constantFrom("<", "<=", ">", ">=", "=", "!=");
const key = fc.oneof({ weight: 12, arbitrary: fc.constantFrom<string>(...KEYS) }, fc.constant("nowhere"));
const wordCondition = fc.record(
  {
    key,
    value: fc.oneof(someText, someText, someNumber, fc.boolean(), fc.constantFrom("e", "d", "1")),
    filterType: fc.constantFrom("metadata" as const, "array_contains" as const, "string_contains" as const),
    negate: flag,
    ignoreCase: flag,
    numericOperator: operator,
  },
  { requiredKeys: ["key", "value"] },
);
const numericCondition = fc.record(
  {
    key,
    value: fc.oneof(someNumber, someNumber.map(String)),
    filterType: fc.constant("numeric" as const),
    negate: flag,
    numericOperator: operator,
  },
  { requiredKeys: ["key", "value", "filterType"] },
);
const filter = fc.letrec<{ group: Group; part: Expression }>((tie) => ({
  part: fc.oneof({ maxDepth: 4, depthSize: "small" }, wordCondition, numericCondition, tie("group")),
  group: fc.oneof(
    fc.record({ AND: fc.array(tie("part"), { maxLength: 3 }) }),
    fc.record({ OR: fc.array(tie("part"), { maxLength: 3 }) }),
    fc.record({ AND: fc.array(tie("part"), { maxLength: 2 }), OR: fc.array(tie("part"), { maxLength: 2 }) }),
  ),
})).group;

// ------------------------------------------------------------------------------------------------------- what is stored

interface Remembered {
  readonly own: Metadata;
  readonly documents: readonly Metadata[];
}

const SUBJECTS = ["apple", "bridge", "candle", "dolphin", "engine", "forest", "guitar", "harbour"];
const SEED = 20_240_506;

let rest: OpenedRest;
/** Metadata of each document, by its id. */
const documents = new Map<string, Metadata>();
/** Documents with searchable text; those of directly created memories have none. */
const withText = new Set<string>();
/** What a filter looks at for each memory, by its text. */
const memories = new Map<string, Remembered>();

/** Two words that are unique to a number, so that nothing counts as a duplicate. */
function subject(number: number): string {
  return `${SUBJECTS[number % 8] ?? ""} ${SUBJECTS[Math.floor(number / 8)] ?? ""}`;
}

beforeAll(async () => {
  rest = await openRest();
  const [ofDocuments, ofMemories] = [
    fc.sample(metadata, { numRuns: 30, seed: SEED }),
    fc.sample(metadata, { numRuns: 20, seed: SEED + 1 }),
  ];
  for (const [number, values] of ofDocuments.entries()) {
    const text = `The ${subject(number)} has a keeper`;
    const body = {
      content: `Note on the ${subject(number)}.`,
      containerTag: "filtered",
      metadata: values,
      facts: [{ text }, { text: `Fact ${number % 5} is told by many` }],
    };
    const { id } = await rest.core.addDocument(
      { actor: rest.actor },
      { ...body, containerTags: ["filtered"], wait: 20 },
    );
    documents.set(id, values);
    withText.add(id);
    const shared = `Fact ${number % 5} is told by many`;
    memories.set(text, { own: {}, documents: [values] });
    memories.set(shared, { own: {}, documents: [...(memories.get(shared)?.documents ?? []), values] });
  }
  for (const [number, values] of ofMemories.entries()) {
    const content = `Somebody painted the ${subject(number + 30)}`;
    const { body } = await rest.send("POST", "/v4/memories", {
      containerTag: "filtered",
      memories: [{ content, metadata: values }],
    });
    documents.set(body.documentId, {});
    memories.set(content, { own: values, documents: [{}] });
  }
  await rest.settle();
}, 60_000);
afterAll(() => rest.close());

async function ask(path: string, body: Record<string, unknown>) {
  const answer = await rest.send("POST", path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

interface Named {
  readonly id: string;
}
interface Found {
  readonly documentId: string;
}
interface Told {
  readonly memory: string;
}

test("filters behave as documented, and alike in lists, searches and profiles", { timeout: 60_000 }, async () => {
  const containerTag = "filtered";
  let kept = 0;
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(filter, fc.boolean(), async (group, asText) => {
      const filters = asText ? JSON.stringify(group) : group;
      const expected = [...documents.keys()].filter((id) =>
        holds(group, (condition) => conditionHolds(condition, documents.get(id) ?? {})),
      );
      const listed = await ask("/v3/documents/list", { containerTags: [containerTag], filters, limit: 1_000 });
      expect(listed.memories.map(({ id }: Named) => id).toSorted()).toEqual(expected.toSorted());
      const every = await ask("/v3/search", { q: "*", containerTag, filters, limit: 100 });
      expect(every.results.map(({ documentId }: Found) => documentId).toSorted()).toEqual(expected.toSorted());
      const searched = await ask("/v3/search", { q: "a note on something", containerTag, filters, limit: 100 });
      expect(searched.results.map(({ documentId }: Found) => documentId).toSorted()).toEqual(
        expected.filter((id) => withText.has(id)).toSorted(),
      );

      const wanted = [...memories]
        .filter(([, memory]) => holds(group, (condition) => memoryConditionHolds(condition, memory)))
        .map(([text]) => text);
      const found = await ask("/v4/search", {
        q: "who told of the keeper and painted it",
        containerTag,
        filters,
        threshold: 0,
        limit: 100,
        searchMode: "memories",
      });
      expect(found.results.map(({ memory }: Told) => memory).toSorted()).toEqual(wanted.toSorted());
      const remembered = await ask("/v4/memories/list", { containerTags: [containerTag], filters, limit: 1_000 });
      expect(remembered.memoryEntries.map(({ memory }: Told) => memory).toSorted()).toEqual(wanted.toSorted());
      const profile = await ask("/v4/profile", { containerTag, filters, include: ["static", "dynamic"] });
      const marked = [...profile.profile.static, ...profile.profile.dynamic] as string[];
      const shown = marked.map((text) => text.replace(/^\[Recent\] \[\d{4}-\d\d-\d\d\] /, ""));
      expect(shown.every((text) => wanted.includes(text))).toBe(true);
      expect(shown).toHaveLength(Math.min(50, wanted.length));
      runs += 1;
      kept += (expected.length + wanted.length) / (documents.size + memories.size);
    }),
    { numRuns: 300, seed: SEED },
  );
  // Filters that match nothing or everything would prove nothing.
  expect(kept / runs).toBeGreaterThan(0.1);
  expect(kept / runs).toBeLessThan(0.9);
});
