import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Door, type Doors, openDoors, type Placed } from "../support/isolation-doors.js";
import {
  FOREIGN,
  type IsolationKey,
  isNothingTo,
  KINDS,
  leaksIn,
  nothingLike,
  OWN,
  shapeOf,
  type Thing,
} from "../support/isolation-model.js";
import type { Place } from "../support/isolation-places.js";
import { CALLERS, type IsolationWorld, openIsolationWorld } from "../support/isolation-world.js";

/**
 * Tries every route, tool, resource and prompt that the service describes, at every place that holds an id, with every kind
 * of id (of things moved, merged, forgotten, added again, replaced, deleted or shared) and every kind of key.
 */
let world: IsolationWorld;
let doors: Doors;
/** The last known contents of each container that the caller may not write to. */
const kept = new Map<string, string>();
beforeAll(async () => {
  world = await openIsolationWorld();
  doors = await openDoors(world);
  kept.set(FOREIGN, world.digest(FOREIGN));
}, 60_000);
afterAll(async () => {
  await doors.close();
  await world.close();
});

test("every request field is classified as holding an id, a container or text", () => {
  expect(doors.unknown, "say in test/support/isolation-places.ts what these are").toEqual([]);
});

test("a caller with access to a container sees its contents, and nothing of another container", async () => {
  const key = world.bystander;
  const told: string[] = [];
  for (const door of doors.doors.filter(({ isChanging }) => !isChanging)) {
    const { name } = door;
    const { all } = await door.ask(key, { place: null, id: "", isUnplaced: true });
    expect([name, leaksIn(all, world.secrets, { key, operation: name, sent: OWN })]).toEqual([name, []]);
    told.push(all);
  }
  const words = world.words.filter(({ liesIn }) => liesIn.includes(FOREIGN));
  const found = words.filter(({ word }) => told.some((all) => all.includes(word)));
  // Forgotten and deleted words are not returned.
  expect([words.length > 40, found.length > words.length * 0.8]).toEqual([true, true]);
});

/** Places where every id is refused: tasks have their own handles, and no connection exists. */
const NEVER_RIGHT = /relation\.ids|^GET \/v3\/connections\/.*callback/;
const asked = new Set<string>();
const answered = new Set<string>();

describe("with ids from other containers", () => {
  test.each(CALLERS)("%s sees nothing and changes nothing", { timeout: 120_000 }, (name) => tryAll(name, false));
});

describe("with names used in other containers", () => {
  // Requests that create something under a customId come last: it then refers to the caller's own document.
  test.each(CALLERS)("%s creates its own objects, and learns nothing", { timeout: 120_000 }, (name) =>
    tryAll(name, true),
  );
});

test("every place was tried with a well-formed request", () => {
  expect(asked.size).toBeGreaterThan(0);
  expect([...asked].filter((place) => !answered.has(place) && !NEVER_RIGHT.test(place))).toEqual([]);
});

async function tryAll(name: string, isMaking: boolean): Promise<void> {
  const key = world.keys.find((one) => one.name === name);
  if (!key) throw new Error(`There is no key ${name}`);
  keepWhatLies(key);
  const findings: string[] = [];
  for (const door of doors.doors) findings.push(...(await tryDoor(door, key, isMaking)).slice(0, 5));
  expect(findings.join("\n\n")).toBe("");
}

/** Limits requests per network whatever they name, so a 429 reveals nothing. */
const COUNTS_CALLERS = "POST /v3/connections/webhooks/{connection}";
const NAMES_WHAT_IS_MADE = new Set(["customId", "conversationId"]);

async function tryDoor(door: Door, key: IsolationKey, isMaking: boolean): Promise<string[]> {
  const findings: string[] = [];
  const named = door.places.filter(({ steps }) => NAMES_WHAT_IS_MADE.has(steps.at(-1) ?? "") === isMaking);
  const places = isMaking ? named : [null, ...named];
  for (const [number, place] of places.entries()) {
    const turn = number + world.keys.indexOf(key);
    const ways = door.mayBeUnplaced && place?.in !== "path" ? [false, true] : [false];
    for (const isUnplaced of ways) {
      const attempt = new Attempt(door, key, { place, isUnplaced });
      await (place ? attempt.nameThings(place, thingsInTurn(place, { turn, isUnplaced, ways })) : attempt.ask(""));
      findings.push(...attempt.findings);
    }
  }
  if (places.length > 0 && door.isChanging) findings.push(...changesBeyond(door, key));
  return findings;
}

/** Changes in containers that the caller may not write to. */
function changesBeyond(door: Door, key: IsolationKey): string[] {
  const findings: string[] = [];
  for (const [tag, before] of kept) {
    const now = world.digest(tag);
    if (now === before) continue;
    kept.set(tag, now);
    const changed = now.split("\n").filter((table) => !before.includes(table));
    findings.push(`${door.name} as ${key.name} changes ${tag}: ${changed.join("\n").slice(0, 2_000)}`);
  }
  return findings;
}

/** For the next caller, takes new snapshots of containers that the last one could write to and this one cannot. */
function keepWhatLies({ writes }: IsolationKey): void {
  for (const tag of [FOREIGN, OWN])
    if (writes.includes(tag)) kept.delete(tag);
    else if (!kept.has(tag)) kept.set(tag, world.digest(tag));
}

/**
 * Removes which facts are new in the caller's own container, and whether a message is a repetition there: both depend on
 * earlier requests and on work in progress. Leaks are looked for in the whole response.
 */
function withoutOwnFacts(shape: string): string {
  return shape
    .replaceAll(/Memories: [^"\\]*?\.(?=["\\])/g, "Memories: some.")
    .replaceAll(/"(added|updated|duplicates)":\[[^\]]*\]/g, '"$1":[]')
    .replaceAll(/,"warnings":\["messages: the only message is already in the conversation[^\]]*\]/g, "");
}

/** Requests with one key at one place of an entry point. */
class Attempt {
  readonly findings: string[] = [];
  readonly #door: Door;
  readonly #key: IsolationKey;
  readonly #where: Omit<Placed, "id">;
  readonly #ofNothing = new Map<string, string>();

  constructor(door: Door, key: IsolationKey, where: Omit<Placed, "id">) {
    this.#door = door;
    this.#key = key;
    this.#where = where;
  }

  /** Tries each thing: what is not the caller's must get the response of something that does not exist. */
  async nameThings(place: Place, things: readonly Thing[]): Promise<void> {
    const [first] = things;
    // If every id is refused for this caller, one thing of each kind is enough.
    const isRefused = place.holds === "id" && first !== undefined && /^40[13] /.test(await this.#askOfNothing(first));
    if (isRefused && this.#where.isUnplaced) return;
    for (const thing of isRefused || this.#door.isAlias ? oneOfEach(things) : things)
      await this.#name(thing, await this.#askOfNothing(thing));
  }

  async #name(thing: Thing, ofNothing: string): Promise<void> {
    const shape = shapeOf(await this.ask(thing.id), thing.id);
    if (shape.startsWith("429 ") && this.#door.name === COUNTS_CALLERS) return;
    if (withoutOwnFacts(shape) === withoutOwnFacts(ofNothing) || !isNothingTo(this.#key, thing, this.#door.name))
      return;
    const told = `is told\n  ${shape.slice(0, 400)}\nnot just\n  ${ofNothing.slice(0, 400)}`;
    this.findings.push(`${this.#say(thing.id)} (${thing.kind}, ${thing.state}) ${told}`);
  }

  async #askOfNothing(thing: Thing): Promise<string> {
    const id = nothingLike(thing);
    const known = this.#ofNothing.get(id) ?? shapeOf(await this.ask(id), id);
    this.#ofNothing.set(id, known);
    return known;
  }

  /** Sends the request, and checks that the response reveals nothing. */
  async ask(id: string): Promise<string> {
    const { all, status, body } = await this.#door.ask(this.#key, { ...this.#where, id });
    const leaks = leaksIn(all, world.secrets, { key: this.#key, operation: this.#door.name, sent: id });
    if (leaks.length > 0) this.findings.push(`${this.#say(id)} leaks ${leaks.join(", ")}: ${all}`.slice(0, 2_000));
    if (/^5(?!01)/.test(status)) this.findings.push(`${this.#say(id)} fails with ${status}: ${body}`.slice(0, 2_000));
    const { place } = this.#where;
    if (place) asked.add(`${this.#door.name} ${place.steps.join(".")}`);
    if (place && status !== "400") answered.add(`${this.#door.name} ${place.steps.join(".")}`);
    return `${status} ${body}`;
  }

  #say(id: string): string {
    const { place, isUnplaced } = this.#where;
    const named = place ? ` with ${place.in} ${place.steps.join(".")} = ${id}` : "";
    return `${this.#door.name} as ${this.#key.name}${named}${isUnplaced ? ", no container" : ""}`;
  }
}

interface Turn {
  /** Increases from place to place, and from caller to caller. */
  readonly turn: number;
  readonly isUnplaced: boolean;
  /** Whether the place is tried with a container, without one, or both. */
  readonly ways: readonly boolean[];
}

/**
 * The things to try at a place: one of each kind, state and location, a different one each turn. Where the container may be
 * omitted, callers alternate: what one caller tries with a container, the next tries without.
 */
function thingsInTurn({ holds }: Place, { turn, isUnplaced, ways }: Turn): Thing[] {
  if (holds === "container") return world.things.filter(({ kind }) => kind === "container");
  const alike = new Map<string, Thing[]>();
  for (const thing of world.things) {
    if (thing.kind === "container") continue;
    const sort = JSON.stringify([thing.kind, thing.state, thing.liesIn, thing.wasIn]);
    alike.set(sort, [...(alike.get(sort) ?? []), thing]);
  }
  return [...alike.values()]
    .filter((_, index) => ways.length === 1 || (index + turn) % 2 === Number(isUnplaced))
    .flatMap((things) => things[Math.floor(turn / 2) % things.length] ?? []);
}

function oneOfEach(things: readonly Thing[]): Thing[] {
  return KINDS.flatMap((kind) => things.find((thing) => thing.kind === kind) ?? []);
}
