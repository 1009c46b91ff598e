import { afterEach, beforeEach, expect, test } from "vitest";
import { type Call, type Core, DEFAULT_CONTAINER } from "../../src/core/index.js";
import { createId } from "../../src/lib/ids.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
/** A call whose response got lost, so it is repeated unchanged. */
let repeated: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  repeated = { ...opened.call(), operationId: createId() };
});
afterEach(() => opened.close());

const auditOf = async (action: string) =>
  (await core.listAudit(opened.call(), {})).items.filter((entry) => entry.action === action);

test("a key that was created just before the process died is in the audit once, after the call is repeated", async () => {
  await opened.context.audit.close();
  const { key, secret } = await core.createKey(repeated, { name: "unheard" });
  await opened.stop();
  opened = await openManualCore({ dataDirectory: opened.dataDirectory });
  core = opened.core;
  expect(await auditOf("createKey")).toEqual([]);
  for (const _time of [1, 2]) expect((await core.createKey(repeated, { name: "unheard" })).secret).toBe(secret);
  expect(await auditOf("createKey")).toMatchObject([{ subjectIds: [key.id], count: 1, outcome: "ok" }]);
});

test("a repeated call gets its device codes again, even at the limit of its address", async () => {
  for (let start = 1; start < 10; start++) await core.startDevice(opened.call(), { from: "10.0.0.7" });
  const first = await core.startDevice(repeated, { from: "10.0.0.7" });
  expect(await core.startDevice(repeated, { from: "10.0.0.7" })).toEqual(first);
  await expect(core.startDevice(opened.call(), { from: "10.0.0.7" })).rejects.toThrow(/Too many devices/);
});

test("polling too soon leaves nothing in the store", async () => {
  const { deviceCode } = await core.startDevice(opened.call(), {});
  const poll = async () => (await core.pollDevice({ ...opened.call(), operationId: createId() }, { deviceCode })).state;
  expect(await poll()).toBe("pending");
  const before = await opened.rowCounts();
  for (let time = 0; time < 20; time++) expect(await poll()).toBe("too_soon");
  expect(await opened.rowCounts()).toEqual(before);
});

test("a reset that is requested again while it runs gets the same complete response", async () => {
  const documents = Array.from({ length: 120 }, (_, index) => `Note ${index}`);
  await core.addDocuments(opened.call(), { documents, containerTag: DEFAULT_CONTAINER });
  await opened.settle();
  const reset = () => core.resetOrganization(repeated, { confirmation: "Recollect" });
  const [first, second] = await Promise.all([reset(), reset()]);
  expect(first.documents).toBe(120);
  expect(second).toEqual(first);
});

test("another caller with the same operation id gets a separate response", async () => {
  const theirs: Call = { actor: { ...repeated.actor, name: "somebody else" }, operationId: repeated.operationId };
  const [mine, other] = await Promise.all([core.createKey(repeated, {}), core.createKey(theirs, {})]);
  expect(other.key.id).not.toBe(mine.key.id);
  const lesser: Call = { ...repeated, actor: { ...repeated.actor, isScoped: true } };
  const asked = await Promise.allSettled([
    core.toggleKey(repeated, { id: mine.key.id }),
    core.toggleKey(lesser, { id: mine.key.id }),
  ]);
  expect(asked.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});
