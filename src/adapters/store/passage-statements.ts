import type { Kysely } from "kysely";
import type { PassageStatement, Statements } from "../../core/ports.js";
import { readPacked } from "./fixed-query.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";

type StatementRow = readonly [
  documentId: string,
  containerId: number,
  quote: string,
  text: string,
  isInference: number,
  isLatest: number,
  isForgotten: number,
  forgetAfter: string | null,
  forgetReason: string | null,
  kind: string,
  temporalContext: unknown,
];

/** Most documents have none, as one look at a small index shows. */
const STATEMENTS = `select json_group_array(json_array(sources.document_id, memories.container_id,
    coalesce(sources.quote, memories.text), memories.text, memories.is_inference, memories.is_latest, memories.is_forgotten,
    memories.forget_after, memories.forget_reason, memories.kind, json(memories.metadata -> '$.temporalContext'))) as packed
  from (select distinct over.document_id
      from json_each(?2) wanted
      cross join memory_sources over on over.document_id = wanted.value and over.may_be_over = 1) found
    cross join memory_sources sources on sources.document_id = found.document_id
    cross join memories on memories.id = sources.memory_id
  where memories.organization_id = ?1`;

/** What documents are known to state, by id; only for those with statements that may no longer hold. */
export async function readStatements(
  db: Kysely<Database>,
  organizationId: string,
  documentIds: Iterable<string>,
): Promise<Statements> {
  const ids = [...new Set(documentIds)];
  const statements = new Map<string, PassageStatement[]>();
  if (ids.length === 0) return statements;
  const parameters = [organizationId, listParameter(ids)];
  for (const [documentId, ...row] of await readPacked<StatementRow>(db, STATEMENTS, parameters)) {
    const [containerId, quote, text, isInference, isLatest, isForgotten, ...standing] = row;
    const [forgetAfter, forgetReason, kind, temporalContext] = standing;
    const statement = {
      containerId,
      quote,
      text,
      isInference: isInference === 1,
      isLatest: isLatest === 1,
      isForgotten: isForgotten === 1,
      forgetAfter,
      forgetReason,
      isEpisode: kind === "episode",
      temporalContext,
    };
    const known = statements.get(documentId);
    if (known) known.push(statement);
    else statements.set(documentId, [statement]);
  }
  return statements;
}
