/** Something that is often asked of people and things, in the words of several languages. */
export interface Facet {
  /** Words of a question that ask for it; see `createFacetIndex`. */
  readonly asked: string;
  /** Words of a statement that tells it, in the same form. */
  readonly told: string;
  /** True for people and animals: what is told of the one tells nothing of the other. */
  readonly isAnother?: true;
}
