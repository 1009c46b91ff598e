import { describe } from "vitest";
import { healthContract, keysContract, operationsContract } from "./store/administration.js";
import { containerDetailsContract, mergesContract, settingsContract } from "./store/container-details.js";
import { auditContract } from "./store/audit.js";
import { connectionsContract } from "./store/connections.js";
import { containersContract } from "./store/containers.js";
import { documentsContract } from "./store/documents.js";
import { extractionTasksContract } from "./store/extraction-tasks.js";
import { extractionsContract } from "./store/extractions.js";
import { summariesContract } from "./store/summaries.js";
import { filesContract } from "./store/files.js";
import type { OpenStore } from "./store/fixture.js";
import { matchingContract } from "./store/matching.js";
import { messagePicturesContract } from "./store/message-pictures.js";
import { memoriesContract } from "./store/memories.js";
import { memoryPagesContract } from "./store/memory-pages.js";
import { readingsContract } from "./store/readings.js";
import { relationsContract } from "./store/relations.js";
import { requestsContract } from "./store/requests.js";
import { transactionsContract } from "./store/transactions.js";
import { unitDetailsContract } from "./store/unit-details.js";
import { unitsContract } from "./store/units.js";
import { vectorsContract } from "./store/vectors.js";

export type { OpenStore } from "./store/fixture.js";

/**
 * What every Store must do, whatever database it is on.
 * @param histories number of random histories of writes and searches
 */
export function describeStore(name: string, open: OpenStore, histories = 6): void {
  describe(`store: ${name}`, () => {
    describe("documents and chunks", () => documentsContract(open));
    describe("memories", () => memoriesContract(open));
    describe("pages of memories and documents", () => memoryPagesContract(open));
    describe("relations and versions", () => relationsContract(open));
    describe("readings", () => readingsContract(open));
    describe("units", () => unitsContract(open));
    describe("matching", () => matchingContract(open, histories));
    describe("details of units", () => unitDetailsContract(open));
    describe("vectors", () => vectorsContract(open));
    describe("containers", () => containersContract(open));
    describe("containers with their contents", () => containerDetailsContract(open));
    describe("connections", () => connectionsContract(open));
    describe("files", () => filesContract(open));
    describe("pictures", () => messagePicturesContract(open));
    describe("extractions", () => extractionsContract(open));
    describe("summaries of profiles", () => summariesContract(open));
    describe("extraction tasks", () => extractionTasksContract(open));
    describe("settings", () => settingsContract(open));
    describe("merges", () => mergesContract(open));
    describe("keys", () => keysContract(open));
    describe("requests", () => requestsContract(open));
    describe("audit", () => auditContract(open));
    describe("operations and journal", () => operationsContract(open));
    describe("transactions", () => transactionsContract(open));
    describe("health", () => healthContract(open));
  });
}
