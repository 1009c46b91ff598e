import * as z from "zod";
import type { EmbeddingStatus, ShownMove } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { dateTime } from "../schemas.js";

const share = z.number().min(0).max(1);
const selfRetrieval = z.object({
  found: share.describe("Share of the questions whose text is among the ten nearest results."),
  rank: share.describe("Mean of 1/rank of that text."),
});

const embedder = z.object({ name: z.string(), since: dateTime });

const move = embedder.extend({
  state: z.enum(["preparing", "filling", "comparing", "ready", "paused", "waiting"]),
  done: z.int().describe("Texts that have a vector."),
  total: z.int(),
  perMinute: z.number().nullable(),
  minutesLeft: z.number().nullable(),
  tokens: z.int().describe("Approximate number of tokens sent."),
  cost: z.number().nullable().describe("Approximate cost so far, in US dollars; null if no price is set."),
  download: z.object({ bytes: z.int(), total: z.int() }).nullable(),
  problem: z.string().nullable().describe("What keeps it from continuing."),
  comparison: z
    .object({
      searches: z.int(),
      overlap: share.nullable().describe("Share of the ten nearest results that are the same."),
      active: selfRetrieval.nullable(),
      next: selfRetrieval,
      isSane: z.boolean().describe("False if the next embedder finds clearly less: then a person decides."),
    })
    .nullable(),
});

const embeddings = z.object({
  active: embedder.extend({ isAnswering: z.boolean().describe("False while searches use only words.") }),
  next: move.nullable().describe("The embedder that is being filled to become active next."),
  previous: embedder
    .extend({ keptUntil: dateTime.nullable() })
    .nullable()
    .describe("The embedder that you can go back to until `keptUntil`."),
});

/** The embedder's address is left out: it may be internal. */
function present({ active, next, previous }: EmbeddingStatus): z.infer<typeof embeddings> {
  return {
    active: { name: active.name, since: active.since, isAnswering: active.isAnswering },
    next: next && presentMove(next),
    previous: previous && { name: previous.name, since: previous.since, keptUntil: previous.keptUntil },
  };
}

function presentMove({ choice: _choice, ...shown }: ShownMove): z.infer<typeof move> {
  return shown;
}

const ONLY_OWNER = "Only a key of the whole organisation may do this.";

/**
 * Beyond the contract. The next embedder cannot be chosen here: it decides where every text is sent, and with which key, so that
 * takes the settings or the command line on the machine.
 */
export const embeddingEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/embeddings",
    operationId: "getEmbeddings",
    summary: "Get the active embedder and the progress of a change",
    description: ONLY_OWNER,
    tag: "settings",
    status: 200,
    answer: embeddings,
    handle: async ({ core, call }) => present(await core.getEmbeddings(call)),
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/embeddings",
    operationId: "changeEmbeddings",
    summary: "Control the change to another embedder",
    description: `${ONLY_OWNER} \`pause\` and \`resume\` filling the next embedder; \`switch\` to it although it finds less; \`rollback\` to the previous one, or give up the change; \`drop\` the vectors that are kept for going back. A change begins with the server's settings, or with \`recollect embeddings use\`.`,
    tag: "settings",
    body: z.object({ action: z.enum(["pause", "resume", "switch", "rollback", "drop"]) }),
    example: { action: "pause" },
    status: 200,
    answer: z.object({ done: z.string().describe("The result, in words."), embeddings }),
    async handle({ core, call, body }) {
      const changed = await core.changeEmbeddings(call, body);
      return { done: changed.done, embeddings: present(changed.embeddings) };
    },
  }),
];
