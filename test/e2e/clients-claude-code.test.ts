import { afterAll, beforeAll, expect } from "vitest";
import { localActor } from "../../src/core/index.js";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";
import { openCore } from "../support/open-core.js";
import { openPlugin, PROFILE_LIMIT, profileAnswer, receipt, REPO, textsOf } from "../support/plugin.js";
import { startServe, withDataDirectory } from "../support/recollect-process.js";

/** The requests of the Claude Code plugin, field by field as its source sends them (contract 7.8). */

let service: ClientService;
beforeAll(async () => {
  service = await openClientService();
});
afterAll(() => service.close());

const trial = tryClient("claudeCode");
const plugin = () => openPlugin(service, { "x-sm-source": "claude-code" });
const capture = (content: string) => ({
  content,
  containerTag: REPO,
  customId: "session-41",
  entityContext: "Shared coding-agent memory for one software repository.",
  metadata: {
    sm_source: "claude-code",
    type: "session_turn",
    project: "recollect",
    sm_project_id: "recollect",
    sm_scope: "project",
    sm_capture_mode: "automatic",
    timestamp: "2026-11-20T10:00:00.000Z",
  },
});
const FIRST = "[user]\nWe chose SQLite for the record of Recollect.\n[assistant]\nNoted.";

trial.tries("POST /v3/documents", "captures a session, and continues it under the same id", async () => {
  const first = await plugin().call("POST", "/v3/documents", capture(FIRST), 25_000);
  expect(first.status).toBe(200);
  const next = `${FIRST}\n[user]\nThe release of Recollect is planned for June.`;
  const second = await plugin().call("POST", "/v3/documents", capture(next), 25_000);
  expect(receipt.parse(second.body).id).toBe(receipt.parse(first.body).id);
  await service.settle();
});

trial.tries("POST /v4/profile", "recalls at the start of a session and at every prompt", async () => {
  for (const q of ["recollect", "When is the release of Recollect planned?"]) {
    const { status, body } = await plugin().call("POST", "/v4/profile", { containerTag: REPO, q }, PROFILE_LIMIT);
    expect(status).toBe(200);
    profileAnswer.parse(body);
  }
  const q = "When is the release of Recollect planned?";
  const { body } = await plugin().call("POST", "/v4/profile", { containerTag: REPO, q }, PROFILE_LIMIT);
  const kept = profileAnswer.parse(body).searchResults.results.filter(({ similarity }) => similarity >= 0.55);
  expect(textsOf(kept.slice(0, 5))).toMatch(/release.*June/s);
});

trial.tries("POST /v4/profile", "returns an empty profile for an unknown repository", async () => {
  const unknown = { containerTag: "repo_other__fedcba9876543210", q: "anything" };
  const { status, body } = await plugin().call("POST", "/v4/profile", unknown, PROFILE_LIMIT);
  expect(status).toBe(200);
  expect(body).toMatchObject({ profile: { static: [], dynamic: [] }, searchResults: { results: [], total: 0 } });
});

trial.tries("POST /v4/search", "filters by sm_scope, as older versions do", async () => {
  const search = (value: string) =>
    plugin().call("POST", "/v4/search", {
      q: "What is the record of Recollect?",
      containerTag: REPO,
      limit: 10,
      searchMode: "hybrid",
      filters: { AND: [{ key: "sm_scope", value, filterType: "metadata" }] },
    });
  expect(textsOf((await search("project")).body.results)).toContain("SQLite");
  expect((await search("personal")).body).toMatchObject({ results: [], total: 0 });
});

trial.tries("GET /v3/session", "names the organisation for the status line", async () => {
  const { status, body } = await plugin().call("GET", "/v3/session");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    org: { id: service.rest.actor.organizationId, name: /./.exec(body.org.name)?.input },
  });
});

trial.tries("POST /v4/profile", "answers in 3 s after a cold start over 2,000 memories, and then in 1 s", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const key = await fill(dataDirectory, 2_000);
    const server = await startServe(dataDirectory);
    try {
      const cold = openPlugin({ ...service, url: server.url }, { key });
      const ask = (number: number, limit: number) =>
        cold.call("POST", "/v4/profile", { containerTag: REPO, q: `Who owns module ${number}?` }, limit);
      const first = await ask(77, 3_000);
      expect(first.status).toBe(200);
      expect(textsOf(profileAnswer.parse(first.body).searchResults.results)).toContain("module 77");
      for (const number of [3, 500, 1_999]) {
        const { searchResults } = profileAnswer.parse((await ask(number, 1_000)).body);
        expect(textsOf(searchResults.results)).toContain(`module ${number}`);
      }
    } finally {
      await server.stop();
    }
  });
});

trial.isInTable();

/** Writes this many memories of one container into a data folder, and returns a key for it. */
async function fill(dataDirectory: string, count: number): Promise<string> {
  const opened = await openCore({ dataDirectory });
  const call = { actor: localActor(opened.actor.organizationId) };
  for (let from = 0; from < count; from += 100) {
    const memories = Array.from({ length: 100 }, (_, index) => ({
      content: `Engineer ${(from + index) * 7} owns module ${from + index} of the system.`,
    }));
    await opened.core.createMemories(call, { containerTag: REPO, memories });
  }
  const { secret } = await opened.core.createKey(call, { name: "plugin" });
  await opened.settle();
  await opened.close();
  return secret;
}
