import { prepareUnits, type RankedUnit, rankPrepared, type RankInput } from "../../src/core/search/rank.js";

/** Ranks candidates as one search does. */
export function rankUnits(input: RankInput): RankedUnit[] {
  return rankPrepared(prepareUnits(input));
}
