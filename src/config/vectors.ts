/** Which vectors are searched where, according to the settings. */
interface VectorValues {
  readonly RECOLLECT_VECTORS: "auto" | "exact" | "chroma" | undefined;
  readonly RECOLLECT_NODES: "one" | "several" | undefined;
  readonly RECOLLECT_EXACT_LIMIT: number | undefined;
  readonly CHROMA_URL: string | undefined;
}

/** Nodes cannot see into a Chroma that one of them started: without a server they search exactly. */
export function chooseVectors(values: VectorValues): {
  readonly vectors: "auto" | "exact";
  readonly exactLimit: number;
} {
  const hasNoChroma = values.RECOLLECT_NODES === "several" && values.CHROMA_URL === undefined;
  const isExact = values.RECOLLECT_VECTORS === "exact" || hasNoChroma;
  const exactLimit = values.RECOLLECT_VECTORS === "chroma" ? 0 : (values.RECOLLECT_EXACT_LIMIT ?? 0);
  return { vectors: isExact ? "exact" : "auto", exactLimit };
}

/** @param set names of the settings that have a value */
export function findVectorProblems(values: VectorValues, set: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  if (!set.has("CHROMA_URL"))
    for (const name of ["CHROMA_TOKEN", "CHROMA_TENANT", "CHROMA_DATABASE"])
      if (set.has(name)) problems.push(`${name} is set, but CHROMA_URL is not. Set CHROMA_URL, or remove ${name}.`);
  if (set.has("CHROMA_URL") && values.RECOLLECT_VECTORS === "exact")
    problems.push(
      'CHROMA_URL is set, but RECOLLECT_VECTORS is "exact", which does not use Chroma. Remove one of them.',
    );
  if (values.RECOLLECT_VECTORS !== "chroma") return problems;
  if (set.has("RECOLLECT_EXACT_LIMIT"))
    problems.push(
      'RECOLLECT_EXACT_LIMIT is set, but RECOLLECT_VECTORS is "chroma", which keeps every vector in Chroma. Remove one of them.',
    );
  if (values.RECOLLECT_NODES === "several" && !set.has("CHROMA_URL"))
    problems.push(
      'RECOLLECT_VECTORS is "chroma", but CHROMA_URL is not set. Nodes share one Chroma server: set CHROMA_URL to it on all of them.',
    );
  return problems;
}
