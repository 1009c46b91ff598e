/** How many candidates each retriever contributes before ranking. */
export const SEARCH = Object.freeze({ textHits: 200, vectorHits: 200 });
