/**
 * Refusals used to be stored in the words the caller was told, which may repeat what was sent: of those that may, only the kind
 * remains, as it is recorded now.
 */
export const requestErrors = `
update requests set error = case status
  when 400 then 'invalid request' when 403 then 'forbidden' when 404 then 'not found' when 409 then 'conflict'
  when 413 then 'too large' when 415 then 'type not supported' when 500 then 'internal error'
  when 501 then 'not supported' when 503 then 'unavailable' when 507 then 'storage full'
  else 'failed' end
where error is not null and status not in (401, 405, 429) and path like '/v%';
`;
