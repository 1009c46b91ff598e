import type { StoreNouns } from "./ports.js";
import type { ProfileBucket } from "./types.js";

/** Providers of connections that may be used with an application of one's own. */
export const PROVIDERS = ["googleDrive", "notion", "onedrive", "github"] as const;
type Provider = (typeof PROVIDERS)[number];

/** What governs how new content is read (contract.md §8.1). A key that was never written is absent. */
export type Settings = {
  readonly shouldLLMFilter?: boolean | null;
  /** Guidance for extraction in the whole organisation, 1 to 750 characters. */
  readonly filterPrompt?: string | null;
  readonly includeItems?: unknown;
  readonly excludeItems?: unknown;
  readonly categories?: unknown;
  readonly workspacePrompt?: string | null;
  /** Characters of a chunk; -1 and null stand for the default. */
  readonly chunkSize?: number | null;
  readonly profileBuckets?: readonly ProfileBucket[];
} & { readonly [Key in `${Provider}CustomKeyEnabled`]?: boolean | null } & {
  readonly [Key in `${Provider}ClientId` | `${Provider}ClientSecret`]?: string | null;
};

/** Name under which the settings of the organisation itself are kept. */
export const EVERY_CLIENT = "";

/** The settings that hold for a client: the organisation's, with those over them that the client wrote for itself. */
export async function readSettings(
  { settings }: Pick<StoreNouns, "settings">,
  organizationId: string,
  client: string | null | undefined,
): Promise<Settings> {
  const common = await settings.read(organizationId, EVERY_CLIENT);
  const own = client ? await settings.read(organizationId, client) : null;
  return { ...common, ...own };
}
