/**
 * What a language model would not or could not do for a document, so that rules did it: which step, why, how often it failed
 * with an answer, by which model, and when it is asked again (null: not before the model changes).
 */
export const modelFailures = `
create table model_failures (
  document_id text not null,
  step text not null,
  organization_id text not null,
  reason text not null,
  attempts integer not null,
  mark text not null,
  failed_at text not null,
  next_at text,
  primary key (document_id, step)
) strict, without rowid;
`;
