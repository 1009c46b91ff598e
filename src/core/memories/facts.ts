export {
  embedInBatches,
  resolveFacts,
  type Resolution,
  type ResolvedFact,
  type StatedCandidate,
} from "./resolve-facts.js";
export { later, writeFacts, type FactWriting } from "./write-facts.js";
