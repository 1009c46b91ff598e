import * as z from "zod";
import { ItemGone } from "../../core/connections/connector-errors.js";
import type { SourceContent, SourceItem } from "../../core/ports.js";
import { askGithub, type GithubApi, parseGithub, PER_PAGE, readAllGithub } from "./github-api.js";
import type { GithubRepository } from "./repository-files.js";
import { idOfThread, threadContent, type ThreadPage, type ThreadSource } from "./threads.js";

const person = z.object({ login: z.string() }).nullish();
const issueSchema = z.object({
  number: z.number(),
  title: z.string(),
  updated_at: z.string(),
  html_url: z.string(),
  pull_request: z.unknown().optional(),
});
const wholeIssueSchema = issueSchema.extend({
  body: z.string().nullish(),
  state: z.string(),
  user: person,
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).default([]),
});
const commentSchema = z.object({ body: z.string().nullish(), user: person, created_at: z.string() });

/** Issues, without the pull requests that GitHub lists among them. */
export const ISSUES: ThreadSource = {
  kind: "issue",
  list: issuesFrom,
  changed: (api, repository, { since, position }) => issuesFrom(api, repository, position ?? `1 ${since}`),
};

/**
 * Issues updated at or after a given time. A page begins where the one before ended rather than at a number, so that updates
 * meanwhile cause no omissions.
 */
async function issuesFrom(api: GithubApi, repository: GithubRepository, position: string | null): Promise<ThreadPage> {
  const [page = "1", since = ""] = position?.split(" ") ?? [];
  const from = since === "" ? "" : `&since=${encodeURIComponent(since)}`;
  const path = `/repos/${repository.fullName}/issues?state=all&sort=updated&direction=asc&per_page=${PER_PAGE}&page=${page}${from}`;
  const answer = await askGithub(api, path, { accepts: [410] });
  // Issues are disabled.
  const found = answer.status === 410 ? [] : parseGithub(answer, z.array(issueSchema));
  const until = found.at(-1)?.updated_at ?? null;
  const isOneMoment = until !== null && found[0]?.updated_at === until;
  return {
    threads: found
      .filter((issue) => issue.pull_request === undefined)
      .map((issue) => ({ number: issue.number, change: { kind: "upsert", item: issueItem(repository, issue) } })),
    until,
    // More issues with the same time than a page holds can only be told apart by page number.
    next: found.length < PER_PAGE ? null : `${isOneMoment ? (since === until ? Number(page) + 1 : 2) : 1} ${until}`,
    mark: found.map(({ number, updated_at: moment }) => `${number} ${moment}`).join(),
  };
}

function issueItem(repository: GithubRepository, issue: z.output<typeof issueSchema>): SourceItem {
  return {
    id: idOfThread(repository, "issue", issue.number),
    version: issue.updated_at,
    title: `${issue.title} #${issue.number}`,
    address: issue.html_url,
    path: null,
    detail: { kind: "issue", repository: repository.fullName, number: issue.number },
  };
}

/** An issue with all its comments. @throws ItemGone for one that was deleted or moved to another repository */
export async function readIssue(api: GithubApi, repository: string, item: SourceItem & { readonly number: number }) {
  const { number } = item;
  const path = `/repos/${repository}/issues/${number}`;
  const answer = await askGithub(api, path, { accepts: [404, 410] });
  if (answer.status !== 200 || isElsewhere(answer.url, item)) throw new ItemGone("The issue no longer exists.");
  const issue = parseGithub(answer, wholeIssueSchema);
  const comments = await readAllGithub(api, `${path}/comments`, commentSchema);
  const labels = issue.labels.flatMap((label) => (typeof label === "string" ? label : (label.name ?? [])));
  return threadContent({
    title: `${issue.title} #${number}`,
    changedAt: issue.updated_at,
    metadata: { repository, number, state: issue.state, ...(labels.length > 0 && { labels: labels.join(", ") }) },
    parts: [
      { author: issue.user?.login, at: null, body: issue.body },
      ...comments.map(({ user, created_at: at, body }) => ({ author: user?.login, at, body })),
    ],
  }) satisfies SourceContent;
}

/** Redirects lead to the same repository under another name, or to the one an issue was moved to. */
function isElsewhere(url: string, { id }: SourceItem): boolean {
  const repository = /\/repositories\/(\d+)\//.exec(new URL(url).pathname)?.[1];
  return repository !== undefined && !id.startsWith(`github:${repository}:`);
}
