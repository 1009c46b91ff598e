import * as z from "zod";
import type { AcceptedMerge, ListedContainer } from "../../../core/index.js";
import {
  MERGE_STATUSES,
  type Container,
  type ContainerSummary,
  type Merge,
  type MergeProgress,
} from "../../../core/types.js";
import { containerTag, dateTime } from "../schemas.js";

/** Tags with this prefix are what apps call projects. */
const PROJECT = /^sm_project_/;

const count = z.int().min(0);
export const profileBuckets = z.array(z.object({ key: z.string(), description: z.string() }));

/** One entry of `GET /v3/container-tags/list` (contract 5.3). */
export const listedContainer = z.object({
  id: z.string(),
  name: z.string(),
  containerTag,
  description: z.string().nullable(),
  createdAt: dateTime,
  updatedAt: dateTime,
  isExperimental: z.boolean(),
  emoji: z.string().optional(),
  visibility: z.enum(["public", "private", "unlisted"]).optional(),
  isNova: z.boolean(),
  documentCount: count,
  memoryCount: count,
  lastActivityAt: dateTime.nullable(),
  mergeStatus: z.enum(["source", "target"]).optional(),
  mergeId: z.string().optional(),
  mergeTargetTag: z.string().optional(),
});

export function presentListedContainer(container: ListedContainer): z.infer<typeof listedContainer> {
  const { emoji, merge } = container;
  return {
    id: container.uid,
    name: container.name ?? container.tag,
    containerTag: container.tag,
    description: container.description,
    createdAt: container.createdAt,
    updatedAt: container.updatedAt,
    isExperimental: container.isExperimental,
    ...(emoji !== null && { emoji }),
    visibility: container.visibility,
    isNova: PROJECT.test(container.tag),
    documentCount: container.documentCount,
    memoryCount: container.memoryCount,
    lastActivityAt: container.lastActivityAt,
    ...(merge && { mergeStatus: merge.role, mergeId: merge.id }),
    ...(merge?.targetTag !== undefined && { mergeTargetTag: merge.targetTag }),
  };
}

/** `PATCH /v3/container-tags/{containerTag}` (contract 5.4). */
export const updatedContainer = z.object({
  containerTag,
  name: z.string().nullable(),
  entityContext: z.string().nullable(),
  memoryFilesystemPaths: z.array(z.string()).nullable(),
  profileBuckets,
  timezone: z.string().nullable(),
  updatedAt: dateTime,
});

export function presentUpdatedContainer(container: Container): z.infer<typeof updatedContainer> {
  const { memoryFilesystemPaths } = container;
  return {
    containerTag: container.tag,
    name: container.name,
    entityContext: container.entityContext,
    memoryFilesystemPaths: memoryFilesystemPaths && [...memoryFilesystemPaths],
    profileBuckets: container.profileBuckets.map(({ key, description }) => ({ key, description })),
    timezone: container.timeZone,
    updatedAt: container.updatedAt,
  };
}

/** `GET /v3/container-tags/{containerTag}` (contract 5.3), with the counts that the command-line client prints. */
export const containerAnswer = updatedContainer.extend({
  createdAt: dateTime,
  documentCount: count,
  memoryCount: count,
  lastActivityAt: dateTime.nullable(),
});

export function presentContainer(container: ContainerSummary): z.infer<typeof containerAnswer> {
  const { createdAt, documentCount, memoryCount, lastActivityAt } = container;
  return { ...presentUpdatedContainer(container), createdAt, documentCount, memoryCount, lastActivityAt };
}

/** `POST /v3/container-tags/merge` (contract 5.5); `mergedCount` is the number of documents that move. */
export const acceptedMerge = z.object({
  success: z.literal(true),
  status: z.literal("queued"),
  mergeId: z.string(),
  targetTag: containerTag,
  sourceTags: z.array(containerTag),
  mergedCount: count,
});

export function presentAcceptedMerge({
  id,
  targetTag,
  sourceTags,
  documents,
}: AcceptedMerge): z.infer<typeof acceptedMerge> {
  return {
    success: true,
    status: "queued",
    mergeId: id,
    targetTag,
    sourceTags: [...sourceTags],
    mergedCount: documents,
  };
}

const mergeStatus = z.enum(MERGE_STATUSES);

/** `GET /v3/container-tags/merge/{mergeId}` (contract 5.5). */
export const mergeAnswer = z.object({
  id: z.string(),
  status: mergeStatus,
  sourceTags: z.array(containerTag),
  targetTag: containerTag,
  progress: z
    .object({
      phase: mergeStatus,
      currentSourceTag: z.string().optional(),
      currentKind: z.enum(["chunk", "memory"]).optional(),
      copiedRows: count.optional(),
      withoutCustomId: count.optional(),
      completedSourceTags: z.array(z.string()).optional(),
      inFlightItems: count.optional(),
      attempt: count.optional(),
    })
    .nullable(),
  lastError: z.string().nullable(),
});

export function presentMerge(merge: Merge): z.infer<typeof mergeAnswer> {
  const { id, status, sourceTags, targetTag, progress, lastError } = merge;
  return {
    id,
    status,
    sourceTags: [...sourceTags],
    targetTag,
    progress: progress && presentProgress(progress),
    lastError,
  };
}

function presentProgress({ completedSourceTags, ...progress }: MergeProgress) {
  return { ...progress, ...(completedSourceTags && { completedSourceTags: [...completedSourceTags] }) };
}
