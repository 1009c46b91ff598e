/** In kB. Every search scans the pending list of the GIN index; if that is long, the planner prefers a sequential scan. */
export const pendingList = `alter index text_index_words set (gin_pending_list_limit = 64);`;
