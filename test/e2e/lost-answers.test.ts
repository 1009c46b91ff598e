import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Node } from "../../src/node.js";
import { type Call, type Core, isUseCase, runsOnce, type UseCase } from "../../src/core/index.js";
import { sha256 } from "../../src/lib/crypto.js";
import { createId } from "../../src/lib/ids.js";
import { subjectOf } from "../support/access-world.js";
import { USE_CASES_BY_ACCESS } from "../support/access-use-cases.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { type LossyOwner, startAsker, startLossyOwner } from "../support/lossy-owner.js";
import { type ServeProcess, startServe } from "../support/recollect-process.js";

type Input = (core: Core, owner: Call) => Promise<unknown>;

/** Where the access table's input finds nothing to do. */
const TO_DO: Partial<Record<UseCase, Input>> = {
  noteRequests: async () => ({ requests: [REQUEST] }),
  signIn: async (core, owner) => ({ code: (await core.createSignInCode(owner)).code }),
  signOut: async (core, owner) => ({ token: (await signedIn(core, owner)).token }),
  endSignIn: async (core, owner) => ({ id: (await signedIn(core, owner)).signIn.id }),
  setPassword: async (core, owner) => {
    await signedIn(core, owner);
    return { password: "correct horse battery" };
  },
  answerDevice: async (core, owner) => ({ userCode: (await startedDevice(core, owner)).userCode, approve: true }),
  pollDevice: async (core, owner) => {
    const { userCode, deviceCode } = await startedDevice(core, owner);
    await core.answerDevice(owner, { userCode, approve: true });
    return { deviceCode };
  },
  revokeGrants: async (core, owner) => ({ client: (await core.allowApp(owner, APP)).id }),
  consumeOAuthRecord: async (core, owner) => {
    const record = { kind: "AuthorizationCode", secret: createId() };
    await core.saveOAuthRecord(owner, { ...record, payload: "{}" });
    return record;
  },
  deleteDocuments: async (core, owner) => {
    const content = `To be deleted ${createId()}`;
    await core.addDocument(owner, { content, containerTags: [TAG], filepath: "/gone/a.md" });
    return { containerTags: [TAG], filepath: "/gone/" };
  },
};
const REQUEST = {
  id: createId(),
  keyId: null,
  client: null,
  type: "search",
  method: "POST",
  path: "/v4/search",
  status: 200,
  duration: 7,
  containerTag: null,
  error: null,
  createdAt: new Date().toISOString(),
};
const APP = {
  issuer: "http://127.0.0.1",
  clientId: "app",
  clientName: "App",
  clientHost: "app.example",
  permission: "read",
};
const TAG = "den";

async function signedIn(core: Core, owner: Call) {
  return core.signIn(owner, { code: (await core.createSignInCode(owner)).code });
}

async function startedDevice(core: Core, owner: Call) {
  return core.startDevice(owner, { client: "codex", from: createId() });
}

const things = (core: Core, owner: Call) => subjectOf({ core, call: () => owner }, TAG);

/** Where a use case takes another path than with the input above. */
const OTHER_WAYS: readonly (readonly [UseCase, how: string, Input])[] = [
  ["toggleKey", "back on", async (core, owner) => switchedOff(core, owner)],
  ["signIn", "with a key", async (core, owner) => ({ key: (await core.createKey(owner, {})).secret, from: "a" })],
  ["signIn", "in place of another", async (core, owner) => inPlaceOfAnother(core, owner)],
  ["setPassword", "none", async () => ({ password: null })],
  ["answerDevice", "no", async (core, owner) => ({ ...(await userCodeOf(core, owner)), approve: false })],
  ["pollDevice", "before there is an answer", async (core, owner) => deviceCodeOf(core, owner)],
  ["pollDevice", "that was declined", async (core, owner) => declined(core, owner)],
  ["ensureFirstKey", "where none is left", async (core, owner) => withoutKeys(core, owner)],
  ["reprocess", "a document", async (core, owner) => ({ ids: [await readThrough(core, owner)] })],
  ["forget", "by text", async (core, owner) => ({ content: await textOfNew(core, owner), containerTag: TAG })],
  ["forgetOne", "by text", async (core, owner) => ({ content: await textOfNew(core, owner), containerTag: TAG })],
  ["forgetOne", "a document", async (core, owner) => ({ id: await things(core, owner).document(), containerTag: TAG })],
  ["forgetMatching", "a query", async (core, owner) => ({ query: await textOfNew(core, owner), containerTag: TAG })],
  ["updateMemory", "by text", async (core, owner) => ({ ...(await reworded(core, owner)), containerTag: TAG })],
  ["deleteDocument", "a memory", async (core, owner) => ({ id: await things(core, owner).memory() })],
  ["deleteDocuments", "by ids", async (core, owner) => ({ ids: [await things(core, owner).document()] })],
  ["updateDocument", "another text", async (core, owner) => revised(core, owner)],
  ["updateDocument", "to another container", async (core, owner) => moved(core, owner)],
  ["reviewInferred", "no", async (core, owner) => review(core, owner, "decline")],
  ["deleteProject", "into another", async (core, owner) => intoAnother(core, owner)],
  ["purge", "a memory", async (core, owner) => ({ memoryId: await things(core, owner).memory(), confirm: true })],
  [
    "purge",
    "a container",
    async (core, owner) => ({ containerTag: await things(core, owner).container(), confirm: true }),
  ],
];

async function switchedOff(core: Core, owner: Call) {
  const id = await things(core, owner).key();
  await core.toggleKey(owner, { id });
  return { id };
}

async function withoutKeys(core: Core, owner: Call) {
  const { keys } = await core.listKeys(owner);
  for (const { id } of keys.filter(({ revokedAt }) => revokedAt === null)) await core.revokeKey(owner, { id });
  return {};
}

async function readThrough(core: Core, owner: Call) {
  const document = { content: `Ada keeps the boat ${createId()}.`, containerTags: [TAG], wait: 20 };
  return (await core.addDocument(owner, { ...document, dreaming: "instant" })).id;
}

async function inPlaceOfAnother(core: Core, owner: Call) {
  const { token } = await signedIn(core, owner);
  return { code: (await core.createSignInCode(owner)).code, previous: token };
}

async function userCodeOf(core: Core, owner: Call) {
  return { userCode: (await startedDevice(core, owner)).userCode };
}

async function deviceCodeOf(core: Core, owner: Call) {
  return { deviceCode: (await startedDevice(core, owner)).deviceCode };
}

async function declined(core: Core, owner: Call) {
  const { userCode, deviceCode } = await startedDevice(core, owner);
  await core.answerDevice(owner, { userCode, approve: false });
  return { deviceCode };
}

async function textOfNew(core: Core, owner: Call) {
  const content = `Ada wears the badge ${createId()}`;
  await core.createMemories(owner, { containerTag: TAG, memories: [{ content }] });
  return content;
}

async function reworded(core: Core, owner: Call) {
  return { content: await textOfNew(core, owner), newContent: `Ada wears no badge ${createId()}` };
}

async function revised(core: Core, owner: Call) {
  return { id: await things(core, owner).document(), content: `Another note ${createId()}.` };
}

async function moved(core: Core, owner: Call) {
  return { id: await things(core, owner).document(), containerTags: ["shed"] };
}

async function review(core: Core, owner: Call, action: string) {
  return { id: await things(core, owner).inferred(), containerTag: TAG, action };
}

async function intoAnother(core: Core, owner: Call) {
  const subject = things(core, owner);
  return { id: await subject.project(), action: "move", targetProjectId: await subject.project() };
}

let dataDirectory: string;
let serve: ServeProcess;
let lossy: LossyOwner;
let client: Node;
let owner: Call;

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-lost-answers-"));
  serve = await startServe(dataDirectory);
  lossy = await startLossyOwner(dataDirectory);
  client = startAsker(dataDirectory);
  owner = { actor: await client.actor() };
}, 30_000);
afterAll(async () => {
  await client.close();
  await lossy.close();
  await serve.stop();
  await rm(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
});

async function inputOf(useCase: UseCase): Promise<unknown> {
  const toDo = TO_DO[useCase];
  if (toDo) return toDo(client.core, owner);
  return USE_CASES_BY_ACCESS[useCase].input(things(client.core, owner));
}

/** Rows that a call may add or touch even if it changed nothing: its record, and when a caller was last seen. */
const PASSING = new Set(["audit_entries", "operations", "schedules", "jobs", "vector_changes"]);

type RowsOf = (sql: string) => Record<string, unknown>[];

async function ask<T>(question: (rowsOf: RowsOf) => T | Promise<T>): Promise<T> {
  const db = new DatabaseSync(join(dataDirectory, "recollect.db"), { readOnly: true });
  try {
    return await question((sql) => db.prepare(sql).all() as Record<string, unknown>[]);
  } finally {
    db.close();
  }
}

const operations = () => ask((rowsOf) => rowsOf("select id from operations").map(({ id }) => id));

/** A hash of each table while nothing is being processed. */
function everything(): Promise<Readonly<Record<string, string>>> {
  return ask(async (rowsOf) => {
    await expect.poll(() => rowsOf(UNFINISHED), { timeout: 20_000 }).toEqual([]);
    const tables = rowsOf("select name from sqlite_schema where type = 'table' and sql not like 'create virtual%'")
      .map(({ name }) => String(name))
      .filter((name) => !PASSING.has(name) && !/^sqlite_|_(data|idx|docsize|config)$/.test(name));
    const hashOf = (rows: unknown): string =>
      sha256(
        JSON.stringify(rows, (_key, value: unknown) =>
          value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
        ),
      );
    return Object.fromEntries(tables.map((name) => [name, hashOf(rowsOf(`select * from "${name}"`))]));
  });
}

/** The follow-up job of a purge or deletion exists from the start, and waits in vain when the call does the work itself. */
const UNFINISHED = `select id, kind from jobs where state = 'running' or (state = 'waiting'
  and (kind not in ('purge', 'empty-container') or run_at <= strftime('%Y-%m-%dT%H:%M:%fZ')))`;

/** Without the parts that differ between any two answers. */
function lasting(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) =>
      /^(stages|timing|since|from|to|lastUsedAt|freeBytes)$/.test(key) ? undefined : value,
    ),
  );
}

const names = Object.keys(USE_CASES_BY_ACCESS).filter(isUseCase);
/** Last, because it ends everything. */
const LAST = "resetOrganization";
const usual = (useCase: UseCase) => [useCase, "as usual", () => inputOf(useCase)] as const;
const ordered = [...names.filter((name) => name !== LAST).map(usual), ...OTHER_WAYS, usual(LAST)] as const;
/** Answers about the machine differ each time. */
const LOOKS_AT_NOW = new Set<UseCase>(["diagnose", "status", "listAudit", "listRequests"]);

describe("an answer that is lost after the owner has sent it", () => {
  test.each(ordered)("%s, %s", async (useCase, _how, inputFor) => {
    const input = await inputFor(client.core, owner);
    await everything();
    const known = new Set(await operations());
    let afterFirst: Readonly<Record<string, string>> = {};
    let kept: unknown[] = [];
    lossy.loseNext(useCase, async () => {
      afterFirst = await everything();
      kept = (await operations()).filter((id) => !known.has(id));
    });
    const told = await client.core[useCase](owner, input).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    const [first, second] = lossy.answers as { result?: unknown; error?: { message: string } }[];
    expect(lossy.answers.length, "how often the owner was asked").toBe(2);
    if (runsOnce(useCase)) {
      expect(told, "a use case that runs once has something to do here").toHaveProperty("result");
      expect(kept, "what a use case that runs once keeps under the operation id").not.toEqual([]);
      expect(second).toEqual(first);
    } else if (!LOOKS_AT_NOW.has(useCase)) expect(lasting(second)).toEqual(lasting(first));
    if ("result" in told) expect(told.result ?? null).toEqual(second?.result);
    if (useCase !== "diagnose") expect(await everything()).toEqual(afterFirst);
    for (const secret of secretsIn(first)) expect(findInFiles(dataDirectory, [secret])).toEqual([]);
  });

  test("a caller never receives another caller's result for the same operation id", async () => {
    const operationId = createId();
    const other: Call = { actor: { ...owner.actor, name: "somebody else" }, operationId };
    const [mine, theirs] = [
      await client.core.createKey({ ...owner, operationId }, { name: "mine" }),
      await client.core.createKey(other, { name: "theirs" }),
    ];
    expect(theirs.secret).not.toBe(mine.secret);
    expect((await client.core.createKey({ ...owner, operationId }, { name: "mine" })).secret).toBe(mine.secret);
  });
});

/** Secrets that are shown only once, wherever they are in an answer. */
function secretsIn(answer: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(answer, (key, value: unknown) => {
    if (["secret", "code", "token", "deviceCode", "userCode"].includes(key) && typeof value === "string")
      found.push(value);
    return value;
  });
  return found;
}
