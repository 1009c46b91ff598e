import * as z from "zod";
import { forgetMatchingSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { presentSaidBy, saidBy, statedIn } from "./stated-in.js";

const body = forgetMatchingSchema
  .extend({
    /** Another name for `query` (contract 4.5). */
    q: forgetMatchingSchema.shape.query,
  })
  .superRefine(({ query, q }, context) => {
    if (query !== undefined && q !== undefined && query !== q)
      context.addIssue({
        code: "custom",
        path: ["q"],
        message: "contradicts query, which means the same; send one of them",
      });
  });

const match = z.object({ id: z.string().length(22), memory: z.string(), score: z.number().min(0).max(1) });

const answer = z.object({
  dryRun: z.boolean(),
  count: z.int(),
  forgetBatchId: z.string().length(22).nullable(),
  summary: z.string(),
  statedIn,
  saidBy,
  /** Only after a dry run. */
  candidates: z.array(match).optional(),
  /** Only when something was to be forgotten. */
  forgotten: z.array(match).optional(),
});

export const forgetMatchingEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v4/memories/forget-matching",
    isExact: true,
    operationId: "forgetMatchingMemories",
    summary: "Forget what a container knows about a subject, or several memories by id",
    description:
      "Exactly one of `query` and `ids`. `dryRun` shows exactly what the same request would forget. With `query`, everything with a similarity of at least `threshold` is forgotten, the most similar first, up to `maxForget`; if a memory says exactly what the query says, only such memories are; if a language model is configured, only what the model says is meant, and `summary` says if it could not be asked. With `ids`, unknown ids are skipped. `statedIn` lists documents whose text still states what was forgotten and, with `query`, those with passages about it that no memory covers: delete these if their text must not be found either. If `isLeftOut` is true, searches leave out the sentences that it came from; otherwise it is not known which these are, and searches may still show them. `saidBy` names other memories that still say what was forgotten: forget these too if they should not.",
    tag: "memories",
    example: { containerTag: "mia", query: "travel plans", dryRun: true },
    body,
    status: 200,
    answer,
    async handle({ core, call, body: { q, ...input } }) {
      const result = await core.forgetMatching(call, { ...input, query: input.query ?? q });
      const { dryRun, forgetBatchId, summary, statedIn } = result;
      const saying = presentSaidBy(result.saidBy);
      const matches = result.matches.map(({ id, text, score }) => ({ id, memory: text, score }));
      const listed = dryRun ? { candidates: matches } : { forgotten: matches };
      return { dryRun, count: matches.length, forgetBatchId, summary, statedIn: [...statedIn], ...saying, ...listed };
    },
  }),
];
