/**
 * How many candidates each retriever contributes before ranking, and how many units the full-text search scores to find its
 * own: in large containers common words match thousands of units, and the rare words of a query decide anyway. The neighbours
 * of the strongest chunks are then added: an answer is next to its question more often than it repeats its words.
 */
export const SEARCH = Object.freeze({ textHits: 120, vectorHits: 80, textMatches: 1_000, strongest: 20, beside: 2 });

/**
 * The weights used for ranking candidates, chosen by cross-validation over conversations; see the recall figures in
 * docs/performance.md.
 */
export interface RankRecipe {
  /** How fast repeated evidence for one word saturates. */
  readonly saturation: number;
  /** 0: length is ignored, 1: evidence is relative to length. */
  readonly lengthShare: number;
  /** Content words of a typical unit. */
  readonly typicalLength: number;
  /**
   * Evidence of a related word relative to the word itself, and how steeply it falls with the relation and with how common it
   * is.
   */
  readonly relatedWeight: number;
  readonly relatedPower: number;
  readonly relatedRarity: number;
  /** Share of the evidence of units at a distance in the same document: before, before when it is a question, after, … */
  readonly before: readonly number[];
  readonly beforeQuestion: number;
  readonly after: readonly number[];
  /** What chunks up to `distance` away from one of the best gain: this share of its score, divided by the distance. */
  readonly surroundings: { readonly ofBest: number; readonly distance: number; readonly share: number };
  /** Bonus for words found in the unit itself. */
  readonly own: number;
  /** Bonus for words found anywhere in the same document, and how fast that saturates. */
  readonly document: number;
  readonly documentSaturation: number;
  /** Weight of a name relative to another word as rare, and the bonus for units spoken by the person named. */
  readonly name: number;
  readonly speaker: number;
  /** Bonus for what the person named says about themselves. */
  readonly firstPerson: number;
  /** The share of these for a person named after another. */
  readonly aside: number;
  /** Bonus for units that say when something happens: events are what is asked about, and small talk has no time. */
  readonly tellsTime: number;
  /** Factor for units that end in a question. */
  readonly question: number;
  /** Factor for memories that were only inferred and that nobody has approved. */
  readonly inference: number;
  /** Factor for memories whose source passage is among the candidates: the passage already says the same. */
  readonly stated: number;
  /** What a faded episode loses, and what a settled preference gains, as shares of the score. */
  readonly fading: number;
  readonly habit: number;
  /** Bonus for units that fit a date named by the query, in full or in part. */
  readonly date: number;
  /** Bonus for units on the side of an event that the query asks for, and the weight of the event's words then. */
  readonly side: number;
  readonly eventWords: number;
  /** Weight of the vector's similarity. */
  readonly vector: number;
  /** Weight of the shown similarity: the closer the order is to it, the less has to be levelled. */
  readonly similarity: number;
  /** Share of the score that comes from how far a statement answers (see `answersOf`), and the score of one that answers in full. */
  readonly answer: number;
  readonly fullAnswer: number;
  /** Bonus for the exact text asked for, so that it comes first. */
  readonly same: number;
}

export const RANK: RankRecipe = Object.freeze({
  saturation: 0.4,
  lengthShare: 0.9,
  typicalLength: 12,
  relatedWeight: 0.3,
  relatedPower: 2.5,
  relatedRarity: 0.4,
  before: [0.3, 0.3],
  beforeQuestion: 0.8,
  after: [0.25, 0.1],
  surroundings: { ofBest: 5, distance: 3, share: 0.12 },
  own: 0.2,
  document: 0.2,
  documentSaturation: 0.3,
  name: 2.2,
  speaker: 0.2,
  firstPerson: 0.03,
  aside: 0.5,
  tellsTime: 0.05,
  question: 0.9,
  inference: 0.8,
  stated: 0.9,
  fading: 0.1,
  habit: 0.05,
  date: 0.6,
  side: 0.1,
  eventWords: 0.6,
  vector: 0.1,
  similarity: 0.065,
  answer: 0.8,
  fullAnswer: 1.1,
  same: 10,
});
