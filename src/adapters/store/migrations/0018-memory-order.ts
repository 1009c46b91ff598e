/** Serves a page of memories, newest first, without reading the whole container, and their number without reading any row. */
export const memoryOrder = `
create index memories_told on memories (container_id, created_at, seq, forget_after, is_latest, is_forgotten, kind)
  where is_latest = 1 and is_forgotten = 0 and kind <> 'statement';
`;
