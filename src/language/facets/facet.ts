/** Something often asked about people and things, in the words of several languages. */
export interface Facet {
  /** Words of a question about it; see `createFacetIndex`. */
  readonly asked: string;
  /** Words of a statement about it, in the same form. */
  readonly told: string;
  /** True for people and animals: a fact about one says nothing about another. */
  readonly isAnother?: true;
}
