/** One version of a fact, in a model that knows neither rows nor indexes. */
export interface Version {
  readonly id: number;
  readonly text: string;
  /** Number of times it was stated. */
  readonly strength: number;
  /** When it expires, in milliseconds; null for never. */
  readonly ends: number | null;
  readonly createdAt: string;
}

/** A fact at one moment. */
interface State {
  /** Oldest first, without undone ones. */
  readonly versions: readonly Version[];
  /** Null while it is not forgotten. */
  readonly forgottenFor: string | null;
}

interface Fact extends State {
  /** Person and slot: only one value of it can be true. */
  readonly slot: string;
  readonly tag: string;
}

/** The effects of one journal batch, in order. */
export interface Batch {
  readonly name: string;
  /** Recorded even if it changes nothing that is true: a fact outdated from the start is history. */
  readonly isStatement: boolean;
  readonly changes: Change[];
}

interface Change {
  readonly fact: number;
  /** Null for a new one. */
  readonly before: State | null;
  readonly after: State;
  readonly tag: string;
  /** The document that it was linked to or unlinked from. */
  readonly linked?: string | undefined;
  readonly unlinked?: string | undefined;
}

export interface Stated {
  readonly slot: string;
  readonly text: string;
  readonly ends?: number;
}

interface Statement {
  readonly id: string;
  /** Null if the document has no date. */
  readonly date: string | null;
  readonly facts: readonly Stated[];
  /** True for a document that says more than these facts. */
  readonly saysMore?: boolean;
}

interface KnownDocument {
  readonly tag: string;
  readonly date: string | null;
  /** Its text. */
  readonly texts: ReadonlySet<string>;
  readonly saysMore: boolean;
}

/** What is known of a true fact. */
export interface Told {
  /** Texts of its versions, oldest first. */
  readonly versions: readonly string[];
  /** Documents that state the newest version. */
  readonly sources: ReadonlySet<string>;
}

/**
 * What should be known after any history, in the simplest form: facts with versions, and batches that can be undone as
 * long as what they changed has not changed since.
 */
export class StateModel {
  /** The present, in milliseconds. */
  now = 0;
  private readonly facts = new Map<number, Fact>();
  /** Documents that state a version, by its id. */
  private readonly sources = new Map<number, Set<string>>();
  /** The existing documents. */
  private readonly documents = new Map<string, KnownDocument>();
  private count = 0;

  /** True facts of a container now, by their text. */
  truth(tag: string): ReadonlyMap<string, Told> {
    const told = this.in(tag).filter(([, fact]) => this.isTrue(fact));
    return new Map(
      told.map(([, { versions }]) => {
        const { id, text } = newestOf(versions);
        return [text, { versions: versions.map((version) => version.text), sources: this.sourcesOf(id) }];
      }),
    );
  }

  documentsIn(tag: string): string[] {
    return [...this.documents].filter(([, document]) => document.tag === tag).map(([id]) => id);
  }

  /** A document states facts; an existing document replaces its statements. */
  tell(tag: string, { id, date, facts, saysMore = false }: Statement): Batch {
    const batch = { ...this.begin(), isStatement: true };
    this.documents.set(id, { tag, date, texts: new Set(facts.map(({ text }) => text)), saysMore });
    for (const stated of facts) this.learn(tag, stated, { id, date }, batch);
    return batch;
  }

  /** @param mark distinguishes one forgetting from another afterwards, if anything does */
  forget(tag: string, texts: readonly string[], mark = ""): Batch {
    const batch = this.begin();
    for (const text of texts) this.change(this.named(tag, text), { forgottenFor: `asked ${mark}` }, batch);
    return batch;
  }

  /** Replaces a text by another, manually, with all its sources. */
  correct(tag: string, from: string, to: string): Batch {
    const batch = this.begin();
    const fact = this.named(tag, from);
    const known = this.newest(fact);
    const version = { ...known, id: this.next(), text: to, createdAt: this.today() };
    this.sources.set(version.id, new Set(this.sourcesOf(known.id)));
    this.change(fact, { versions: [...this.get(fact).versions, version] }, batch);
    return batch;
  }

  deleteDocument(id: string): Batch {
    const batch = this.withdraw(id);
    this.documents.delete(id);
    return batch;
  }

  /**
   * Forgets what only this document states; it is no longer a source of anything. An older version that others state holds again.
   */
  withdraw(id: string): Batch {
    const batch = this.begin();
    const orphans: number[] = [];
    for (const [key, fact] of this.facts) {
      const { size } = this.sourcesOf(this.newest(key).id);
      const isStated = this.sourcesOf(this.newest(key).id).delete(id);
      if (isStated && size === 1 && fact.forgottenFor === null) orphans.push(key);
    }
    for (const documents of this.sources.values()) documents.delete(id);
    for (const key of orphans) this.change(key, this.stepBack(key) ?? { forgottenFor: `withdrawn ${id}` }, batch);
    return batch;
  }

  private stepBack(key: number): Pick<State, "versions"> | null {
    const { versions, tag } = this.get(key);
    const last = versions.slice(0, -1).findLastIndex(({ id }) => this.sourcesOf(id).size > 0);
    const version = versions[last];
    const twin = version && this.find(tag, version.text);
    return version && (twin === undefined || twin === key) ? { versions: versions.slice(0, last + 1) } : null;
  }

  /**
   * Removes all versions, other facts that say the same as any of them, and their words in the documents that state them; a
   * document that says nothing else is removed whole.
   */
  purgeMemory(tag: string, text: string): void {
    const purged = new Set(this.get(this.named(tag, text)).versions.map((version) => version.text));
    const repeats = this.in(tag).filter(([key]) => purged.has(this.newest(key).text));
    const versions = repeats.flatMap(([, fact]) => fact.versions);
    for (const [key] of repeats) this.facts.delete(key);
    const words = new Set(versions.map((version) => version.text));
    for (const id of new Set(versions.flatMap((version) => [...this.sourcesOf(version.id)]))) {
      const document = this.documents.get(id);
      if (document) this.cut(id, document, words);
    }
  }

  private cut(id: string, document: KnownDocument, words: ReadonlySet<string>): void {
    const texts = new Set([...document.texts].filter((one) => !words.has(one)));
    if (texts.size === document.texts.size) return;
    if (texts.size > 0 || document.saysMore) return void this.documents.set(id, { ...document, texts });
    this.documents.delete(id);
    for (const [key] of this.facts) {
      const sources = this.sourcesOf(this.newest(key).id);
      if (sources.delete(id) && sources.size === 0) this.facts.delete(key);
    }
    for (const sources of this.sources.values()) sources.delete(id);
  }

  deleteContainer(tag: string): void {
    for (const [key] of this.in(tag)) this.facts.delete(key);
    for (const id of this.documentsIn(tag)) this.documents.delete(id);
  }

  merge(from: string, into: string): void {
    const batch = this.begin();
    for (const id of this.documentsIn(from)) this.documents.set(id, { ...this.document(id), tag: into });
    for (const [key, fact] of this.in(from)) {
      const known = this.newest(key);
      const twin = fact.forgottenFor === null ? this.find(into, known.text) : undefined;
      if (twin !== undefined) {
        this.strengthen(twin, known, batch);
        for (const id of this.sourcesOf(known.id)) this.sourcesOf(this.newest(twin).id).add(id);
        this.change(key, { forgottenFor: "joined" }, batch);
      }
      this.facts.set(key, { ...this.get(key), tag: into });
    }
  }

  /** Records expired facts. */
  expire(): void {
    for (const [key, fact] of this.facts)
      if (fact.forgottenFor === null && this.isOver(this.newest(key)))
        this.change(key, { forgottenFor: "over" }, this.begin());
  }

  /** @returns the effects of the undo, which is itself a batch; nothing if later changes have overtaken all of it */
  undo(batch: Batch): Batch {
    const undone = this.begin();
    for (const change of batch.changes.toReversed()) {
      const fact = this.facts.get(change.fact);
      if (!fact || fact.tag !== change.tag || !isSame(fact, change.after)) continue;
      const target = change.before ?? { ...change.after, forgottenFor: `undo of ${batch.name}` };
      if (!this.mayBecome(change.fact, target, undone)) continue;
      const { unlinked: linked, linked: unlinked } = change;
      const { id } = newestOf(target.versions);
      const isUnlinked = unlinked !== undefined && this.sourcesOf(id).delete(unlinked);
      const isLinked = linked !== undefined && this.documents.has(linked) && !this.sourcesOf(id).has(linked);
      if (isLinked) this.sourcesOf(id).add(linked);
      this.change(change.fact, target, undone, {
        linked: isLinked ? linked : undefined,
        unlinked: isUnlinked ? unlinked : undefined,
      });
    }
    return undone;
  }

  // ------------------------------------------------------------------------------------------------------------ inside

  private learn(tag: string, { slot, text, ends }: Stated, document: Omit<Statement, "facts">, batch: Batch): void {
    const version: Version = { id: this.next(), text, strength: 1, ends: ends ?? null, createdAt: this.today() };
    const twin = this.find(tag, text);
    if (twin !== undefined && !this.isOver(this.newest(twin))) {
      const known = this.sourcesOf(this.newest(twin).id);
      const linked = known.has(document.id) ? undefined : document.id;
      known.add(document.id);
      return this.strengthen(twin, version, batch, linked);
    }
    if (twin !== undefined) this.change(twin, { forgottenFor: "over" }, batch);
    const rivals = this.in(tag).filter(([, fact]) => fact.slot === slot && this.isTrue(fact));
    const [rival, ...more] = rivals.map(([key]) => key);
    const saidAt = document.date ?? this.today();
    if (version.ends === null && rival !== undefined && more.length === 0) {
      if (saidAt.slice(0, 10) < this.saidAt(this.newest(rival)).slice(0, 10)) return undefined;
      this.sourcesOf(version.id).add(document.id);
      return this.change(rival, { versions: [...this.get(rival).versions, version] }, batch);
    }
    this.sourcesOf(version.id).add(document.id);
    const key = this.next();
    const fact = { slot, tag, versions: [version], forgottenFor: null };
    this.facts.set(key, fact);
    batch.changes.push({ fact: key, before: null, after: stateOf(fact), tag });
  }

  private strengthen(key: number, { strength, ends }: Version, batch: Batch, linked?: string): void {
    const { versions } = this.get(key);
    const known = this.newest(key);
    const longer = known.ends === null || ends === null ? null : Math.max(known.ends, ends);
    const version = { ...known, strength: known.strength + strength, ends: longer };
    this.change(key, { versions: [...versions.slice(0, -1), version] }, batch, { linked });
  }

  private change(
    key: number,
    change: Partial<State>,
    batch: Batch,
    links: Pick<Change, "linked" | "unlinked"> = {},
  ): void {
    const before = this.get(key);
    const after = { ...before, ...change };
    this.facts.set(key, after);
    batch.changes.push({ fact: key, before: stateOf(before), after: stateOf(after), tag: after.tag, ...links });
  }

  /** False for expired facts, and where another one says the same meanwhile. */
  private mayBecome(key: number, target: State, undone: Batch): boolean {
    const isOther = newestOf(target.versions).id !== this.newest(key).id;
    const returns = this.get(key).forgottenFor !== null && target.forgottenFor === null;
    if (!isOther && !returns) return true;
    const version = newestOf(target.versions);
    if (this.isOver(version)) return false;
    const twin = this.find(this.get(key).tag, version.text);
    if (twin === undefined || twin === key) return true;
    if (!this.isOver(this.newest(twin))) return false;
    this.change(twin, { forgottenFor: "over" }, undone);
    return true;
  }

  private find(tag: string, text: string): number | undefined {
    const found = this.in(tag).find(([key, fact]) => fact.forgottenFor === null && this.newest(key).text === text);
    return found?.[0];
  }

  private named(tag: string, text: string): number {
    const key = this.find(tag, text);
    if (key === undefined) throw new Error(`The model does not know ${text}`);
    return key;
  }

  private document(id: string): KnownDocument {
    const document = this.documents.get(id);
    if (!document) throw new Error(`There is no document ${id}`);
    return document;
  }

  private in(tag: string): [number, Fact][] {
    return [...this.facts].filter(([, fact]) => fact.tag === tag);
  }

  private get(key: number): Fact {
    const fact = this.facts.get(key);
    if (!fact) throw new Error(`There is no fact ${key}`);
    return fact;
  }

  private newest(key: number): Version {
    return newestOf(this.get(key).versions);
  }

  private sourcesOf(id: number): Set<string> {
    const known = this.sources.get(id) ?? new Set();
    this.sources.set(id, known);
    return known;
  }

  private isTrue({ forgottenFor, versions }: State): boolean {
    return forgottenFor === null && !this.isOver(newestOf(versions));
  }

  private isOver({ ends }: Version): boolean {
    return ends !== null && ends <= this.now;
  }

  /** The date of its newest document. */
  private saidAt({ id, createdAt }: Version): string {
    const dates = [...this.sourcesOf(id)].map((document) => this.documents.get(document)?.date ?? createdAt);
    return dates.toSorted().at(-1) ?? createdAt;
  }

  private today(): string {
    return new Date(this.now).toISOString();
  }

  private begin(): Batch {
    return { name: String(this.next()), isStatement: false, changes: [] };
  }

  private next(): number {
    this.count += 1;
    return this.count;
  }
}

function stateOf({ versions, forgottenFor }: State): State {
  return { versions, forgottenFor };
}

function newestOf(versions: readonly Version[]): Version {
  const version = versions.at(-1);
  if (!version) throw new Error("A fact has at least one version");
  return version;
}

function isSame(one: State, other: State): boolean {
  const [{ id, strength, ends }, newest] = [newestOf(one.versions), newestOf(other.versions)];
  const isSameVersion = id === newest.id && strength === newest.strength && ends === newest.ends;
  return isSameVersion && one.forgottenFor === other.forgottenFor;
}
