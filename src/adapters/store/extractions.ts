import { type Kysely, sql } from "kysely";
import type { Clock, ExtractionStore } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import type { Database } from "./schema.js";

/** What answers of language models cost, a row each. */
export function createExtractionStore(db: Kysely<Database>, clock: Clock): ExtractionStore {
  return {
    async note(organizationId, { documentId, revision, model, prompt, inputTokens, outputTokens }) {
      await db
        .insertInto("extractions")
        .values({
          organization_id: organizationId,
          document_id: documentId,
          revision,
          model,
          prompt_version: prompt,
          input_tokens: inputTokens,
          output_tokens: outputTokens,
          created_at: iso(clock.now()),
        })
        .execute();
    },

    async totals(organizationId, documentId) {
      return db
        .selectFrom("extractions")
        .select([
          sql<number>`count(*)`.as("answers"),
          sql<number>`coalesce(sum(input_tokens), 0)`.as("inputTokens"),
          sql<number>`coalesce(sum(output_tokens), 0)`.as("outputTokens"),
        ])
        .where("organization_id", "=", organizationId)
        .$if(documentId !== undefined, (query) => query.where("document_id", "=", documentId ?? ""))
        .executeTakeFirstOrThrow();
    },
  };
}
