import { expect, test } from "vitest";
import { createGithubConnector } from "../../src/connectors/github/github.js";
import { followThreads, NO_THREADS, type ThreadPage, type ThreadSource } from "../../src/connectors/github/threads.js";
import { sourceAccess } from "../support/source-access.js";

const repository = {
  id: 1,
  fullName: "mia/farm",
  branch: "main",
  defaultBranch: "main",
  webUrl: "https://git.example",
};

/** Issues whose pages form a loop of this length. */
function circleOf(length: number): ThreadSource {
  let asked = 0;
  const page = (): Promise<ThreadPage> => {
    const mark = String((asked += 1) % length);
    return Promise.resolve({ threads: [], until: "2026-01-01T00:00:00Z", next: mark, mark });
  };
  return { kind: "issue", list: page, changed: page };
}

async function follow(source: ThreadSource, known: typeof NO_THREADS): Promise<void> {
  const api = { url: "https://git.example", access: sourceAccess(createGithubConnector({}), { token: "a" }) };
  let pages = 0;
  for await (const { changes } of followThreads(api, repository, source, known)) {
    pages += 1;
    expect(changes).toEqual([]);
  }
  expect(pages).toBeGreaterThan(0);
}

test.each([1, 2, 3])("pages of issues in a loop of %i end the run", async (length) => {
  const known = { until: "2026-01-01T00:00:00Z", listedAt: new Date().toISOString(), listing: null };
  for (const state of [NO_THREADS, known])
    await expect(follow(circleOf(length), state)).rejects.toMatchObject({
      kind: "unavailable",
      message: "GitHub does not lead to a next page of a list.",
    });
});
