/**
 * Cosine -> similarity for neural models of unknown scale. With current general models, unrelated sentences lie near 0.1 to 0.3,
 * related ones above 0.4, rewordings above 0.8. Families with a narrow range (e5, bge, gte: unrelated at 0.6 and more) come out
 * too high.
 */
export const NEURAL_CALIBRATION = [
  [-1, 0],
  [0, 0.1],
  [0.2, 0.25],
  [0.4, 0.5],
  [0.6, 0.75],
  [0.85, 0.9],
  [1, 1],
] as const;

/**
 * Cosine -> similarity for means of static word vectors, as a first guess: unrelated sentences are closer in such means than in
 * a neural model.
 */
export const STATIC_CALIBRATION = [
  [-1, 0],
  [0, 0.1],
  [0.2, 0.25],
  [0.4, 0.5],
  [0.6, 0.7],
  [0.85, 0.9],
  [1, 1],
] as const;
