import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Core } from "../../src/core/index.js";
import { chunkDocument } from "../../src/ingest/chunk.js";
import { type OpenedCore, openCore } from "../support/open-core.js";

const CUSTOM_IDS = ["one", "two"] as const;
const CONTAINERS = ["a", "b"] as const;
/** Where a document is: a customId occurs at most once in each container. */
type Place = `${(typeof CONTAINERS)[number]}/${(typeof CUSTOM_IDS)[number]}`;
const PLACES: readonly Place[] = CONTAINERS.flatMap((tag) => CUSTOM_IDS.map((customId): Place => `${tag}/${customId}`));

function readPlace(place: Place): { containerTag: string; customId: string } {
  const [containerTag = "", customId = ""] = place.split("/");
  return { containerTag, customId };
}

function elsewhere(place: Place): Place {
  const { containerTag, customId } = readPlace(place);
  const other = PLACES.find((one) => one !== place && readPlace(one).customId === customId);
  if (!other) throw new Error(`There is no other container than ${containerTag}`);
  return other;
}

/** The expected state of one document, according to the contract. */
interface Expected {
  readonly id: string;
  readonly content: string;
  readonly metadata: Readonly<Record<string, number>> | null;
  readonly filepath: string | null;
  /** The people mentioned in submissions since the document was created or its text replaced. */
  readonly people: ReadonlySet<string>;
}

function peopleIn(text: string): string[] {
  return text.match(/Person\d+/g) ?? [];
}

type Text = "same" | "goes on" | "other" | "goes back";
type Step =
  | {
      readonly kind: "add";
      readonly at: Place;
      readonly text: Text;
      readonly sentences: number;
      readonly value?: number;
    }
  | { readonly kind: "patch text"; readonly at: Place; readonly text: Text; readonly sentences: number }
  | { readonly kind: "patch metadata"; readonly at: Place; readonly value: number }
  | { readonly kind: "patch path"; readonly at: Place; readonly path: string }
  | { readonly kind: "move"; readonly at: Place }
  | { readonly kind: "delete"; readonly at: Place }
  | { readonly kind: "settle" }
  | { readonly kind: "restart" };

const at = fc.constantFrom<Place[]>("a/one", "a/one", "a/one", ...PLACES);
const text = fc.constantFrom<Text>("same", "goes on", "goes on", "other", "goes back");
const sentences = fc.integer({ min: 1, max: 30 });
const value = fc.integer({ min: 0, max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      { kind: fc.constant("add" as const), at, text, sentences, value },
      { requiredKeys: ["kind", "at", "text", "sentences"] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("patch text" as const), at, text, sentences }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("patch metadata" as const), at, value }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("patch path" as const), at, path: fc.constantFrom("/a.txt", "/b/c.txt") }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("move" as const), at }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("settle" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
);

/** A history of two documents, with the model of it. */
class History {
  readonly expected = new Map<Place, Expected>();
  /** Every text that a document ever had, to search for the old ones. */
  private readonly texts = new Map<Place, string[]>();
  private words = 0;
  private opened: OpenedCore;

  private constructor(opened: OpenedCore) {
    this.opened = opened;
  }

  static async open(dataDirectory: string): Promise<History> {
    return new History(await openCore({ dataDirectory }));
  }

  private get core(): Core {
    return this.opened.core;
  }

  private get call() {
    return { actor: this.opened.actor };
  }

  async take(step: Step): Promise<void> {
    if (step.kind === "settle") return this.opened.settle();
    if (step.kind === "restart") return this.restart();
    const known = this.expected.get(step.at) ?? null;
    switch (step.kind) {
      case "add":
        return this.add(step.at, known, this.nextText(step.at, known, step), step.value);
      case "patch text": {
        const content = this.nextText(step.at, known, step);
        const isOther = content !== known?.content;
        return this.patch(
          step.at,
          known,
          { content },
          { content, ...(isOther && { people: new Set(peopleIn(content)) }) },
        );
      }
      case "patch metadata": {
        const metadata = { value: step.value, patched: 1 };
        return this.patch(step.at, known, { metadata }, { metadata: { ...known?.metadata, ...metadata } });
      }
      case "patch path":
        return this.patch(step.at, known, { filepath: step.path }, { filepath: step.path });
      case "move":
        return this.move(step.at, known);
      case "delete":
        return this.delete(step.at, known);
    }
  }

  private async restart(): Promise<void> {
    await this.opened.close();
    this.opened = await openCore({ dataDirectory: this.opened.dataDirectory });
  }

  private async add(place: Place, known: Expected | null, content: string, value?: number): Promise<void> {
    const metadata = value === undefined ? undefined : { value };
    const { customId, containerTag } = readPlace(place);
    const input = { content, customId, metadata, containerTags: [containerTag] };
    const receipt = await this.core.addDocument(this.call, input);
    if (known) expect(receipt.id).toBe(known.id);
    this.expected.set(place, {
      id: receipt.id,
      content,
      metadata: metadata ? { ...known?.metadata, ...metadata } : (known?.metadata ?? null),
      filepath: known?.filepath ?? null,
      people: new Set([...(known?.people ?? []), ...peopleIn(content)]),
    });
  }

  /** By customId if only one document has it, otherwise by id; null if there is nothing to address. */
  private nameOf(place: Place, known: Expected | null): string | null {
    if (!this.expected.has(elsewhere(place))) return readPlace(place).customId;
    return known?.id ?? null;
  }

  private async patch(
    place: Place,
    known: Expected | null,
    input: Record<string, unknown>,
    change: Partial<Expected>,
  ): Promise<void> {
    const name = this.nameOf(place, known);
    if (name === null) return;
    const patched = this.core.updateDocument(this.call, { id: name, ...input });
    if (!known) {
      await expect(patched).rejects.toMatchObject({ kind: "not_found" });
      return;
    }
    expect((await patched).id).toBe(known.id);
    this.expected.set(place, { ...known, ...change });
  }

  private async move(place: Place, known: Expected | null): Promise<void> {
    if (!known) return;
    const target = elsewhere(place);
    const containerTags = [readPlace(target).containerTag];
    const moved = this.core.updateDocument(this.call, { id: known.id, containerTags });
    if (this.expected.has(target)) {
      await expect(moved).rejects.toMatchObject({ kind: "conflict" });
      return;
    }
    await moved;
    this.expected.delete(place);
    this.expected.set(target, known);
  }

  private async delete(place: Place, known: Expected | null): Promise<void> {
    const name = this.nameOf(place, known);
    if (name === null) return;
    const deleted = this.core.deleteDocument(this.call, { id: name });
    if (!known) {
      await expect(deleted).rejects.toMatchObject({ kind: "not_found" });
      return;
    }
    await deleted;
    this.expected.delete(place);
  }

  private nextText(of: Place, known: Expected | null, { text, sentences }: { text: Text; sentences: number }): string {
    const earlier = this.texts.get(of) ?? [];
    const content = this.textAfter(known, earlier, text, sentences);
    this.texts.set(of, [...earlier, content]);
    return content;
  }

  private textAfter(known: Expected | null, earlier: readonly string[], text: Text, sentences: number): string {
    if (text === "goes back" && earlier[0] !== undefined) return earlier[0];
    if (known && text === "same") return known.content;
    const fresh = Array.from({ length: sentences }, () => `Person${++this.words} keeps bees in town${this.words}.`);
    // Continues within the line, on a new line or in a new paragraph.
    const joint = ["\n", " ", "\n\n"][this.words % 3] ?? "";
    return known && text === "goes on" ? `${known.content}${joint}${fresh.join(" ")}` : fresh.join(" ");
  }

  /** Must hold in every state, whatever work is pending. */
  async checkReadable(): Promise<void> {
    for (const customId of CUSTOM_IDS) {
      const got = this.core.getDocument(this.call, { id: customId });
      const places = [...this.expected.keys()].filter((place) => readPlace(place).customId === customId);
      if (places.length > 1) await expect(got).rejects.toMatchObject({ kind: "conflict" });
      else if (places.length === 1) await expect(got).resolves.toMatchObject({ document: { customId } });
      else await expect(got).rejects.toMatchObject({ kind: "not_found" });
    }
    for (const [place, known] of this.expected) {
      const { document } = await this.core.getDocument(this.call, { id: known.id });
      const { id, content, metadata, filepath } = document;
      expect({ id, content, metadata, filepath, people: known.people }).toEqual(known);
      expect(document).toMatchObject({
        customId: readPlace(place).customId,
        containerTags: [readPlace(place).containerTag],
      });
    }
    expect((await this.core.listDocuments(this.call, {})).total).toBe(this.expected.size);
  }

  /** Must hold when no work is pending. */
  async checkSettled(): Promise<void> {
    await this.opened.settle();
    await this.checkReadable();
    const current = new Map<string, string[]>(CONTAINERS.map((tag) => [tag, []]));
    for (const [place, { id, content, people }] of this.expected) {
      const { containerTag } = readPlace(place);
      const { document, memories } = await this.core.getDocument(this.call, { id });
      expect(document).toMatchObject({ status: "done", dreamingStatus: "done", errorReason: null });
      const { chunks } = await this.core.getChunks(this.call, { id });
      const pieces = await chunkDocument({ ...document, date: document.documentDate });
      expect(chunks.map((chunk) => chunk.content)).toEqual(pieces.map((piece) => piece.content));
      expect(chunks.every((chunk) => chunk.revision === document.revision)).toBe(true);
      current.get(containerTag)?.push(...chunks.map((chunk) => chunk.content));
      const remembered = memories.filter((memory) => memory.isLatest && !memory.isForgotten);
      expect(remembered.map(({ text }) => peopleIn(text)[0] ?? text).toSorted()).toEqual([...people].toSorted());
      expect(remembered.every((memory) => memory.containerTag === containerTag)).toBe(true);
      const last = peopleIn(content).at(-1) ?? "";
      expect((await this.search(last, containerTag)).some((found) => found.includes(`${last} `))).toBe(true);
    }
    for (const text of [...this.texts.values()].flat())
      for (const tag of CONTAINERS)
        for (const found of await this.search(peopleIn(text)[0] ?? "", tag)) expect(current.get(tag)).toContain(found);
  }

  private async search(q: string, tag: string): Promise<string[]> {
    const query = { q, containerTags: [tag], searchMode: "documents", threshold: 0 };
    const { results, waiting } = await this.core.search(this.call, query);
    expect(waiting).toBe(0);
    return results.map((result) => result.text);
  }

  close(): Promise<void> {
    return this.opened.close();
  }
}

async function live(steps: readonly Step[]): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-history-"));
  const history = await History.open(dataDirectory);
  try {
    for (const step of steps) {
      await history.take(step);
      await history.checkReadable();
    }
    await history.checkSettled();
  } finally {
    await history.close();
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

test("any sequence of adding, changing, moving, deleting and restarting ends as the contract says", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12, size: "max" }), live), {
    numRuns: 40,
  });
}, 120_000);
