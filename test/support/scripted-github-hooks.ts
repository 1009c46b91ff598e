import { createHmac } from "node:crypto";
import * as z from "zod";
import { deliver, type Delivered } from "./webhook-delivery.js";

export interface Hook {
  readonly repository: number;
  readonly events: readonly string[];
  readonly url: string;
  readonly secret: string;
}

const hookBody = z.strictObject({
  name: z.literal("web"),
  active: z.literal(true),
  events: z.array(z.enum(["push", "issues", "issue_comment", "discussion", "discussion_comment"])).min(1),
  config: z.strictObject({
    url: z.url({ protocol: /^https$/ }),
    secret: z.string().min(32),
    content_type: z.literal("json"),
    insecure_ssl: z.literal("0"),
  }),
});

/** The webhooks of repositories, as GitHub stores and sends them. */
export function createGithubHooks() {
  const hooks = new Map<number, Hook>();
  let hooksMade = 0;

  function answer(
    method: string | undefined,
    { body, repository, hookId }: { body: string; repository: number; hookId: string | undefined },
    send: (status: number, value: unknown) => void,
  ): void {
    const ofRepository = [...hooks].filter(([, hook]) => hook.repository === repository);
    if (method === "GET")
      return send(
        200,
        ofRepository.map(([id, { url }]) => ({ id, config: { url } })),
      );
    if (method === "DELETE") return send(hooks.delete(Number(hookId)) ? 204 : 404, {});
    if (method === "PATCH") return change(Number(hookId), body, send);
    const { success, data } = hookBody.safeParse(JSON.parse(body));
    if (!success || method !== "POST") return send(418, { message: body });
    const { url, secret } = data.config;
    if (ofRepository.some(([, hook]) => hook.url === url)) return send(422, { message: "Validation Failed" });
    hooks.set((hooksMade += 1), { repository, events: data.events, url, secret });
    send(201, { id: hooksMade, config: { url } });
  }

  function change(id: number, body: string, send: (status: number, value: unknown) => void): void {
    const { success, data } = hookBody.omit({ name: true }).safeParse(JSON.parse(body));
    const hook = hooks.get(id);
    if (!success) return send(418, { message: body });
    if (!hook) return send(404, {});
    const { url, secret } = data.config;
    hooks.set(id, { ...hook, events: data.events, url, secret });
    send(200, { id, config: { url } });
  }

  return {
    all: hooks,
    answer,
    notify: (listening: string, given?: string): Promise<Delivered[]> =>
      Promise.all(
        [...hooks.values()].map(({ repository, url: address, secret }) => {
          const body = JSON.stringify({ ref: "refs/heads/main", repository: { id: repository } });
          const digest = createHmac("sha256", given ?? secret)
            .update(body)
            .digest("hex");
          const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${digest}` };
          return deliver(listening, { address, body, headers });
        }),
      ),
  };
}
