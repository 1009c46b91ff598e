/** A page of memories, newest first, without a look at all of a container, and their number without one at any row. */
export const memoryOrder = `
create index memories_told on memories (container_id, created_at, seq, forget_after, is_latest, is_forgotten, kind)
  where is_latest = 1 and is_forgotten = 0 and kind <> 'statement';
`;
