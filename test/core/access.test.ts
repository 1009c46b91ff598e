import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError, type ErrorKind } from "../../src/core/errors.js";
import { type Call, isUseCase, type UseCase } from "../../src/core/index.js";
import { NEEDS } from "../../src/core/access/authorization.js";
import { keep, type Keeper, questions, sees } from "../support/access-questions.js";
import { isChanging, refusalOf } from "../support/access-table.js";
import { USE_CASES_BY_ACCESS } from "../support/access-use-cases.js";
import { type AccessWorld, CANARY, openAccessWorld, type Principal } from "../support/access-world.js";

let world: AccessWorld;
let keeper: Keeper;
/** The call of each principal with rights, by name. */
const calls = new Map<string, Call>();

beforeAll(async () => {
  world = await openAccessWorld();
  keeper = keep(world);
  for (const who of world.principals) if (who.rights) calls.set(who.name, await callOf(who));
}, 30_000);
afterAll(() => world.close());

async function callOf({ headers }: Principal): Promise<Call> {
  const credential = headers["authorization"]?.replace("Bearer ", "");
  if (credential === undefined) return { actor: { ...world.owner.actor, isKeyless: true } };
  const { authenticate, authenticateToken } = world.core;
  if (credential.startsWith("sm_")) return { actor: await authenticate(world.owner, credential) };
  return { actor: await authenticateToken(world.owner, { token: credential, issuer: "http://127.0.0.1:6767" }) };
}

interface Outcome {
  readonly ends: ErrorKind | "well";
  readonly told: string;
}

async function run(name: UseCase, who: Principal, input: unknown): Promise<Outcome> {
  const call = calls.get(who.name);
  if (!call) throw new Error(`${who.name} is nobody`);
  try {
    return { ends: "well", told: JSON.stringify((await world.core[name](call, input)) ?? null) };
  } catch (error) {
    if (error instanceof AppError) return { ends: error.kind, told: error.message };
    throw error;
  }
}

const LAST = "resetOrganization";
const names = Object.keys(USE_CASES_BY_ACCESS).filter(isUseCase);
const ordered = [...names.filter((name) => name !== LAST), ...names.filter((name) => name === LAST)];

test("lists every use case with the access that the core requires", () => {
  const advice = (name: string) => `${name} is not in test/support/access-use-cases.ts: say there who may use it`;
  for (const name of Object.keys(world.core)) expect(names, advice(name)).toContain(name);
  expect(names.toSorted()).toEqual(Object.keys(world.core).toSorted());
  for (const name of names) {
    const { needs, isForScoped } = USE_CASES_BY_ACCESS[name];
    const stated = needs === "any key" ? "read" : needs;
    const [need] = NEEDS[name].split(",");
    expect([name, need]).toEqual([name, isForScoped && needs !== "nothing" ? `${stated} *` : stated]);
  }
});

describe("access to", () => {
  test.each(ordered)("%s", async (name) => {
    const access = USE_CASES_BY_ACCESS[name];
    const asked = questions(world).filter(({ who }) => who.rights !== null);
    await keeper.look();
    for (const { who, tag } of asked) {
      const refusal = refusalOf(access, who.rights, tag);
      if (refusal === null && (isChanging(access) || access.needs === "nothing")) continue;
      const { ends, told } = await run(name, who, await access.input(world.lasting(tag)));
      expect([who.name, tag, told, ends]).toEqual([who.name, tag, told, refusal ?? access.ends ?? "well"]);
      if (!sees(who)) expect([who.name, told.includes(CANARY)]).toEqual([who.name, false]);
    }
    await keeper.expectUnchanged();
    for (const { who, tag } of asked) {
      if (refusalOf(access, who.rights, tag) !== null) continue;
      if (!isChanging(access) && access.needs !== "nothing") continue;
      keeper.letChange();
      const { ends, told } = await run(name, who, await access.input(world.passing(tag)));
      expect([who.name, tag, told, ends]).toEqual([who.name, tag, told, access.ends ?? "well"]);
    }
  });
});
