import { initial } from "./0001-initial.js";
import { wireContract } from "./0002-wire-contract.js";
import { memoryEngine } from "./0003-memory-engine.js";
import { dreaming } from "./0004-dreaming.js";
import { access } from "./0005-access.js";
import { retrieval } from "./0006-retrieval.js";
import { metadataValues } from "./0007-metadata-values.js";
import { timeZones } from "./0008-time-zones.js";
import { requestErrors } from "./0009-request-errors.js";
import { contextAuthor } from "./0010-context-author.js";
import { jobCrashes } from "./0011-job-crashes.js";
import { outdatedSources } from "./0012-outdated-sources.js";
import { modelFailures } from "./0013-model-failures.js";
import { requestOperations } from "./0014-request-operations.js";
import { documentExpiry } from "./0015-document-expiry.js";
import { cutWith } from "./0016-cut-with.js";
import { factsLeftOut } from "./0017-facts-left-out.js";
import { memoryOrder } from "./0018-memory-order.js";
import { documentReadings } from "./0019-document-readings.js";
import { documentAttachments } from "./0020-document-attachments.js";
import { formerReadings } from "./0021-former-readings.js";
import { connections } from "./0022-connections.js";
import { webhooks } from "./0023-webhooks.js";
import { syncErrorCodes } from "./0024-sync-error-codes.js";
import { leftItems } from "./0025-left-items.js";
import { messagePictures } from "./0026-message-pictures.js";
import { attachmentOrigins } from "./0027-attachment-origins.js";
import { followerLayouts } from "./0028-follower-layouts.js";

/** Forward only, in order; a store's version is the number of migrations applied to it. */
export const MIGRATIONS: readonly string[] = [
  initial,
  wireContract,
  memoryEngine,
  dreaming,
  access,
  retrieval,
  metadataValues,
  timeZones,
  requestErrors,
  contextAuthor,
  jobCrashes,
  outdatedSources,
  modelFailures,
  requestOperations,
  documentExpiry,
  cutWith,
  factsLeftOut,
  memoryOrder,
  documentReadings,
  documentAttachments,
  formerReadings,
  connections,
  webhooks,
  syncErrorCodes,
  leftItems,
  messagePictures,
  attachmentOrigins,
  followerLayouts,
];
