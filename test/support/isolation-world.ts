import { subjectOf, type Subject } from "./access-world.js";
import { openDigests } from "./container-digest.js";
import { FOREIGN, type IsolationKey, type Kind, MERGED, OWN, type Secret, type Thing } from "./isolation-model.js";
import type { ManualCore } from "./manual-core.js";
import { serveCore } from "./served-core.js";

/** The service over a real socket, with things in every state next to those of the caller. */
export interface IsolationWorld {
  readonly url: string;
  readonly opened: ManualCore;
  readonly keys: readonly IsolationKey[];
  /** A caller who may use the foreign container, to check that its things exist. */
  readonly bystander: IsolationKey;
  readonly things: readonly Thing[];
  readonly secrets: readonly Secret[];
  /** Secrets that appear in texts. */
  readonly words: readonly Secret[];
  /** Targets for requests that are not about the things of others; the same on every call. */
  readonly own: Subject;
  /** The same, created anew each time: requests that name nothing of others must do their work. */
  readonly fresh: Subject;
  /** The contents of a container, as text. */
  digest(tag: string): string;
  close(): Promise<void>;
}

export async function openIsolationWorld(): Promise<IsolationWorld> {
  const served = await serveCore();
  const { url, opened } = served;
  const seeding = new Seeding(opened);
  await seeding.run();
  const { keys, bystander } = await makeKeys(opened);
  const own = await lasting(opened, OWN);
  await opened.settle();
  const digests = await openDigests(opened);
  return {
    url,
    opened,
    keys,
    bystander,
    things: seeding.things,
    words: seeding.secrets,
    secrets: [
      ...seeding.secrets,
      ...seeding.things.map(({ id, liesIn, wasIn }) => ({ word: id, liesIn, wasIn })),
      ...[FOREIGN, OWN, MERGED].map((tag) => ({ word: tag, liesIn: [tag], wasIn: [] })),
    ],
    own,
    fresh: subjectOf(opened, OWN),
    digest: (tag) => digests.of(tag),
    async close() {
      digests.close();
      await served.close();
    },
  };
}

/** The callers, by what they may use. */
const GRANTED = {
  "a scoped key for one container": { kind: "scoped", tags: [OWN], permission: "write" },
  "a scoped key for two, one of which was merged away": { kind: "scoped", tags: [OWN, MERGED], permission: "write" },
  "an agent of two, one of which was merged away": { kind: "agent", tags: [OWN, MERGED], permission: "write" },
  "an agent that reads one": { kind: "agent", tags: [OWN], permission: "read" },
} as const;
const NOBODY = "nobody";
export const CALLERS: readonly string[] = [...Object.keys(GRANTED), NOBODY];

async function makeKeys({ core, call }: ManualCore): Promise<{ keys: IsolationKey[]; bystander: IsolationKey }> {
  const make = async (
    name: string,
    kind: string,
    tags: readonly string[],
    permission: string,
  ): Promise<IsolationKey> => {
    const grants = tags.map((containerTag) => ({ containerTag, permission }));
    const { secret } = await core.createKey(call(), { kind, grants });
    const headers = { authorization: `Bearer ${secret}` };
    return { name, headers, sees: tags, writes: permission === "write" ? tags : [] };
  };
  const keys: IsolationKey[] = [];
  for (const [name, { kind, tags, permission }] of Object.entries(GRANTED))
    keys.push(await make(name, kind, tags, permission));
  return {
    keys: [...keys, { name: NOBODY, headers: {}, sees: [], writes: [] }],
    bystander: await make("an agent of the others", "agent", [FOREIGN], "write"),
  };
}

/** The same things on every call. */
async function lasting(opened: ManualCore, tag: string): Promise<Subject> {
  const source = subjectOf(opened, tag);
  const known: [string, unknown][] = [];
  for (const [name, make] of Object.entries(source)) {
    const value: unknown = typeof make === "function" ? await (make as () => Promise<string>)() : make;
    known.push([name, typeof make === "function" ? () => Promise.resolve(value) : value]);
  }
  return Object.fromEntries(known) as unknown as Subject;
}

/** A document, and how it is registered with the model. */
interface Planting {
  readonly state: string;
  readonly tags: readonly string[];
  /** Containers that may see its metadata, if not the same as for its texts. */
  readonly metadataIn?: readonly string[];
}

/** Creates the things, and registers where each one is and was. */
class Seeding {
  readonly things: Thing[] = [];
  readonly secrets: Secret[] = [];
  #number = 0;

  private readonly opened: ManualCore;

  constructor(opened: ManualCore) {
    this.opened = opened;
  }

  async run(): Promise<void> {
    await this.rest();
    await this.move();
    await this.merge();
    await this.forget();
    await this.addAgain();
    await this.replace();
    await this.remove();
    await this.share();
    await this.others();
    await this.opened.settle();
  }

  private async rest(): Promise<void> {
    const planted = await this.plant({ state: "resting", tags: [FOREIGN] });
    await this.revise(planted.memory, FOREIGN, this.word([FOREIGN]));
    await this.note("resting", planted, { liesIn: [FOREIGN], wasIn: [] });
  }

  /** A document that began at home, was changed there, moved, and was changed again. */
  private async move(): Promise<void> {
    const { core } = this.opened;
    const planted = await this.plant({ state: "moved", tags: [OWN] });
    const second = await this.revise(planted.memory, OWN, this.word([FOREIGN], [OWN]));
    await this.relate(second);
    await core.pendingExtractions(this.opened.call(), { containerTag: OWN, limit: 1 });
    await core.updateDocument(this.opened.call(), { id: planted.id, containerTags: [FOREIGN] });
    await this.opened.settle();
    await this.revise(second, FOREIGN, this.word([FOREIGN]));
    await core.updateDocument(this.opened.call(), { id: planted.id, title: this.word([FOREIGN]) });
    await this.note("moved", planted, { liesIn: [FOREIGN], wasIn: [OWN] });
  }

  /** A thing that stays at home and is related to it. */
  private async relate(memory: string): Promise<void> {
    const { store } = this.opened;
    const { organizationId } = store;
    for (const relation of ["extends", "derives"] as const) {
      const stays = await this.plant({ state: `beside a ${relation}`, tags: [OWN] }, [OWN]);
      await store.memories.relate(organizationId, stays.memory, memory, relation);
      await store.memories.relate(
        organizationId,
        memory,
        (await this.plant({ state: "x", tags: [OWN] }, [OWN])).memory,
        relation,
      );
    }
  }

  private async merge(): Promise<void> {
    const { core } = this.opened;
    const planted = await this.plant({ state: "merged", tags: [MERGED] });
    const tags = [MERGED, FOREIGN];
    const { id } = await core.mergeContainers(this.opened.call(), { containerTags: tags, targetContainerTag: FOREIGN });
    await this.opened.settle();
    await this.revise(planted.memory, FOREIGN, this.word([FOREIGN]));
    await this.note("merged", planted, { liesIn: [FOREIGN], wasIn: [MERGED] });
    this.add("merge", "done", id, { liesIn: [], wasIn: [] });
  }

  private async forget(): Promise<void> {
    const planted = await this.moved("forgotten");
    const { batchId } = await this.opened.core.forget(this.opened.call(), {
      ids: [planted.memory],
      reason: this.word([FOREIGN]),
    });
    await this.note("forgotten", planted, { liesIn: [FOREIGN], wasIn: [OWN] });
    this.add("batch", "forgotten", batchId ?? "", { liesIn: [FOREIGN], wasIn: [] });
  }

  /** A document in both, then added again elsewhere with its customId: what was remembered at home stays there. */
  private async addAgain(): Promise<void> {
    const { core } = this.opened;
    const planted = await this.plant({ state: "re-added", tags: [OWN], metadataIn: [FOREIGN] }, [OWN, FOREIGN]);
    await core.updateDocument(this.opened.call(), { id: planted.id, containerTags: [OWN, FOREIGN] });
    await core.updateDocument(this.opened.call(), { id: planted.id, containerTags: [FOREIGN] });
    await core.addDocument(this.opened.call(), {
      content: `Added again: ${this.word([FOREIGN])}.`,
      title: this.word([FOREIGN]),
      customId: planted.customId,
      containerTags: [FOREIGN],
      facts: [{ text: `The lamp of the second ${this.word([FOREIGN])} is lit.` }],
      dreaming: "instant",
    });
    await this.opened.settle();
    await this.note("re-added", planted, { liesIn: [FOREIGN], wasIn: [OWN] });
  }

  private async replace(): Promise<void> {
    const planted = await this.moved("replaced");
    await this.opened.core.updateDocument(this.opened.call(), {
      id: planted.id,
      content: `Now it says ${this.word([FOREIGN])}. Nothing else is known of it.`,
    });
    await this.opened.settle();
    await this.note("replaced", planted, { liesIn: [FOREIGN], wasIn: [OWN] });
  }

  private async remove(): Promise<void> {
    const planted = await this.moved("deleted");
    await this.note("deleted", planted, { liesIn: [FOREIGN], wasIn: [OWN] });
    await this.opened.core.deleteDocument(this.opened.call(), { id: planted.id });
  }

  /** A document of both; each container has its own memory of what it states. */
  private async share(): Promise<void> {
    const { store } = this.opened;
    const planted = await this.plant({ state: "shared", tags: [FOREIGN, OWN] }, [OWN, FOREIGN]);
    const stated = await store.memories.ofDocument(store.organizationId, planted.id);
    const theirs = stated.find(({ containerTag }) => containerTag === FOREIGN)?.id ?? "";
    this.add("document", "shared", planted.id, { liesIn: [OWN, FOREIGN], wasIn: [] });
    this.add("customId", "shared", planted.customId, { liesIn: [OWN, FOREIGN], wasIn: [] });
    this.add("memory", "shared", theirs, { liesIn: [FOREIGN], wasIn: [] });
    this.add("memory", "shared", await this.revise(theirs, FOREIGN, this.word([FOREIGN])), {
      liesIn: [FOREIGN],
      wasIn: [],
    });
  }

  private async others(): Promise<void> {
    const { core, store } = this.opened;
    const owner = this.opened.call();
    const foreign = subjectOf(this.opened, FOREIGN, ` It is ${this.word([FOREIGN])}.`);
    const file = await foreign.file();
    const place = { liesIn: [FOREIGN], wasIn: [] };
    this.add("document", "file", file, place);
    const [stored] = await store.files.ofDocument(store.organizationId, file);
    this.add("file", "kept", stored?.key ?? "", place);
    this.add("memory", "inferred", await foreign.inferred(), place);
    this.add("batch", "undoable", await foreign.batch(), place);
    this.add("task", "open", await foreign.task(), place);
    this.add("job", "due", `extract:${file}:1`, place);
    const { key } = await core.createKey(owner, { kind: "agent", grants: [{ containerTag: FOREIGN }] });
    this.add("key", "of the others", key.id, { liesIn: [], wasIn: [] });
    await core.updateContainer(owner, { containerTag: FOREIGN, entityContext: `About ${this.word([FOREIGN])}.` });
    for (const tag of [FOREIGN, MERGED]) this.add("container", "lasting", tag, { liesIn: [tag], wasIn: [tag] });
    // Including what callers may see of their own.
    await subjectOf(this.opened, OWN).inferred();
  }

  private async moved(state: string): Promise<Planted> {
    const planted = await this.plant({ state, tags: [OWN] });
    await this.opened.core.updateDocument(this.opened.call(), { id: planted.id, containerTags: [FOREIGN] });
    await this.opened.settle();
    return planted;
  }

  /** @param tellsIn containers that may see its words; by default those that it is in last, see `note` */
  private async plant({ state, tags, metadataIn }: Planting, tellsIn: readonly string[] = []): Promise<Planted> {
    const { core, store } = this.opened;
    const wasIn = tags.filter((tag) => tag !== FOREIGN);
    const word = () => this.word(tellsIn.length > 0 ? tellsIn : [FOREIGN], wasIn);
    const customId = `${state.slice(0, 9)}-${++this.#number}-xqzv`;
    const { id } = await core.addDocument(this.opened.call(), {
      content: `The lamp of ${word()} is lit. It stands in the hall of ${word()}.`,
      title: `About ${word()}`,
      metadata: { place: metadataIn ? this.word(metadataIn, wasIn) : word() },
      customId,
      containerTags: tags,
      facts: [{ text: `The lamp of ${word()} is lit.` }],
      dreaming: "instant",
    });
    await this.opened.settle();
    const [memory] = await store.memories.ofDocument(store.organizationId, id);
    if (!memory) throw new Error(`No memory was planted for ${state}`);
    return { id, customId, memory: memory.id };
  }

  private async revise(memory: string, containerTag: string, word: string): Promise<string> {
    const newContent = `The lamp of ${word} is dark.`;
    return (await this.opened.core.updateMemory(this.opened.call(), { id: memory, containerTag, newContent })).id;
  }

  /** Registers the ids of a document, of what it states, and of what was done to it. */
  private async note(
    state: string,
    { id, customId, memory }: Planted,
    place: Pick<Thing, "liesIn" | "wasIn">,
  ): Promise<void> {
    const { store } = this.opened;
    const { organizationId } = store;
    this.add("document", state, id, place);
    this.add("customId", state, customId, place);
    for (const chunk of await store.chunks.newest(organizationId, id))
      this.add("chunk", state, chunk.id, { ...place, wasIn: [] });
    const stated = await store.memories.ofDocument(organizationId, id);
    const roots = [memory, ...stated.map((one) => one.rootId ?? one.id)];
    const versions = await store.memories.versions(organizationId, roots, { withUndone: true });
    const journal = await store.journal.list(organizationId, {
      subjectIds: [id, ...versions.map((version) => version.id)],
      offset: 0,
      limit: 100,
    });
    const known = new Set(
      journal.entries.filter((entry) => entry.containerTag !== FOREIGN).map(({ subjectId }) => subjectId),
    );
    for (const { id: version, containerTag } of versions)
      this.add("memory", state, version, { liesIn: [containerTag], wasIn: known.has(version) ? place.wasIn : [] });
    const batches = new Map(journal.entries.map((entry) => [entry.batchId, entry.containerTag]));
    for (const [batch, tag] of batches)
      if (tag === FOREIGN) this.add("batch", state, batch, { liesIn: [FOREIGN], wasIn: [] });
  }

  private add(kind: Kind, state: string, id: string, place: Pick<Thing, "liesIn" | "wasIn">): void {
    if (id === "") throw new Error(`There is no ${kind} that is ${state}`);
    if (!this.things.some((thing) => thing.id === id)) this.things.push({ kind, state, id, ...place });
  }

  /** A unique word, for callers who may see one of the containers. */
  private word(liesIn: readonly string[], wasIn: readonly string[] = []): string {
    const word = `xq${String.fromCharCode(97 + (this.secrets.length % 26))}${this.secrets.length}zv`;
    this.secrets.push({ word, liesIn, wasIn });
    return word;
  }
}

interface Planted {
  readonly id: string;
  readonly customId: string;
  readonly memory: string;
}
