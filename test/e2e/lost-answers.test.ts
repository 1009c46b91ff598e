import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createNode, type Node } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import { type Call, type Core, isUseCase, runsOnce, type UseCase } from "../../src/core/index.js";
import { sha256 } from "../../src/lib/crypto.js";
import { createId } from "../../src/lib/ids.js";
import { subjectOf } from "../support/access-world.js";
import { USE_CASES_BY_ACCESS } from "../support/access-use-cases.js";
import { captureLog } from "../support/captured-log.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { type LossyOwner, startLossyOwner } from "../support/lossy-owner.js";
import { type ServeProcess, startServe } from "../support/recollect-process.js";

/** Where the table of access has an input that finds nothing to do. */
const TO_DO: Partial<Record<UseCase, (core: Core, owner: Call) => Promise<unknown>>> = {
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

let dataDirectory: string;
let serve: ServeProcess;
let lossy: LossyOwner;
let client: Node;
let owner: Call;

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-lost-answers-"));
  serve = await startServe(dataDirectory);
  lossy = await startLossyOwner(dataDirectory);
  client = createNode({
    config: readConfig({ RECOLLECT_DATA_DIR: dataDirectory, RECOLLECT_OFFLINE: "1" }),
    version: "0.0.0-test",
    log: captureLog(),
    engine: "off",
    standby: false,
    listen: () => Promise.reject(new Error("A client that only calls does not listen.")),
  });
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
  return USE_CASES_BY_ACCESS[useCase].input(subjectOf({ core: client.core, call: () => owner }, TAG));
}

/** Rows that a call may add or touch though it changed nothing: what was done, and when somebody was seen last. */
const PASSING = new Set(["audit_entries", "requests", "operations", "schedules", "jobs", "vector_changes"]);

/** A hash of each table, when nothing is in work. */
async function everything(): Promise<Readonly<Record<string, string>>> {
  const db = new DatabaseSync(join(dataDirectory, "recollect.db"), { readOnly: true });
  const rowsOf = (sql: string) => db.prepare(sql).all() as Record<string, unknown>[];
  try {
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
  } finally {
    db.close();
  }
}

const UNFINISHED = "select id from jobs where state in ('waiting', 'running')";

/** Without what no two answers have in common. */
function lasting(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) =>
      /^(stages|timing|since|from|to|lastUsedAt)$/.test(key) ? undefined : value,
    ),
  );
}

const names = Object.keys(USE_CASES_BY_ACCESS).filter(isUseCase);
/** The last of all: it ends everything. */
const LAST = "resetOrganization";
const ordered = [...names.filter((name) => name !== LAST), LAST] as const;
/** What looks at the machine answers otherwise each time. */
const LOOKS_AT_NOW = new Set<UseCase>(["diagnose", "status", "listAudit", "listRequests"]);

describe("an answer that gets lost after the owner has given it", () => {
  test.each(ordered)("%s", async (useCase) => {
    const input = await inputOf(useCase);
    await everything();
    let afterFirst: Readonly<Record<string, string>> = {};
    lossy.loseNext(useCase, async () => {
      afterFirst = await everything();
    });
    const told = await client.core[useCase](owner, input).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    const [first, second] = lossy.answers as { result?: unknown; error?: { message: string } }[];
    expect(lossy.answers.length, "how often the owner was asked").toBe(2);
    if (runsOnce(useCase)) {
      expect(told, "a use case that runs once has something to do here").toHaveProperty("result");
      expect(second).toEqual(first);
    } else if (!LOOKS_AT_NOW.has(useCase)) expect(lasting(second)).toEqual(lasting(first));
    if ("result" in told) expect(told.result ?? null).toEqual(second?.result);
    if (useCase !== "diagnose") expect(await everything()).toEqual(afterFirst);
    for (const secret of secretsIn(first)) expect(findInFiles(dataDirectory, [secret])).toEqual([]);
  });

  test("a result that another caller has with the same operation id is not told", async () => {
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

/** What is told once, wherever it stands in an answer. */
function secretsIn(answer: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(answer, (key, value: unknown) => {
    if (["secret", "code", "token", "deviceCode", "userCode"].includes(key) && typeof value === "string")
      found.push(value);
    return value;
  });
  return found;
}
