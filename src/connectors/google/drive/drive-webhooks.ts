import { randomUUID } from "node:crypto";
import * as z from "zod";
import { AppError } from "../../../core/errors.js";
import type { ConnectorWebhooks, SourceAccess } from "../../../core/ports.js";
import { equalSecrets } from "../../../lib/crypto.js";
import { iso } from "../../../lib/time.js";
import { ALL_DRIVES, type DriveApi, parseDrive } from "./drive-api.js";
import { sharedDrives, startFeed } from "./drive-changes.js";

/** The longest that Google allows. */
const LIFE_MS = 7 * 24 * 60 * 60_000;
/** Shared drives; each costs two requests that somebody waits for. */
const MOST_DRIVES = 20;

const channelSchema = z.object({ id: z.string(), resourceId: z.string(), expiration: z.coerce.number().optional() });
const detailSchema = z.object({ channels: z.array(channelSchema) });
type Channel = z.output<typeof channelSchema>;

/** Channels to the change feeds of the account and of shared drives (developers.google.com/workspace/drive/api/guides/push). */
export function driveWebhooks(apiOf: (access: SourceAccess) => DriveApi): ConnectorWebhooks {
  return {
    async register(access, { url: address, secret: token }, former) {
      const api = apiOf(access);
      const expiration = String(access.now().getTime() + LIFE_MS);
      const drives = (await sharedDrives(api)).slice(0, MOST_DRIVES).map(({ id }) => id);
      const channels: Channel[] = [];
      const watch = async (drive: string | null): Promise<void> => {
        const { token: pageToken } = await startFeed(api, drive);
        const query = { ...ALL_DRIVES, pageToken, driveId: drive ?? undefined };
        const body = { id: randomUUID(), type: "web_hook", address, token, expiration };
        channels.push(parseDrive(channelSchema, await api.post("changes/watch", query, { body })));
      };
      try {
        await watch(null);
        for (const drive of drives) await watch(drive).catch(passOver);
      } catch (error) {
        // Nothing would know of them afterwards.
        await stop(api, { channels });
        throw error;
      }
      // Only now, so that nothing is missed in between.
      await stop(api, former);
      const ends = channels.map((channel) => channel.expiration ?? Number(expiration));
      return { count: channels.length, detail: { channels }, expiresAt: iso(new Date(Math.min(...ends))) };
    },
    remove: (access, detail) => stop(apiOf(access), detail),
    verify: ({ headers }, secret) => equalSecrets(headers["x-goog-channel-token"] ?? "", secret),
  };
}

/** A drive that permanently refuses webhooks is polled by every run instead. */
function passOver(error: unknown): void {
  const isRefusal = error instanceof AppError && /^(forbidden|not_found|invalid)$/.test(error.kind);
  if (!isRefusal) throw error;
}

async function stop(api: DriveApi, detail: unknown): Promise<void> {
  for (const { id, resourceId } of detailSchema.safeParse(detail).data?.channels ?? [])
    // An expired one is no longer known.
    await api.post("channels/stop", {}, { body: { id, resourceId }, accepts: [404] });
}
