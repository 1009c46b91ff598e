/** What a run has measured, and what went wrong. */
export class Results {
  figures = [];
  problems = [];
  remarks = [];

  /**
   * Records one figure. `size` is the number of notes it belongs to, `system` the measured one; values that could not be
   * measured are omitted.
   */
  add({ section, name, unit, size, system = "Recollect", value }) {
    if (value === undefined || value === null || Number.isNaN(value)) return;
    this.figures.push({ section, name, unit, size, system, value });
    const place = size === undefined ? "" : ` at ${size.toLocaleString("en")}`;
    process.stderr.write(`  ${system === "Recollect" ? "" : `${system}: `}${name}${place}: ${format(value)} ${unit}\n`);
  }

  /** Records the percentiles of a load under one name. */
  addTimes(figure, { p50, p95, p99 }) {
    for (const [share, value] of Object.entries({ p50, p95, p99 }))
      this.add({ ...figure, name: `${figure.name}, ${share}`, unit: "ms", value });
  }

  /** A condition that the answers must meet, or the run fails. */
  check(isRight, problem) {
    if (isRight) return;
    this.problems.push(problem);
    process.stderr.write(`  WRONG: ${problem}\n`);
  }

  /** A sentence for the report: what was omitted, or how something was measured. */
  remark(sentence) {
    this.remarks.push(sentence);
    process.stderr.write(`  ${sentence}\n`);
  }
}

/** Three significant digits, where they mean anything. */
export function format(value) {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  if (value >= 10) return value.toFixed(value % 1 === 0 ? 0 : 1);
  return value >= 1 || value === 0 ? value.toFixed(1) : value.toPrecision(2);
}
