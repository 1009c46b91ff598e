/** Fingerprint of everything that decides what a vector means. Vectors of different spaces never meet. */
export interface VectorSpace {
  readonly id: number;
  readonly fingerprint: string;
  readonly dimensions: number;
}
