import { afterEach, beforeEach } from "vitest";
import type { ContainerRow, Store } from "../../../src/core/ports.js";
import { type Document, type Memory, type MemoryDraft, unitOf } from "../../../src/core/types.js";
import { buildChunkDrafts, buildDocumentDraft, buildMemoryDraft, FIRST_VERSION } from "../../support/builders.js";
import { ManualClock } from "../../support/clock.js";

export interface OpenedStore {
  readonly store: Store;
  /** The contents of every table and index, as one text in which to look for traces. */
  everything(): Promise<string>;
  close(): Promise<void>;
}

/** Opens a new, empty store for one test. */
export type OpenStore = (clock: ManualClock) => Promise<OpenedStore>;

/** The store of the running test, with helpers that most tests need. */
export interface StoreFixture {
  store: Store;
  clock: ManualClock;
  /** The store's organisation. */
  organization: string;
  everything(): Promise<string>;
  container(tag: string): Promise<ContainerRow>;
  addDocument(values?: Parameters<typeof buildDocumentDraft>[0]): Promise<Document>;
  addMemory(values?: Partial<MemoryDraft>): Promise<Memory>;
  /** A memory in the text index, as the core writes it. @returns it with its unit and its container's id */
  addIndexedMemory(values?: Partial<MemoryDraft>): Promise<{ memory: Memory; unit: number; containerId: number }>;
  /** A document with its chunks in the text index of all its containers. */
  addIndexedDocument(
    values: Parameters<typeof buildDocumentDraft>[0],
    ...texts: readonly string[]
  ): Promise<{ document: Document; units: number[]; containerIds: number[] }>;
}

/** A fresh store for every test of the surrounding `describe`. */
export function useStore(open: OpenStore): StoreFixture {
  let opened: OpenedStore;
  const fixture = {} as StoreFixture;

  beforeEach(async () => {
    const clock = new ManualClock();
    opened = await open(clock);
    const { store } = opened;
    const organization = store.organizationId;
    Object.assign(fixture, { store, clock, organization, everything: () => opened.everything() });
  });
  afterEach(() => opened.close());

  fixture.container = async (tag) => {
    const [row] = await fixture.store.containers.ensure(fixture.organization, [tag]);
    if (!row) throw new Error(`There is no container ${tag}`);
    return row;
  };
  fixture.addDocument = (values) => fixture.store.documents.insert(fixture.organization, buildDocumentDraft(values));
  fixture.addMemory = async (values) => {
    const draft = buildMemoryDraft(values);
    await fixture.container(draft.containerTag);
    return fixture.store.memories.insert(fixture.organization, draft, FIRST_VERSION);
  };
  fixture.addIndexedMemory = async (values) => {
    const memory = await fixture.addMemory(values);
    const { id: containerId } = await fixture.container(memory.containerTag);
    const unit = unitOf("memory", memory.seq);
    await fixture.store.units.indexText({ unit, containerIds: [containerId], text: memory.text, context: "" });
    return { memory, unit, containerId };
  };
  fixture.addIndexedDocument = async (values, ...texts) => {
    const { store, organization } = fixture;
    const document = await fixture.addDocument(values);
    const drafts = buildChunkDrafts(...(texts.length > 0 ? texts : [document.content]));
    const chunks = await store.chunks.replace(organization, document.id, document.revision, drafts);
    const rows = await store.containers.ofDocument(organization, document.id);
    const containerIds = rows.map((row) => row.id);
    const units: number[] = [];
    for (const chunk of chunks) {
      const unit = unitOf("chunk", chunk.seq);
      units.push(unit);
      await store.units.indexText({ unit, containerIds, text: chunk.content, context: chunk.context });
    }
    return { document, units, containerIds };
  };
  return fixture;
}

/** An organisation that the store does not have. */
export const OTHER_ORGANIZATION = "someone-else";

/** For comparing without regard to order. */
export function rising(left: string | number | null, right: string | number | null): number {
  return (left ?? "") < (right ?? "") ? -1 : 1;
}
