import * as z from "zod";
import type { Status } from "../../../core/index.js";
import { CONNECTION_STATES } from "../../../core/types.js";
import { defineEndpoint } from "../endpoint.js";
import { dateTime } from "../schemas.js";

const count = z.int().min(0);

const jobs = z.object({
  waiting: count,
  running: count,
  dead: count.describe("Jobs that were given up."),
  oldestWaitingSeconds: count.describe("How long the oldest job has been due."),
});
const disk = z.object({ storeBytes: count, freeBytes: count.describe("Free space on the disk of the data folder.") });
const index = z.object({
  name: z.string(),
  state: z.enum(["ready", "starting", "degraded", "off"]),
  behind: count.describe("Number of changes that are not indexed yet."),
  reason: z.string().nullable(),
});
const degraded = z.array(z.object({ part: z.string(), reason: z.string() }));

const part = z.object({ name: z.string(), problem: z.string().nullable().describe("Why it is not responding now.") });

const status = z.object({
  version: z.string(),
  documents: count,
  passages: count,
  memories: count.describe("Includes former versions."),
  waitingDocuments: count.describe("Documents whose passages or facts are not ready yet."),
  unsearchableDocuments: count.describe("Waiting documents that no search finds yet."),
  reprocessing: count.describe("Documents that are waiting to be read again."),
  jobs,
  disk,
  index,
  embedder: part,
  rerank: part,
  llm: part,
  programs: z
    .array(
      z.object({
        name: z.string(),
        purpose: z.string(),
        isThere: z.boolean(),
        withoutIt: z.string().describe("What happens if it is missing."),
        howToInstall: z.string(),
        lacks: z.string().nullable().describe("What it lacks that the settings require, and what to do."),
      }),
    )
    .describe("Programs on the server that are needed to read some kinds of files."),
  readByRules: z
    .object({
      documents: count,
      givenUp: count.describe("Those that are waiting for another model."),
      reasons: z.array(z.object({ reason: z.string(), documents: count })),
    })
    .nullable()
    .describe("Documents that rules read instead of the language model; null if there is none."),
  connections: z.object({
    total: count,
    inTrouble: z
      .array(
        z.object({
          id: z.string(),
          provider: z.string(),
          state: z.enum(CONNECTION_STATES),
          problem: z.string().nullable(),
        }),
      )
      .describe("Connections that are stopped, or whose last run failed."),
  }),
  expiringKeys: z.array(z.object({ id: z.string(), name: z.string(), expiresAt: dateTime, daysLeft: count })),
  idleGuidance: z.array(z.string()).describe("Settings that have no effect without a language model."),
  degraded: degraded.describe("Parts that are degraded now."),
});

/** What the owner is told in addition to what everybody is. */
export function presentHealth({
  jobs: { waiting, running, dead, oldestWaitingSeconds },
  store,
  vectors,
  ...rest
}: Status) {
  return {
    jobs: { waiting, running, dead, oldestWaitingSeconds },
    disk: { storeBytes: store.bytes, freeBytes: store.freeBytes },
    index: { name: vectors.name, state: vectors.state, behind: vectors.behind, reason: vectors.reason ?? null },
    degraded: rest.degraded.map((one) => ({ ...one })),
  };
}

function present(of: Status): z.infer<typeof status> {
  const { store, llmFailures } = of;
  return {
    version: of.version,
    documents: store.documents,
    passages: store.chunks,
    memories: store.memories,
    waitingDocuments: of.waitingDocuments,
    unsearchableDocuments: of.unsearchableDocuments,
    reprocessing: of.reprocessing,
    ...presentHealth(of),
    embedder: { name: of.embedder, problem: of.embedding.problem },
    rerank: { ...of.rerank },
    llm: { name: of.llm, problem: llmFailures?.problem ?? null },
    programs: of.reading.programs.map(({ name, purpose, isThere, withoutIt, howToInstall, lacks }) => ({
      name,
      purpose,
      isThere,
      withoutIt,
      howToInstall,
      lacks,
    })),
    readByRules: llmFailures && {
      documents: llmFailures.documents,
      givenUp: llmFailures.givenUp,
      reasons: llmFailures.reasons.map(({ reason, documents }) => ({ reason, documents })),
    },
    connections: { total: of.connections.total, inTrouble: of.connections.inTrouble.map((one) => ({ ...one })) },
    expiringKeys: of.expiringKeys.map(({ id, name, expiresAt, daysLeft }) => ({ id, name, expiresAt, daysLeft })),
    idleGuidance: [...of.idleGuidance],
  };
}

/** An extension (contract 6.11). */
export const statusEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/status",
    operationId: "getStatus",
    summary: "Get what is stored, what is pending and what is not working",
    description:
      "Like `recollect status`, but without the folders of the server. Only a key of the whole organisation may do this.",
    tag: "service",
    status: 200,
    answer: status,
    handle: async ({ core, call }) => present(await core.ownerStatus(call)),
  }),
];
