import { createHmac } from "node:crypto";
import * as z from "zod";
import type { ConnectorSettings, ConnectorWebhooks, SourceAccess, WebhookTarget } from "../../core/ports.js";
import { equalSecrets } from "../../lib/crypto.js";
import { askGithub, type GithubApi, parseGithub, readAllGithub } from "./github-api.js";

/** Each takes a request, which the person choosing repositories waits for. Other repositories are polled as before. */
const MOST_HOOKS = 50;

/** By repository id. */
const detailSchema = z.object({
  hooks: z.array(z.object({ repository: z.string(), id: z.number() })),
});
type Hooks = z.output<typeof detailSchema>["hooks"];

const hookSchema = z.object({ id: z.number(), config: z.object({ url: z.string().optional() }).optional() });

/** Webhooks of repositories (docs.github.com/rest/repos/webhooks), signed with HMAC. */
export function githubWebhooks(apiOf: (access: SourceAccess) => GithubApi): ConnectorWebhooks {
  return {
    async register(access, target, former) {
      const api = apiOf(access);
      const chosen = access.resources.map(({ id }) => String(id)).slice(0, MOST_HOOKS);
      const before = hooksOf(former);
      await remove(
        api,
        before.filter(({ repository }) => !chosen.includes(repository)),
      );
      const hooks: Hooks = [];
      const events = eventsOf(access.settings);
      for (const repository of chosen) {
        const known = before.find((one) => one.repository === repository);
        const id = await put(api, repository, known?.id ?? null, { target, events });
        if (id !== null) hooks.push({ repository, id });
      }
      return { count: hooks.length, detail: { hooks }, expiresAt: null };
    },
    remove: (access, detail) => remove(apiOf(access), hooksOf(detail)),
    verify({ headers, bytes }, secret) {
      const expected = `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
      return equalSecrets(headers["x-hub-signature-256"] ?? "", expected);
    },
  };
}

function hooksOf(detail: unknown): Hooks {
  return detailSchema.safeParse(detail).data?.hooks ?? [];
}

interface WantedHook {
  readonly target: WebhookTarget;
  readonly events: readonly string[];
}

/**
 * Creates a webhook, or updates an existing one.
 * @returns its id; null where the account may not create any, which is common
 */
async function put(
  api: GithubApi,
  repository: string,
  known: number | null,
  { target: { url, secret }, events }: WantedHook,
): Promise<number | null> {
  const path = `/repositories/${repository}/hooks`;
  const wanted = { active: true, events, config: { url, secret, content_type: "json", insecure_ssl: "0" } };
  const change = async (id: number): Promise<number | null> => {
    const changed = await askGithub(api, `${path}/${id}`, { method: "PATCH", body: wanted, accepts: [403, 404] });
    return changed.status === 200 ? id : null;
  };
  const changed = known === null ? null : await change(known);
  if (changed !== null) return changed;
  const answer = await askGithub(api, path, { body: { name: "web", ...wanted }, accepts: [403, 404, 422] });
  if (answer.status === 201) return parseGithub(answer, hookSchema).id;
  if (answer.status !== 422) return null;
  // It already exists with a former secret: an answer was lost, or it could not be removed.
  const hooks = await readAllGithub(api, path, hookSchema);
  const there = hooks.find(({ config }) => config?.url === url);
  return there ? change(there.id) : null;
}

function eventsOf({ issues, discussions }: ConnectorSettings): string[] {
  return [
    "push",
    ...(issues === true ? ["issues", "issue_comment"] : []),
    ...(discussions === true ? ["discussion", "discussion_comment"] : []),
  ];
}

async function remove(api: GithubApi, hooks: Hooks): Promise<void> {
  for (const { repository, id } of hooks)
    await askGithub(api, `/repositories/${repository}/hooks/${id}`, { method: "DELETE", accepts: [403, 404] });
}
