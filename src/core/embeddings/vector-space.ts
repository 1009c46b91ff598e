/**
 * Identified by the fingerprint of everything that determines what a vector means. Vectors of different spaces are never
 * compared.
 */
export interface VectorSpace {
  readonly id: number;
  readonly fingerprint: string;
  readonly dimensions: number;
}
