import { createHash } from "node:crypto";
import { basename } from "node:path";
import { createGithubConnector } from "../../../src/connectors/github/github.js";
import type { FollowedEntry, FollowedProvider } from "../followed-source.js";
import { GITHUB_TOKEN, startGithub } from "../scripted-github.js";

const KINDS = ["file", "file", "issue", "discussion"] as const;

/** A repository with files, issues and discussions. */
export const GITHUB: FollowedProvider = {
  provider: "github",
  nameOf: (count) => `shelf ${count % 3}/note ${count}.md`,
  async start() {
    const github = await startGithub();
    const { farm, repositoryId } = github;
    farm.commit();
    let made = 0;
    let numbers = 0;
    let clock = Date.parse("2026-02-01T00:00:00Z");
    const tick = (): string => new Date((clock += 1_000)).toISOString().replace(".000Z", "Z");
    const numberOf = (id: string): number => Number(/:(?:issue|discussion):(\d+)$/.exec(id)?.[1] ?? Number.NaN);
    const threadOf = (id: string) =>
      [...farm.issues, ...farm.discussions].find(({ number }) => number === numberOf(id)) ?? null;
    const change = (id: string, changed: { title?: string; body?: string }): boolean => {
      const thread = threadOf(id);
      if (thread) Object.assign(thread, changed, { updatedAt: tick() });
      return thread !== null;
    };
    const dropThread = (id: string): boolean => {
      const number = numberOf(id);
      for (const list of [farm.issues, farm.discussions]) {
        const at = list.findIndex((one) => one.number === number);
        if (at !== -1) list.splice(at, 1);
      }
      return !Number.isNaN(number);
    };
    const closed = (entry: FollowedEntry): RegExp => {
      const number = numberOf(entry.id);
      const hash = createHash("sha1").update(entry.texts.join("")).digest("hex");
      return new RegExp(Number.isNaN(number) ? `/git/blobs/${hash}$` : `/issues/${number}$`);
    };
    return {
      connector: createGithubConnector({ apiUrl: github.url }),
      metadata: { token: GITHUB_TOKEN, code: true, issues: true, discussions: true },
      resources: [{ id: repositoryId, name: farm.fullName, defaultBranch: farm.defaultBranch }],
      async put(name, text) {
        const kind = KINDS[(made += 1) % KINDS.length];
        if (kind === "file") return github.put(name, text);
        const number = (numbers += 1);
        const thread = { number, title: name, body: text, updatedAt: tick(), comments: [] };
        if (kind === "issue") farm.issues.push({ ...thread, isPull: false });
        else farm.discussions.push(thread);
        return `github:${repositoryId}:${kind}:${number}`;
      },
      async edit({ id }, text) {
        if (!change(id, { body: text })) await github.edit(id, text);
        return id;
      },
      async rename({ id }, name) {
        if (change(id, { title: name })) return id;
        await github.rename(id, name);
        return `github:${repositoryId}:${name}`;
      },
      async remove({ id }) {
        if (!dropThread(id)) await github.remove(id);
      },
      async restore({ id, name, texts: [text = ""] }) {
        const number = numberOf(id);
        if (Number.isNaN(number)) {
          await github.edit(id, text);
          return true;
        }
        const thread = { number, title: name, body: text, updatedAt: tick(), comments: [] };
        if (id.includes(":issue:")) farm.issues.push({ ...thread, isPull: false });
        else farm.discussions.push(thread);
        return true;
      },
      events: [() => farm.startOver(), (pick) => github.renameRepository(farm, `mia/farm-${pick}-${(made += 1)}`)],
      titleOf: ({ id, name }) => (threadOf(id) ? `${name} #${numberOf(id)}` : basename(name)),
      forbid(entry) {
        if (!entry.id.includes(":discussion:")) github.fail({ kind: "answer", status: 403, path: closed(entry) }, 100);
      },
      fail(fault, after) {
        github.fail({ kind: "pass" }, after);
        github.fail(fault, 1);
      },
      expire: () => github.fail({ kind: "expired" }, 1),
      heal: () => github.heal(),
      requests: () => github.requests(),
      // The current name and default branch of the repository; its newest commit; issues; discussions.
      least: () => 4,
      close: () => github.close(),
    };
  },
};
