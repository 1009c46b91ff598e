import * as z from "zod";
import type { settingsSchema } from "../../../core/index.js";
import { profileBuckets } from "../containers/present-container.js";

const flag = z.boolean().nullable();
const text = z.string().nullable();

/** `GET /v3/settings` (contract 6.1): every field is present, null where it is not set. */
export const settingsAnswer = z.object({
  shouldLLMFilter: flag,
  filterPrompt: text,
  includeItems: z.unknown(),
  excludeItems: z.unknown(),
  categories: z.unknown(),
  workspacePrompt: text,
  chunkSize: z.int().nullable(),
  chunkOverlap: z.int().nullable(),
  chunkingStrategy: text,
  maxMemoriesPerDocument: z.int().nullable(),
  maxMemoriesPerContainer: z.int().nullable(),
  profileBuckets,
  googleDriveCustomKeyEnabled: flag,
  googleDriveClientId: text,
  googleDriveClientSecret: text,
  notionCustomKeyEnabled: flag,
  notionClientId: text,
  notionClientSecret: text,
  onedriveCustomKeyEnabled: flag,
  onedriveClientId: text,
  onedriveClientSecret: text,
  githubCustomKeyEnabled: flag,
  githubClientId: text,
  githubClientSecret: text,
});
type SettingsAnswer = z.infer<typeof settingsAnswer>;

const UNSET: SettingsAnswer = {
  shouldLLMFilter: null,
  filterPrompt: null,
  includeItems: null,
  excludeItems: null,
  categories: null,
  workspacePrompt: null,
  chunkSize: null,
  chunkOverlap: null,
  chunkingStrategy: null,
  maxMemoriesPerDocument: null,
  maxMemoriesPerContainer: null,
  profileBuckets: [],
  googleDriveCustomKeyEnabled: null,
  googleDriveClientId: null,
  googleDriveClientSecret: null,
  notionCustomKeyEnabled: null,
  notionClientId: null,
  notionClientSecret: null,
  onedriveCustomKeyEnabled: null,
  onedriveClientId: null,
  onedriveClientSecret: null,
  githubCustomKeyEnabled: null,
  githubClientId: null,
  githubClientSecret: null,
};

export function presentSettings(settings: z.infer<typeof settingsSchema>): SettingsAnswer {
  const written = Object.entries(settings).filter(([, value]) => value !== undefined);
  return { ...UNSET, ...Object.fromEntries(written) };
}
