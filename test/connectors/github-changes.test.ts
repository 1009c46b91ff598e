import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGithubConnector } from "../../src/connectors/github/github.js";
import { SignInRefused } from "../../src/core/connections/connector-errors.js";
import type { SourceAccess } from "../../src/core/ports.js";
import { mirrorSource } from "../support/mirrored-source.js";
import { GITHUB_TOKEN, type ScriptedGithub, startGithub } from "../support/scripted-github.js";
import type { ScriptedRepository } from "../support/scripted-github-repository.js";
import { sourceAccess } from "../support/source-access.js";

const DAY_MS = 24 * 3_600_000;
let github: ScriptedGithub;
let chosen: ScriptedRepository[];
let now: number;

beforeEach(async () => {
  github = await startGithub();
  chosen = [github.farm];
  now = Date.parse("2026-03-01T00:00:00Z");
});
afterEach(async () => {
  await github.close();
});

const connector = () => createGithubConnector({ apiUrl: github.url });

interface Wanted {
  readonly code?: boolean;
  readonly issues?: boolean;
  readonly discussions?: boolean;
}

function accessFor(wanted: Wanted = {}, token = GITHUB_TOKEN) {
  return (known?: SourceAccess["known"]): SourceAccess => {
    const access = sourceAccess(connector(), { metadata: { token, ...wanted }, ...(known && { known }) });
    return Object.defineProperties(
      { ...access, now: () => new Date(now) },
      { resources: { get: () => chosen.map(({ id, fullName }) => ({ id, name: fullName, defaultBranch: "main" })) } },
    );
  };
}

const mirror = (wanted: Wanted = {}) => mirrorSource(connector(), accessFor(wanted));

let clock = Date.parse("2026-02-01T00:00:00Z");
const tick = (): string => new Date((clock += 1_000)).toISOString().replace(".000Z", "Z");

function open(number: number, title = `Issue ${number}`, updatedAt = tick()): void {
  github.issues.push({ number, title, body: `The text of ${number}.`, updatedAt, comments: [], isPull: false });
}
function discuss(number: number, comments: string[] = []): void {
  github.discussions.push({
    number,
    title: `Talk ${number}`,
    body: `Let us talk of ${number}.`,
    updatedAt: tick(),
    comments,
  });
}

describe("files", () => {
  test("a run stopped after any page resumes, and reads nothing twice", async () => {
    for (let index = 0; index < 250; index += 1) github.files.set(`docs/${index}.md`, `Text ${index}.`);
    await github.put("README.md", "The farm.");
    const source = mirror();
    expect(await source.sync({ stopAfter: 1 })).toBe(false);
    expect(await source.sync({ stopAfter: 2 })).toBe(false);
    await github.put("late.md", "It came while the others were listed.");
    expect(await source.sync()).toBe(true);
    expect(await source.sync()).toBe(true);
    expect(source.documents.size).toBe(252);
    expect(source.reads).toHaveLength(252);
  });

  test("a rename is another document, and two files that swap names both stay", async () => {
    const [one, other] = [await github.put("a.md", "The text of a."), await github.put("b.md", "The text of b.")];
    const source = mirror();
    await source.sync();
    github.files.set("a.md", "The text of b.").set("b.md", "The text of a.");
    github.commit();
    await source.sync();
    expect(source.texts()).toEqual({ "a.md": "The text of b.", "b.md": "The text of a." });
    await github.rename(one, "c.md");
    await source.sync();
    expect([...source.documents.keys()].toSorted()).toEqual([other, "github:4711:c.md"]);
  });

  test("a forced push that keeps the former commit available removes what only that one had", async () => {
    await github.put("first.md", "It was there at first.");
    const later = await github.put("later.md", "It was given up again.");
    const source = mirror();
    await source.sync();
    github.startOver();
    github.files.delete("later.md");
    await github.put("other.md", "Another way.");
    await source.sync();
    expect(source.documents.has(later)).toBe(false);
    expect(source.texts()).toEqual({ "first.md": "It was there at first.", "other.md": "Another way." });
    expect(source.reads).toHaveLength(3);
  });

  test("a tree too large for GitHub to list in one response is listed folder by folder", async () => {
    for (const path of ["a.md", "x/b.md", "x/y/c.md", "x/y/d.md", "node_modules/e/f.md", "z/g.md"])
      github.files.set(path, `The text of ${path}.`);
    github.commit();
    github.farm.treeLimit = 4;
    const source = mirror();
    await source.sync();
    expect(new Set([...source.documents.values()].map(({ item }) => item.path))).toEqual(
      new Set(["a.md", "x/b.md", "x/y/c.md", "x/y/d.md", "z/g.md"].map((path) => `mia/farm/${path}`)),
    );
    expect(new Set(source.pages.map(({ cutShort }) => cutShort))).toEqual(new Set([undefined]));
  });

  test("links are not files, neither in the tree nor in a comparison", async () => {
    github.files.set("AGENTS.md", "What agents have to know.").set("CLAUDE.md", "AGENTS.md");
    github.farm.links.add("CLAUDE.md");
    github.commit();
    const source = mirror();
    await source.sync();
    github.files.set("docs/GEMINI.md", "../AGENTS.md");
    github.farm.links.add("docs/GEMINI.md");
    github.commit();
    await source.sync();
    expect(source.texts()).toEqual({ "AGENTS.md": "What agents have to know." });
    expect([...source.skipped.values()]).toEqual(["It is a link to another file."]);
  });

  test("files in Git LFS are skipped with a reason", async () => {
    const id = await github.put("big.md", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    const source = mirror();
    await source.sync();
    expect(source.skipped.get(id)).toMatch(/Git LFS/);
  });

  test("an empty repository is no error, and a renamed branch is followed", async () => {
    const source = mirror();
    expect(await source.sync()).toBe(true);
    await github.put("a.md", "The first text.");
    await source.sync();
    github.farm.defaultBranch = "trunk";
    await github.put("b.md", "The second text.");
    await source.sync();
    expect(source.texts()).toEqual({ "a.md": "The first text.", "b.md": "The second text." });
  });
});

describe("repositories", () => {
  test("several share one checkpoint, and the documents of a deselected one stay", async () => {
    const barn = github.addRepository(12, "mia/barn");
    barn.files.set("barn.md", "The barn is red.");
    barn.commit();
    await github.put("a.md", "The farm.");
    chosen = [github.farm, barn];
    const source = mirror();
    await source.sync();
    chosen = [github.farm];
    barn.files.delete("barn.md");
    barn.commit();
    github.forgetCommits();
    await source.sync();
    expect(source.texts()).toEqual({ "a.md": "The farm.", "barn.md": "The barn is red." });
    chosen = [github.farm, barn];
    await source.sync();
    expect(source.texts()).toEqual({ "a.md": "The farm." });
    expect(source.reads).toHaveLength(2);
  });

  test("a deleted repository takes its documents along; one that is temporarily inaccessible does not", async () => {
    await github.put("a.md", "The farm.");
    open(1);
    discuss(2);
    const source = mirror({ issues: true, discussions: true });
    await source.sync();
    github.farm.state = "closed";
    await source.sync();
    expect(source.documents.size).toBe(3);
    expect(source.pages.at(-1)?.cutShort).toMatch(/does not give this account access to the repository mia\/farm/);
    github.farm.state = "gone";
    await source.sync();
    expect(source.documents.size).toBe(0);
    expect(source.pages.at(-1)?.missing).toEqual(["mia/farm"]);
    github.farm.state = "open";
    await source.sync();
    expect(source.documents.size).toBe(3);
    expect(source.pages.at(-1)?.missing).toBeUndefined();
  });

  test("a renamed repository stays the same, and nothing is read again", async () => {
    await github.put("a.md", "The farm.");
    open(1);
    const source = mirror({ issues: true });
    await source.sync();
    github.renameRepository(github.farm, "mia/orchard");
    await github.put("b.md", "Pears.");
    await source.sync();
    expect(source.reads).toHaveLength(3);
    // An entry listed under the old name can still be read.
    const [issue] = [...source.documents.values()].filter(({ item }) => item.title === "Issue 1 #1");
    if (!issue) throw new Error("There is no issue.");
    expect(await connector().read(accessFor()(), issue.item)).toMatchObject({ title: "Issue 1 #1" });
  });
});

describe("issues and discussions", () => {
  test("those updated while they are listed are not left out", async () => {
    for (let number = 1; number <= 120; number += 1) open(number);
    let isDone = false;
    github.betweenRequests = (path) => {
      const [first] = github.issues;
      if (isDone || !first || !path.endsWith("/issues") || !github.asked.some((one) => one.endsWith("/issues"))) return;
      isDone = true;
      first.updatedAt = tick();
    };
    const source = mirror({ issues: true });
    await source.sync();
    expect(isDone).toBe(true);
    expect(source.documents.size).toBe(120);
  });

  test("more of the same moment than a page holds are all listed", async () => {
    const moment = tick();
    for (let number = 1; number <= 210; number += 1) open(number, `Issue ${number}`, moment);
    open(400);
    const source = mirror({ issues: true });
    await source.sync();
    expect(source.documents.size).toBe(211);
    await source.sync();
    expect(source.reads).toHaveLength(211);
  });

  test("deleted ones are removed by the complete daily list, and by no list that was interrupted", async () => {
    for (let number = 1; number <= 120; number += 1) open(number);
    for (let number = 1; number <= 60; number += 1) discuss(number + 1_000);
    const source = mirror({ issues: true, discussions: true });
    await source.sync();
    github.issues.splice(3, 1);
    github.discussions.splice(7, 1);
    await source.sync();
    expect(source.documents.size).toBe(180);
    now += DAY_MS;
    github.betweenRequests = (path) => {
      if (path.endsWith("/issues") && github.asked.at(-1)?.endsWith("/issues") === true)
        github.fail({ kind: "status", status: 500 }, 1);
      github.betweenRequests = path.endsWith("/graphql") ? () => {} : github.betweenRequests;
    };
    await expect(source.sync()).rejects.toMatchObject({ kind: "unavailable" });
    expect(source.documents.size).toBe(180);
    github.heal();
    github.betweenRequests = () => {};
    await source.sync();
    expect(source.documents.size).toBe(178);
    expect(source.reads).toHaveLength(180);
  });

  test("discussions are followed from the newest change on, and long ones are read whole", async () => {
    for (let number = 1; number <= 60; number += 1) discuss(number);
    const source = mirror({ discussions: true });
    await source.sync();
    const comments = Array.from({ length: 230 }, (_, index) => `Comment number ${index}.`);
    const [first] = github.discussions;
    if (first) Object.assign(first, { comments, updatedAt: tick() });
    const before = github.requests();
    await source.sync();
    // The repository, the commit, one page of discussions and three of comments.
    expect(github.requests() - before).toBe(6);
    expect(source.reads).toHaveLength(61);
    const text = source.texts()["Talk 1 #1"] ?? "";
    for (const comment of comments) expect(text).toContain(comment);
    expect(source.pages.at(-2)?.items).toSatisfy((items: readonly { content?: unknown }[]) =>
      items.some(({ content }) => content === undefined),
    );
  });

  test("repositories without issues are no error", async () => {
    github.farm.hasIssues = false;
    await github.put("a.md", "The farm.");
    const source = mirror({ issues: true });
    await source.sync();
    expect(source.documents.size).toBe(1);
  });

  test("an issue deleted before it was read is gone", async () => {
    open(1);
    const source = mirror({ issues: true });
    github.betweenRequests = (path) => void (path.endsWith("/issues/1") && github.issues.splice(0));
    await source.sync();
    expect(source.documents.size).toBe(0);
  });
});

describe("faults", () => {
  test.each([
    [
      "a primary limit, by GitHub's clock",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1769904090", date: "Sun, 01 Feb 2026 00:00:00 GMT" },
      90,
    ],
    ["a secondary limit with a pause", { "retry-after": "17" }, 17],
  ])("%s, as 403", async (_, headers, retryAfter) => {
    github.fail({ kind: "answer", status: 403, headers }, 1);
    await expect(mirror().sync()).rejects.toMatchObject({ kind: "rate_limited", retryAfter });
  });

  test("a secondary limit without a pause, and a GraphQL limit with status 200, are rate limits", async () => {
    const message = "You have exceeded a secondary rate limit.";
    github.fail({ kind: "answer", status: 403, body: { message } }, 1);
    await expect(mirror().sync()).rejects.toMatchObject({ kind: "rate_limited", retryAfter: 60 });
    github.fail({ kind: "answer", status: 200, body: { errors: [{ type: "RATE_LIMITED" }] }, path: /graphql/ }, 1);
    await expect(mirror({ discussions: true }).sync()).rejects.toMatchObject({ kind: "rate_limited" });
  });

  test.each([
    ["FORBIDDEN", "forbidden"],
    ["SERVICE_UNAVAILABLE", "unavailable"],
  ])("discussions refused as %s are %s", async (type, kind) => {
    github.fail({ kind: "answer", status: 200, body: { data: null, errors: [{ type }] }, path: /graphql/ }, 1);
    await expect(mirror({ discussions: true }).sync()).rejects.toMatchObject({ kind });
  });

  test.each(["garbage", "cut"] as const)("a response that is %s removes nothing", async (kind) => {
    await github.put("a.md", "The farm.");
    open(1);
    const source = mirror({ issues: true });
    await source.sync();
    now += DAY_MS;
    github.fail({ kind, path: /\/issues$/ }, 1);
    await expect(source.sync()).rejects.toMatchObject({ kind: "unavailable" });
    expect(source.documents.size).toBe(2);
    await source.sync();
    expect(source.documents.size).toBe(2);
  });

  test("a list whose pages form a loop ends", async () => {
    for (let number = 1; number <= 120; number += 1) open(number);
    github.isLooping = true;
    await expect(mirror({ issues: true }).sync()).rejects.toThrow(/does not lead to a next page/);
    github.issues.splice(0);
    for (let number = 1; number <= 60; number += 1) discuss(number);
    await expect(mirror({ discussions: true }).sync()).rejects.toThrow(/does not lead to a next page/);
  });

  test("a token revoked during a run requires a new one, and is in no message", async () => {
    await github.put("a.md", "The farm.");
    const error: unknown = await mirrorSource(connector(), accessFor({}, "github_pat_wrong"))
      .sync()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SignInRefused);
    expect(String(error)).not.toContain("github_pat_wrong");
  });

  test("a checkpoint of another version lists everything again, and removes nothing", async () => {
    await github.put("a.md", "The farm.");
    const access = accessFor()();
    await expect(async () => {
      for await (const _ of connector().changes(access, { repositories: { 4711: { issues: "2026" } } })) continue;
    }).rejects.toThrow(/another version/);
  });
});
