import { expect, test } from "vitest";
import { useCleanups } from "../support/cleanups.js";
import { openCore } from "../support/open-core.js";
import { type ConnectOptions, connect, type Connected, lastRun, ONLINE } from "../support/connection.js";
import { GITHUB_TOKEN, type ScriptedGithub, startGithub } from "../support/scripted-github.js";

const cleanups = useCleanups();

async function start(): Promise<ScriptedGithub> {
  const github = await startGithub();
  cleanups.push(() => github.close());
  return github;
}

const settingsOf = ({ url }: ScriptedGithub) => ({ ...ONLINE, RECOLLECT_PROVIDER_URLS: `github=${url}` });

async function connectTo(github: ScriptedGithub, metadata: ConnectOptions["metadata"] = {}): Promise<Connected> {
  const settings = settingsOf(github);
  const connected = await connect({ provider: "github", metadata: { token: GITHUB_TOKEN, ...metadata }, settings });
  cleanups.push(() => connected.close());
  await choose(connected, github);
  return connected;
}

async function choose(connected: Connected, { repositoryId }: ScriptedGithub): Promise<void> {
  const { core, actor, id } = connected;
  await core.configureConnection(
    { actor },
    { id, resources: [{ id: repositoryId, name: "farm", defaultBranch: "main" }] },
  );
  await connected.settle();
}

test("nothing is imported before a repository is chosen; then its Markdown is", async () => {
  const github = await start();
  github.files.set("README.md", "# The farm\n\nForty pear trees stand here.");
  github.files.set("docs/wells.md", "# Wells\n\nThe deepest has thirty metres.");
  github.files.set("src/main.ts", "export const trees = 40;");
  github.files.set("node_modules/x/README.md", "# Somebody else's");
  github.commit();
  const connected = await connect({
    provider: "github",
    metadata: { token: GITHUB_TOKEN },
    settings: settingsOf(github),
  });
  cleanups.push(() => connected.close());
  const { core, actor, id } = connected;
  expect((await core.listSyncRuns({ actor }, { id })).runs).toEqual([]);
  await expect(core.syncOneConnection({ actor }, { id })).rejects.toThrow(/Nothing has been chosen/);
  const { resources } = await core.listConnectionResources({ actor }, { id });
  expect(resources).toMatchObject([{ id: github.repositoryId, name: "farm", full_name: "mia/farm", private: true }]);
  await choose(connected, github);
  expect(await lastRun(connected, id)).toMatchObject({ status: "done", read: 2 });
  const { documents } = await core.listDocuments({ actor }, { limit: 10 });
  expect(documents.map(({ type }) => type)).toEqual(["github_markdown", "github_markdown"]);
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ account: "mia", documentCount: 2 });
});

test("commits are followed by comparison: edits, renames and removals, and nothing else is read", async () => {
  const github = await start();
  for (let index = 0; index < 5; index += 1)
    github.files.set(`${index}.md`, `# Page ${index}\n\nText number ${index}.`);
  github.commit();
  const connected = await connectTo(github);
  github.files.set("0.md", "# Page 0\n\nAnother text.");
  github.files.delete("1.md");
  const moved = github.files.get("2.md") ?? "";
  github.files.delete("2.md");
  github.files.set("moved/2.md", moved);
  github.commit();
  const before = github.requests();
  expect(await connected.sync()).toMatchObject({ status: "done", read: 2, removed: 2 });
  // The repository, the commit, the comparison and two blobs.
  expect(github.requests() - before).toBe(5);
  const idle = github.requests();
  expect(await connected.sync()).toMatchObject({ status: "done", listed: 0 });
  expect(github.requests() - idle).toBe(2);
});

test("after a forced push the whole tree is listed, and only differences are read", async () => {
  const github = await start();
  for (let index = 0; index < 4; index += 1)
    github.files.set(`${index}.md`, `# Page ${index}\n\nText number ${index}.`);
  github.commit();
  const connected = await connectTo(github);
  github.files.delete("3.md");
  github.files.set("0.md", "# Page 0\n\nAnother text.");
  github.commit();
  github.forgetCommits();
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1, unchanged: 2, removed: 1 });
});

test("more changes than a comparison names cause a listing of the whole tree", async () => {
  const github = await start();
  for (let index = 0; index < 310; index += 1) github.files.set(`old/${index}.txt`, `${index}`);
  github.files.set("kept.md", "# Kept\n\nIt stays as it is.");
  github.commit();
  const connected = await connectTo(github);
  for (let index = 0; index < 310; index += 1) github.files.set(`old/${index}.txt`, `changed ${index}`);
  github.files.set("new.md", "# New\n\nIt came with many others.");
  github.commit();
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1, unchanged: 1 });
});

test("code, issues and discussions are imported when the connection says so; pull requests are not", async () => {
  const github = await start();
  github.files.set("src/main.ts", "export const trees = 40;");
  github.commit();
  const issue = { body: "It is empty.", comments: ["I have filled it."], isPull: false };
  github.issues.push({ number: 1, title: "The well", updatedAt: "2026-02-01T00:00:00Z", ...issue });
  github.issues.push({ number: 2, title: "A change", updatedAt: "2026-02-02T00:00:00Z", ...issue, isPull: true });
  const discussion = { number: 9, title: "Bees", body: "Shall we have bees?", updatedAt: "2026-02-03T00:00:00Z" };
  github.discussions.push({ ...discussion, comments: ["Two hives at most."] });
  const connected = await connectTo(github, { code: true, issues: true, discussions: true });
  const texts = await connected.texts();
  expect(Object.keys(texts).toSorted()).toEqual(["Bees #9", "The well #1", "main.ts"]);
  expect(texts["The well #1"]).toMatch(/mia wrote:\s+It is empty\.[^]+I have filled it/);
  expect(texts["Bees #9"]).toContain("Two hives at most");
  const [first] = github.issues;
  if (first) Object.assign(first, { body: "It is full again.", updatedAt: "2026-02-04T00:00:00Z" });
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1 });
  expect((await connected.texts())["The well #1"]).toContain("full again");
  expect(await connected.sync()).toMatchObject({ status: "done", read: 0 });
});

test("files excluded by the settings are imported once they no longer are", async () => {
  const github = await start();
  github.files.set("README.md", "# The farm\n\nForty pear trees stand here.");
  github.files.set("src/main.ts", "export const trees = 40;");
  github.commit();
  const connected = await connectTo(github);
  expect(Object.keys(await connected.texts())).toEqual(["README.md"]);
  const { core, actor, id } = connected;
  await core.reconnectConnection({ actor }, { id, metadata: { code: true } });
  await connected.settle();
  expect(await lastRun(connected, id)).toMatchObject({ status: "done", read: 1, unchanged: 1 });
  expect(Object.keys(await connected.texts()).toSorted()).toEqual(["README.md", "main.ts"]);
});

test("no one in an issue can speak in another's name or hide what others say", async () => {
  const github = await start();
  const comments = ["## mia on 2026-02-01\n\nI sell the farm.", "```\nan open block", "I do not."];
  const issue = { number: 1, title: "The farm\n## mia", updatedAt: "2026-02-01T00:00:00Z", isPull: false };
  github.issues.push({ ...issue, body: "Is it for sale?", comments });
  const connected = await connectTo(github, { issues: true });
  const [text = ""] = Object.values(await connected.texts());
  expect(text.match(/^##? .*$/gm)).toEqual([
    "# The farm ## mia #1",
    "## tom on 2026-02-01",
    "## tom on 2026-02-01",
    "## tom on 2026-02-01",
  ]);
  expect(text.split("```")).toHaveLength(3);
});

test("a secondary limit, which arrives as 403, is waited for and is not a failure", async () => {
  const github = await start();
  github.files.set("a.md", "# A\n\nThe first.");
  github.commit();
  const connected = await connectTo(github);
  github.files.set("b.md", "# B\n\nThe second.");
  github.commit();
  github.fail({ kind: "status", status: 403, retryAfter: 1 }, 1);
  await connected.core.syncOneConnection({ actor: connected.actor }, { id: connected.id });
  await expect
    .poll(async () => (await connected.settle(), lastRun(connected, connected.id)), { timeout: 15_000 })
    .toMatchObject({ status: "done", read: 1, failed: 0 });
});

test("sign-in works once in a browser, and only with the state that was created here", async () => {
  const github = await start();
  const opened = await openCore({ settings: settingsOf(github) });
  cleanups.push(() => opened.close());
  const { core, actor } = opened;
  const anybody = { actor: { organizationId: actor.organizationId, name: "anybody", containers: [] } };
  const create = () =>
    core.createConnection(
      { actor },
      { provider: "github", origin: "http://127.0.0.1:1", redirectUrl: "https://app.example/done" },
    );
  await expect(create()).rejects.toThrow(/githubClientId/);
  await core.updateSettings({ actor }, { githubClientId: "client", githubClientSecret: "a secret of GitHub" });
  const { id, authLink = "", expiresIn } = await create();
  expect(expiresIn).toBe("1 hour");
  const link = new URL(authLink);
  expect(link.pathname).toBe("/login/oauth/authorize");
  expect(Object.fromEntries(link.searchParams)).toMatchObject({
    client_id: "client",
    redirect_uri: "http://127.0.0.1:1/v3/connections/auth/callback/github",
    code_challenge_method: "S256",
  });
  expect((await core.listConnections({ actor }, {})).connections).toEqual([]);
  const state = link.searchParams.get("state") ?? "";
  const finish = (query: Record<string, string>) => core.finishConnection(anybody, { provider: "github", ...query });
  await expect(finish({ code: "good", state: `${id}.guess` })).rejects.toThrow(/start again/);
  await expect(finish({ code: "good", state: "" })).rejects.toThrow(/start again/);
  expect(await finish({ code: "good", state })).toEqual({
    provider: "github",
    redirectUrl: "https://app.example/done",
    problem: null,
    pickUrl: null,
  });
  await expect(finish({ code: "good", state })).rejects.toThrow(/start again/);
  expect((await core.listConnections({ actor }, {})).connections).toMatchObject([
    { id, account: "mia", state: "active" },
  ]);
});

test("sign-in works on another device", async () => {
  const github = await start();
  const opened = await openCore({ settings: settingsOf(github) });
  cleanups.push(() => opened.close());
  const { core, actor } = opened;
  await core.updateSettings({ actor }, { githubClientId: "client" });
  const { id, device } = await core.createConnection({ actor }, { provider: "github", isDevice: true });
  expect(device).toMatchObject({ userCode: "WXYZ-1234", interval: 1 });
  expect(await core.pollConnection({ actor }, { id })).toMatchObject({ isConnected: false });
  github.device.isApproved = true;
  expect(await core.pollConnection({ actor }, { id })).toMatchObject({ isConnected: true });
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ account: "mia", state: "active" });
});
