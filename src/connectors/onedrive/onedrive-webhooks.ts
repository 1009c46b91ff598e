import * as z from "zod";
import { jsonOf, parseAnswer } from "../../core/connections/json-answer.js";
import type { ConnectorWebhooks, SourceAccess, SourceAnswer, WebhookTarget } from "../../core/ports.js";
import { equalSecrets } from "../../lib/crypto.js";
import { iso } from "../../lib/time.js";

/** Microsoft's limit is 42,300 minutes, slightly more. */
const LIFE_MS = 29 * 24 * 60 * 60_000;

const subscriptionSchema = z.object({ id: z.string(), expirationDateTime: z.iso.datetime() });
const detailSchema = z.object({ id: z.string() });
const listSchema = z.object({ value: z.array(z.object({ id: z.string(), notificationUrl: z.string().nullish() })) });
const messageSchema = z.object({ value: z.array(z.object({ clientState: z.string() })).min(1) });

/** A subscription to the drive (learn.microsoft.com/graph/change-notifications-overview). */
export function oneDriveWebhooks(baseUrl: string): ConnectorWebhooks {
  const subscriptions = `${baseUrl}/v1.0/subscriptions`;
  const addressOf = (id: string): string => `${subscriptions}/${encodeURIComponent(id)}`;

  function create(access: SourceAccess, { url, secret }: WebhookTarget, accepts: number[]): Promise<SourceAnswer> {
    const body = {
      changeType: "updated",
      notificationUrl: url,
      resource: "me/drive/root",
      expirationDateTime: endOf(access),
      clientState: secret,
    };
    return access.request({ url: subscriptions, body, accepts });
  }

  async function renewed(access: SourceAccess, former: unknown): Promise<SourceAnswer | null> {
    const known = detailSchema.safeParse(former).data;
    if (!known) return null;
    const body = { expirationDateTime: endOf(access) };
    const answer = await access.request({ url: addressOf(known.id), method: "PATCH", body, accepts: [404] });
    return answer.status === 404 ? null : answer;
  }

  async function created(access: SourceAccess, target: WebhookTarget): Promise<SourceAnswer> {
    const answer = await create(access, target, [409]);
    if (answer.status !== 409) return answer;
    // One exists already: an earlier answer was lost, or it could not be removed.
    const { value } = parseAnswer(await access.request({ url: subscriptions }), listSchema, "OneDrive");
    for (const { id } of value.filter(({ notificationUrl }) => notificationUrl === target.url))
      await remove(access, { id });
    return create(access, target, []);
  }

  async function remove(access: SourceAccess, detail: unknown): Promise<void> {
    const known = detailSchema.safeParse(detail).data;
    if (known) await access.request({ url: addressOf(known.id), method: "DELETE", accepts: [404] });
  }

  return {
    async register(access, target, former) {
      const answer = (await renewed(access, former)) ?? (await created(access, target));
      const { id, expirationDateTime: expiresAt } = parseAnswer(answer, subscriptionSchema, "OneDrive");
      return { count: 1, detail: { id }, expiresAt };
    },
    remove,
    verify(message, secret) {
      const { data } = messageSchema.safeParse(jsonOf(message));
      return data?.value.every(({ clientState }) => equalSecrets(clientState, secret)) ?? false;
    },
    challenge: ({ validationToken }) => validationToken,
  };
}

function endOf({ now }: SourceAccess): string {
  return iso(new Date(now().getTime() + LIFE_MS));
}
