import * as z from "zod";
import { ItemGone } from "../../core/connections/connector-errors.js";
import type { SourceContent, SourceItem } from "../../core/ports.js";
import { askGraph, type GithubApi } from "./github-api.js";
import type { GithubRepository } from "./repository-files.js";
import { idOfThread, threadContent, type ThreadPage, type ThreadSource } from "./threads.js";

const author = z.object({ login: z.string() }).nullable();
const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });
const said = z.object({ body: z.string(), createdAt: z.string(), author });
const commentSchema = said.extend({
  replies: z.object({ pageInfo: pageInfo.pick({ hasNextPage: true }), nodes: z.array(said) }),
});
const discussionSchema = z.object({
  number: z.number(),
  title: z.string(),
  url: z.string(),
  updatedAt: z.string(),
  body: z.string(),
  author,
  category: z.object({ name: z.string() }).nullish(),
  comments: z.object({ pageInfo, nodes: z.array(commentSchema) }),
});
type Discussion = z.output<typeof discussionSchema>;
const listSchema = z.object({
  repository: z.object({ discussions: z.object({ pageInfo, nodes: z.array(discussionSchema) }) }),
});
const oneSchema = z.object({ repository: z.object({ discussion: discussionSchema.nullable() }) });

const fields = (comments: string, replies: number): string => `
  number title url updatedAt body author { login } category { name }
  comments(${comments}) {
    pageInfo { hasNextPage endCursor }
    nodes {
      body createdAt author { login }
      replies(first: ${replies}) { pageInfo { hasNextPage } nodes { body createdAt author { login } } }
    }
  }`;

const LIST = `query ($owner: String!, $name: String!, $after: String, $direction: OrderDirection!) {
  repository(owner: $owner, name: $name) {
    discussions(first: 25, after: $after, orderBy: { field: UPDATED_AT, direction: $direction }) {
      pageInfo { hasNextPage endCursor }
      nodes { ${fields("first: 50", 25)} }
    }
  }
}`;
const ONE = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussion(number: $number) { ${fields("first: 100, after: $after", 100)} }
  }
}`;

export const DISCUSSIONS: ThreadSource = {
  kind: "discussion",
  list: (api, repository, position) => discussionsFrom(api, repository, { direction: "ASC", after: position }),
  // GitHub has no filter for them: they are listed from the newest change back to the given time.
  async changed(api, repository, { since, position }) {
    const page = await discussionsFrom(api, repository, { direction: "DESC", after: position });
    const isReached = page.oldest !== null && page.oldest < since;
    return {
      ...page,
      threads: page.threads.filter(({ change }) => change.item.version >= since),
      next: isReached ? null : page.next,
    };
  },
};

async function discussionsFrom(
  api: GithubApi,
  repository: GithubRepository,
  { direction, after }: { readonly direction: "ASC" | "DESC"; readonly after: string | null },
) {
  const [owner = "", name = ""] = repository.fullName.split("/");
  const variables = { owner, name, after, direction };
  const answer = await askGraph(api, LIST, { variables, schema: listSchema });
  const { nodes, pageInfo: info } = answer?.repository.discussions ?? { nodes: [], pageInfo: null };
  const moments = nodes.map(({ updatedAt }) => updatedAt).toSorted();
  return {
    threads: nodes.map((discussion) => ({
      number: discussion.number,
      change: {
        kind: "upsert" as const,
        item: discussionItem(repository, discussion),
        ...(isWhole(discussion) && { content: contentOf(repository.fullName, discussion, discussion.comments.nodes) }),
      },
    })),
    until: moments.at(-1) ?? null,
    oldest: moments[0] ?? null,
    next: info?.hasNextPage === true ? info.endCursor : null,
    mark: String(info?.endCursor),
  } satisfies ThreadPage & { readonly oldest: string | null };
}

function discussionItem(repository: GithubRepository, { number, title, updatedAt, url }: Discussion): SourceItem {
  return {
    id: idOfThread(repository, "discussion", number),
    version: updatedAt,
    title: `${title} #${number}`,
    address: url,
    path: null,
    detail: { kind: "discussion", repository: repository.fullName, number },
  };
}

function isWhole({ comments }: Discussion): boolean {
  return !comments.pageInfo.hasNextPage && comments.nodes.every(({ replies }) => !replies.pageInfo.hasNextPage);
}

/** A discussion with all comments, and the first hundred replies to each. @throws ItemGone */
export async function readDiscussion(api: GithubApi, repository: string, number: number): Promise<SourceContent> {
  const comments: Discussion["comments"]["nodes"] = [];
  const seen = new Set<string | null>();
  for (let after: string | null = null; ;) {
    const discussion: Discussion = await discussionFrom(api, repository, { number, after });
    comments.push(...discussion.comments.nodes);
    const { hasNextPage, endCursor }: z.output<typeof pageInfo> = discussion.comments.pageInfo;
    seen.add(after);
    if (!hasNextPage || seen.has(endCursor)) return contentOf(repository, discussion, comments);
    after = endCursor;
  }
}

async function discussionFrom(
  api: GithubApi,
  repository: string,
  from: { readonly number: number; readonly after: string | null },
): Promise<Discussion> {
  const [owner = "", name = ""] = repository.split("/");
  const answer = await askGraph(api, ONE, { variables: { owner, name, ...from }, schema: oneSchema });
  if (!answer?.repository.discussion) throw new ItemGone("The discussion no longer exists.");
  return answer.repository.discussion;
}

function contentOf(
  repository: string,
  { number, title, body, updatedAt, author: writer, category }: Discussion,
  comments: Discussion["comments"]["nodes"],
): SourceContent {
  const parts = comments.flatMap((comment) => [comment, ...comment.replies.nodes]);
  return threadContent({
    title: `${title} #${number}`,
    changedAt: updatedAt,
    metadata: { repository, number, ...(category && { category: category.name }) },
    parts: [
      { author: writer?.login, at: null, body },
      ...parts.map((part) => ({ author: part.author?.login, at: part.createdAt, body: part.body })),
    ],
  });
}
