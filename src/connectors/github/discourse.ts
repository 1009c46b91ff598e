import * as z from "zod";
import type { SourceChange, SourceContent, SourceItem } from "../../core/ports.js";
import { askGraph, type GithubApi, PER_PAGE, readAllGithub, readGithub } from "./github-api.js";
import type { Repository } from "./repository-files.js";

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

export interface Updates {
  readonly changes: readonly SourceChange[];
  /** Moment of the newest of them; null where there are none. */
  readonly until: string | null;
  readonly isLast: boolean;
}

/** A page of the issues that changed since a moment, the oldest change first. Pull requests are none. */
export async function changedIssues(api: GithubApi, repository: Repository, since: string | null): Promise<Updates> {
  const from = since === null ? "" : `&since=${encodeURIComponent(since)}`;
  const path = `/repos/${repository.fullName}/issues?state=all&sort=updated&direction=asc&per_page=${PER_PAGE}${from}`;
  const found = await readGithub(api, path, z.array(issueSchema));
  // `since` includes its own moment, so what stands there comes again.
  const fresh = found.filter(({ updated_at: moment }) => since === null || moment > since);
  const issues = fresh.filter((issue) => issue.pull_request === undefined);
  return {
    changes: issues.map((issue) => ({ kind: "upsert", item: issueItem(repository, issue) })),
    until: found.at(-1)?.updated_at ?? null,
    isLast: found.length < PER_PAGE,
  };
}

function issueItem({ id, fullName }: Repository, issue: z.output<typeof issueSchema>): SourceItem {
  return {
    id: `github:${id}:issue:${issue.number}`,
    version: issue.updated_at,
    title: `${issue.title} #${issue.number}`,
    address: issue.html_url,
    path: null,
    detail: { kind: "issue", repository: fullName, number: issue.number },
  };
}

/** An issue with all that was said to it. */
export async function readIssue(api: GithubApi, repository: string, number: number): Promise<SourceContent> {
  const issue = await readGithub(api, `/repos/${repository}/issues/${number}`, wholeIssueSchema);
  const comments = await readAllGithub(api, `/repos/${repository}/issues/${number}/comments`, commentSchema);
  const labels = issue.labels.flatMap((label) => (typeof label === "string" ? label : (label.name ?? [])));
  return contribution({
    title: `${issue.title} #${number}`,
    changedAt: issue.updated_at,
    metadata: { repository, number, state: issue.state, ...(labels.length > 0 && { labels: labels.join(", ") }) },
    parts: [
      { author: issue.user?.login, at: null, body: issue.body },
      ...comments.map(({ user, created_at: at, body }) => ({ author: user?.login, at, body })),
    ],
  });
}

interface Part {
  readonly author: string | undefined;
  readonly at: string | null;
  readonly body: string | null | undefined;
}

function contribution({
  title,
  parts,
  ...rest
}: {
  readonly title: string;
  readonly parts: readonly Part[];
  readonly changedAt: string;
  readonly metadata: SourceContent["metadata"];
}): SourceContent {
  const said = parts.filter(({ body }) => (body ?? "").trim() !== "");
  const texts = said.map(({ author = "somebody", at, body }, index) => {
    const when = at === null ? "" : ` on ${at.slice(0, 10)}`;
    return index === 0 && at === null ? `${author} wrote:\n\n${body}` : `## ${author}${when}\n\n${body}`;
  });
  return {
    ...rest,
    content: [`# ${title}`, ...texts].join("\n\n"),
    mimeType: "text/markdown",
    fileName: null,
    type: null,
    title,
  };
}

const author = z.object({ login: z.string() }).nullable();
const said = z.object({ body: z.string(), createdAt: z.string(), author });
const discussionSchema = z.object({
  number: z.number(),
  title: z.string(),
  url: z.string(),
  updatedAt: z.string(),
  body: z.string(),
  author,
  comments: z.object({ nodes: z.array(said.extend({ replies: z.object({ nodes: z.array(said) }) })) }),
});
const discussionsSchema = z.object({
  repository: z.object({
    discussions: z.object({
      pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
      nodes: z.array(discussionSchema),
    }),
  }),
});

const QUERY = `query ($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussions(first: 25, after: $after, orderBy: { field: UPDATED_AT, direction: DESC }) {
      pageInfo { hasNextPage endCursor }
      nodes {
        number title url updatedAt body author { login }
        comments(first: 50) { nodes { body createdAt author { login } replies(first: 25) { nodes { body createdAt author { login } } } } }
      }
    }
  }
}`;

/** The discussions that changed since a moment, with what was said in them. */
export async function changedDiscussions(
  api: GithubApi,
  repository: Repository,
  since: string | null,
): Promise<Updates> {
  const [owner = "", name = ""] = repository.fullName.split("/");
  const changes: SourceChange[] = [];
  let until: string | null = null;
  for (let after: string | null = null; ;) {
    const answer: z.output<typeof discussionsSchema> = await askGraph(api, QUERY, {
      variables: { owner, name, after },
      schema: discussionsSchema,
    });
    const { nodes, pageInfo } = answer.repository.discussions;
    const fresh = nodes.filter(({ updatedAt }) => since === null || updatedAt > since);
    until ??= nodes[0]?.updatedAt ?? null;
    changes.push(...fresh.map((discussion) => discussionChange(repository, discussion)));
    after = pageInfo.endCursor;
    if (!pageInfo.hasNextPage || fresh.length < nodes.length || after === null) return { changes, until, isLast: true };
  }
}

function discussionChange({ id, fullName }: Repository, discussion: z.output<typeof discussionSchema>): SourceChange {
  const { number, updatedAt, url, comments } = discussion;
  const title = `${discussion.title} #${number}`;
  const parts = comments.nodes.flatMap((comment) => [comment, ...comment.replies.nodes]);
  const content = contribution({
    title,
    changedAt: updatedAt,
    metadata: { repository: fullName, number },
    parts: [
      { author: discussion.author?.login, at: null, body: discussion.body },
      ...parts.map((part) => ({ author: part.author?.login, at: part.createdAt, body: part.body })),
    ],
  });
  const item = { id: `github:${id}:discussion:${number}`, version: updatedAt, title, address: url, path: null };
  return { kind: "upsert", item: { ...item, detail: { kind: "discussion" } }, content };
}
