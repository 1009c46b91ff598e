import type { ContractEffect, ContractGroup } from "./effect.js";

const NAMES = { works: "works", "with-model": "works with a model", not: "does not" } as const;
const INTRODUCTION = `# Promises of the API

Each promise of the Supermemory API that has an effect, whether Recollect keeps it, and what shows it.
"works" applies to every installation, "works with a model" to those with a [language model](models.md); "does not" gives the reason.
A promise without a named test is probed over HTTP by \`test/transports/contract-effects.test.ts\`, that of a single field by
\`test/transports/field-effects.test.ts\`. The former writes this file: \`npx vitest run test/transports/contract-effects.test.ts -u\`.
`;

/** The table as a Markdown document. */
export function contractDocument(groups: readonly ContractGroup[]): string {
  return [INTRODUCTION, countsOf(groups), "", ...groups.map(sectionOf)].join("\n");
}

function countsOf(groups: readonly ContractGroup[]): string {
  const effects = groups.flatMap((group) => group.effects);
  const count = (standing: ContractEffect["standing"]) =>
    effects.filter((effect) => effect.standing === standing).length;
  return `${effects.length} promises: ${count("works")} work, ${count("with-model")} work with a model, ${count("not")} do not.`;
}

function sectionOf({ heading, effects }: ContractGroup): string {
  const rows = effects.map(
    (effect) =>
      `| ${cell(effect.promise)} | ${NAMES[effect.standing]}${cell(reasonOf(effect))} | ${cell(proofOf(effect))} |`,
  );
  return [`## ${heading}`, "", "| Promise | Here | Shown by |", "| --- | --- | --- |", ...rows, ""].join("\n");
}

const reasonOf = (effect: ContractEffect) => (effect.standing === "not" ? `, because ${effect.because}` : "");

function proofOf({ shown }: ContractEffect): string {
  if (typeof shown === "function") return "a probe";
  return "field" in shown ? `the probe of \`${shown.field}\`` : `\`${shown.test}\`: ${shown.title}`;
}

const cell = (text: string) => text.replaceAll("|", "\\|");
