import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPostgresStore } from "../../src/adapters/store/postgres/store.js";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { parseFilters } from "../../src/core/search/filters.js";
import type { Clock, Store, UnitScope } from "../../src/core/ports.js";
import { type FilterCondition, type FilterExpression, type Metadata, unitOf } from "../../src/core/types.js";
import { createId } from "../../src/lib/ids.js";
import {
  buildChunkDrafts,
  buildCondition,
  buildDocumentDraft,
  buildDocumentQuery,
  buildMemoryDraft,
  FIRST_VERSION,
  only,
} from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { describeOnPostgres } from "../support/describe-on-postgres.js";
import { seededRandom } from "../support/vectors.js";

/** Time to create and start a server. */
const STARTS_WITHIN_MS = 60_000;

type Values = Readonly<Record<string, unknown>> | null;

/** The meaning of the filter language in plain JavaScript: contract 1.13. */
function holds(expression: FilterExpression, metadata: Values): boolean {
  if ("all" in expression) return expression.all.every((part) => holds(part, metadata));
  if ("any" in expression) return expression.any.length === 0 || expression.any.some((part) => holds(part, metadata));
  return conditionHolds(expression, metadata);
}

function conditionHolds(condition: FilterCondition, metadata: Values): boolean {
  const stored = metadata && Object.hasOwn(metadata, condition.key) ? metadata[condition.key] : undefined;
  if (condition.type === "numeric") return numericHolds(condition, stored);
  return matches(condition, stored) !== condition.negate;
}

function matches({ type, value, ignoreCase }: FilterCondition, stored: unknown): boolean {
  const fold = (text: unknown): string => (ignoreCase ? String(text).toLowerCase() : String(text));
  if (stored === undefined) return false;
  if (Array.isArray(stored)) return type === "array_contains" && stored.some((item) => fold(item) === fold(value));
  return type === "string_contains" ? fold(stored).includes(fold(value)) : fold(stored) === fold(value);
}

function numericHolds({ value, operator, negate }: FilterCondition, stored: unknown): boolean {
  const number = numberOf(stored);
  if (number === undefined) return false;
  const wanted = Number(value);
  const result = {
    "<": number < wanted,
    "<=": number <= wanted,
    ">": number > wanted,
    ">=": number >= wanted,
    "=": number === wanted,
    "!=": number !== wanted,
  }[operator];
  return result !== negate;
}

function numberOf(stored: unknown): number | undefined {
  if (typeof stored === "number") return stored;
  if (typeof stored !== "string" || stored.trim() === "") return undefined;
  return Number.isFinite(Number(stored)) ? Number(stored) : undefined;
}

/** A memory's own value decides; without one, that of any of its documents; otherwise there is none. */
function memoryHolds(expression: FilterExpression, own: Values, documents: readonly Values[]): boolean {
  if ("all" in expression) return expression.all.every((part) => memoryHolds(part, own, documents));
  if ("any" in expression)
    return expression.any.length === 0 || expression.any.some((part) => memoryHolds(part, own, documents));
  if (own && Object.hasOwn(own, expression.key)) return conditionHolds(expression, own);
  return documents.length === 0
    ? conditionHolds(expression, null)
    : documents.some((metadata) => conditionHolds(expression, metadata));
}

const KEYS = ["team", "n", "tags", "a.b", "a-b", "_x", "toString", "1"] as const;
const TEXTS = [
  "red",
  "Red",
  "RED",
  "reddish",
  "",
  " ",
  "10",
  "9",
  "1e1",
  " 10 ",
  "1e-400",
  "0b1010",
  "0x1p3",
  "true",
  "null",
  "ÄRGER",
  "ärger",
  "straße",
  "STRASSE",
  "Ωmega",
  "ωMEGA",
  "İ",
  "漢字",
  "🐝",
  "100%",
  "a_b",
  "a*b",
  "it's",
  'say "hi"',
  "back\\slash",
  "'; drop table documents; --",
  "') or 1=1 --",
  "line\nbreak",
  "%",
] as const;
const NUMBERS = [0, -0, 1, 9, 10, 10.5, -3, 1e21, 1e-7, 0.1, 1e17, 2 ** 53, -(2 ** 63), 1e300, 5e-324] as const;

class Maker {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  one<T>(list: readonly T[]): T {
    const found = list[Math.floor(this.#random() * list.length)];
    if (found === undefined) throw new Error("Nothing to choose from");
    return found;
  }

  metadata(): Metadata | null {
    if (this.chance(0.1)) return null;
    const entries = KEYS.filter(() => this.chance(0.5)).map((key) => [key, this.#value()] as const);
    return Object.fromEntries(entries);
  }

  #value(): Metadata[string] {
    const kind = this.#random();
    if (kind < 0.45) return this.one(TEXTS);
    if (kind < 0.75) return this.one(NUMBERS);
    if (kind < 0.85) return this.chance(0.5);
    return TEXTS.filter(() => this.chance(0.1));
  }

  condition(): FilterCondition {
    const type = this.one(["metadata", "numeric", "array_contains", "string_contains"] as const);
    const numbers = NUMBERS.map((number) => String(number));
    const value =
      type === "numeric" ? this.one([...numbers, "10.50", "0x10"]) : this.one([...TEXTS, ...numbers, "false"]);
    return buildCondition(this.chance(0.05) ? "nowhere" : this.one(KEYS), value, {
      type,
      operator: type === "numeric" ? this.one(["<", "<=", ">", ">=", "=", "!="] as const) : "=",
      negate: this.chance(0.35),
      ignoreCase: this.chance(0.4),
    });
  }

  filter(depth = 3): FilterExpression {
    const width = this.one([0, 1, 1, 2, 2, 3]);
    const parts = Array.from({ length: width }, () =>
      depth > 0 && this.chance(0.3) ? this.filter(depth - 1) : this.condition(),
    );
    return this.chance(0.5) ? { all: parts } : { any: parts };
  }

  /** Some twenty conditions, which some metadata satisfies and some does not. */
  longFilter(): FilterExpression {
    const all = (): FilterExpression => ({ all: [this.condition(), this.condition(), this.condition()] });
    return { any: Array.from({ length: 7 }, all) };
  }
}

/** The filter as a client would send it. */
function asSent(expression: FilterExpression): unknown {
  if ("all" in expression) return { AND: expression.all.map(asSent) };
  if ("any" in expression) return { OR: expression.any.map(asSent) };
  const { key, value, type, operator, negate, ignoreCase } = expression;
  return { key, value, filterType: type, numericOperator: operator, negate: String(negate), ignoreCase };
}

type OpenStore = (options: { readonly dataDirectory: string; readonly clock: Clock }) => Promise<Store>;

function describeFilters(open: OpenStore): void {
  let dataDirectory: string;
  let store: Store;
  let organization: string;
  let scope: UnitScope;
  const maker = new Maker(20_240_506);
  /** Everything in the store by unit, with the values that filters use. */
  const chunks = new Map<number, Values>();
  const memories = new Map<number, { own: Values; documents: Values[] }>();

  beforeAll(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), "recollect-filters-"));
    store = await open({ dataDirectory, clock: new ManualClock() });
    organization = store.organizationId;
    await store.transaction(async (repositories) => {
      const [row] = await repositories.containers.ensure(organization, ["a"]);
      scope = { containerIds: [row?.id ?? 0], kinds: ["chunk", "memory"], includeForgotten: false };
      const documents: { id: string; metadata: Values }[] = [];
      for (let index = 0; index < 2_000; index++) {
        const draft = buildDocumentDraft({ metadata: maker.metadata() });
        await repositories.documents.insert(organization, draft);
        const [chunk] = await repositories.chunks.replace(organization, draft.id, 1, buildChunkDrafts("text"));
        chunks.set(unitOf("chunk", chunk?.seq ?? 0), draft.metadata);
        documents.push({ id: draft.id, metadata: draft.metadata });
      }
      for (let index = 0; index < 800; index++) {
        const draft = buildMemoryDraft({ metadata: maker.chance(0.5) ? maker.metadata() : null });
        const memory = await repositories.memories.insert(organization, draft, FIRST_VERSION);
        const sources = Array.from({ length: maker.one([0, 1, 1, 2]) }, () => maker.one(documents));
        for (const source of sources) await repositories.memories.addSource(organization, memory.id, source.id, null);
        const linked = sources.map((source) => source.metadata);
        memories.set(unitOf("memory", memory.seq), { own: draft.metadata, documents: linked });
      }
    });
  }, STARTS_WITHIN_MS);
  afterAll(async () => {
    await store.close();
    await rm(dataDirectory, { recursive: true, force: true });
  });

  const found = async (filters: FilterExpression): Promise<Set<number>> =>
    new Set(await store.units.matching(organization, scope, { filters }));
  const meant = (filters: FilterExpression): number[] => [
    ...[...chunks].filter(([, metadata]) => holds(filters, metadata)).map(([unit]) => unit),
    ...[...memories].filter(([, { own, documents }]) => memoryHolds(filters, own, documents)).map(([unit]) => unit),
  ];
  /** Compares the store with the reference, unit by unit. @returns the number of matching units */
  const check = async (filters: FilterExpression, label: unknown = filters): Promise<number> => {
    const units = await found(filters);
    const expected = meant(filters);
    const missing = expected.filter((unit) => !units.has(unit));
    expect({ missing, kept: units.size }, JSON.stringify(label)).toEqual({ missing: [], kept: expected.length });
    return units.size;
  };

  test("match a reference evaluation for random conditions over random documents and memories", async () => {
    let kept = 0;
    for (let round = 0; round < 150; round++) {
      const filters = only(maker.condition());
      kept += await check(filters);
    }
    // Filters that match nothing or everything would prove nothing.
    const share = kept / 150 / (chunks.size + memories.size);
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.6);
  });

  test("match a reference evaluation when nested", async () => {
    for (let round = 0; round < 80; round++) {
      const filters = maker.filter();
      await check(filters);
    }
  });

  test("mean the same in the form that clients send, as an object or as JSON text", async () => {
    for (let round = 0; round < 25; round++) {
      const filters = maker.filter();
      const sent = asSent(filters);
      for (const form of [sent, JSON.stringify(sent)]) {
        const parsed = parseFilters(form);
        if (!parsed) throw new Error("The filter was lost");
        expect(parsed).toEqual(filters);
        await check(parsed, sent);
      }
    }
  });

  test("match a reference evaluation with dozens of conditions", async () => {
    for (let round = 0; round < 10; round++) {
      const filters = maker.longFilter();
      await check(filters, asSent(filters));
    }
  });

  test("mean the same in the list of documents and for the active memories", async () => {
    for (let round = 0; round < 30; round++) {
      const filters = round < 25 ? maker.filter() : maker.longFilter();
      const { total } = await store.documents.list(organization, buildDocumentQuery({ filters, limit: 1 }));
      expect(total, JSON.stringify(filters)).toBe(
        [...chunks.values()].filter((values) => holds(filters, values)).length,
      );
      const active = await store.memories.active(organization, "a", { filters, limit: 10_000 });
      const kept = [...memories.values()].filter(({ own, documents }) => memoryHolds(filters, own, documents));
      expect(active.length, JSON.stringify(filters)).toBe(kept.length);
    }
  });

  test("handle two hundred conditions, eight levels deep", async () => {
    const conditions = Array.from({ length: 200 }, () => maker.condition());
    for (const filters of [{ all: conditions }, { any: conditions }]) {
      let nested: FilterExpression = filters;
      for (let level = 1; level < 8; level++) nested = { all: [nested] };
      await check(nested, "nested");
    }
  });

  test("never read a value as SQL or as a pattern", async () => {
    const before = chunks.size + memories.size;
    for (const value of ["' or '1'='1", "%", "_", "*", "?", "$.team", "\\", '"', "'", "json('1')", "x".repeat(9_999)])
      for (const type of ["metadata", "array_contains", "string_contains"] as const) {
        const filters = only(buildCondition("team", value, { type }));
        await check(filters, value);
      }
    expect((await found({ all: [] })).size).toBe(before);
  });

  test.each(["a'b", 'a"b', "a b", "a$", "a[0]", "a]", "ü", "", "x".repeat(65), "--", "a;b"])(
    "refuse an ambiguous key, or take it literally: %s",
    async (key) => {
      if (key === "--") expect((await found(only(buildCondition(key, "x")))).size).toBe(0);
      else expect(() => parseFilters({ AND: [{ key, value: "x" }] })).toThrow(/filters\.AND\.0\.key/);
    },
  );

  test("a memory does not match by metadata of other containers", async () => {
    const word = createId();
    const elsewhere = await store.documents.insert(
      organization,
      buildDocumentDraft({ containerTags: ["b"], metadata: { word } }),
    );
    const filters = only(buildCondition("word", word));
    expect((await found(filters)).size).toBe(0);
    const [row] = await store.containers.find(organization, ["b"]);
    await store.chunks.replace(organization, elsewhere.id, 1, buildChunkDrafts("text"));
    const there = { ...scope, containerIds: [row?.id ?? 0] };
    expect(await store.units.matching(organization, there, { filters })).toHaveLength(1);
  });
}

describe("metadata filters in SQL: SQLite", () => {
  describeFilters((options) => createSqliteStore({ ...options, maxMegabytes: 0 }));
});

describeOnPostgres("metadata filters in SQL: PostgreSQL", (server) =>
  describeFilters(async (options) => createPostgresStore({ ...options, url: await server.createDatabase() })),
);
