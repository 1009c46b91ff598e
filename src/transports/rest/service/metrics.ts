import type { Measures } from "../../../core/index.js";
import { exposition, EXPOSITION_TYPE, type Family } from "../../../lib/exposition.js";
import { processFamilies } from "../../telemetry/process-families.js";
import { defineEndpoint } from "../endpoint.js";

/** An extension (contract 6.11). */
export const metricsEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/metrics",
    operationId: "getMetrics",
    summary: "Get metrics for Prometheus",
    description:
      "In the Prometheus text format: requests by route and their durations, jobs, what is stored, degraded parts, and the memory and delays of the process. Contains no names, containers or content. Requires a key of the whole organisation; a read-only key is enough.",
    tag: "service",
    status: 200,
    produces: "text/plain",
    async handle({ core, call, meter }) {
      const measures = await core.measures(call);
      const families = [...serviceFamilies(measures), ...meter.families(), ...processFamilies()];
      const headers = { "content-type": EXPOSITION_TYPE, "cache-control": "no-store" };
      return new Response(exposition(families), { headers });
    },
  }),
];

function serviceFamilies(measures: Measures): Family[] {
  const { version, jobs, parts } = measures;
  const { waiting, running, dead } = jobs;
  const gauge = (name: string, help: string, value: number): Family => ({
    name: `recollect_${name}`,
    help,
    type: "gauge",
    samples: [{ value }],
  });
  return [
    { ...gauge("info", "Version of the service.", 1), samples: [{ labels: { version }, value: 1 }] },
    {
      ...gauge("jobs", "Background jobs by state; dead jobs were given up.", 0),
      samples: Object.entries({ waiting, running, dead }).map(([state, value]) => ({ labels: { state }, value })),
    },
    gauge("jobs_oldest_waiting_seconds", "How long the oldest job has been due.", jobs.oldestWaitingSeconds),
    gauge("documents", "Number of documents stored.", measures.documents),
    gauge("passages", "Number of passages stored.", measures.chunks),
    gauge("memories", "Number of memories stored, including former versions.", measures.memories),
    gauge("documents_waiting", "Documents whose passages or facts are not ready yet.", measures.waitingDocuments),
    gauge("documents_unsearchable", "Waiting documents that no search finds yet.", measures.unsearchableDocuments),
    gauge("documents_read_by_rules", "Documents that rules read instead of the language model.", measures.readByRules),
    gauge("store_bytes", "Size of the store.", measures.storeBytes),
    gauge("disk_free_bytes", "Free space on the disk of the data folder.", measures.freeBytes),
    {
      ...gauge("part_degraded", "1 for a degraded part.", 0),
      samples: parts.map(({ part, isDegraded }) => ({ labels: { part }, value: isDegraded ? 1 : 0 })),
    },
  ];
}
