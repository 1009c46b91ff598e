import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractDocument } from "../support/contract-effects/document.js";
import type { ContractEffect } from "../support/contract-effects/effect.js";
import { CONTRACT } from "../support/contract-effects/groups.js";
import { openWorld } from "../support/contract-effects/world.js";
import { documentEffects } from "../support/field-effects/documents.js";
import { readingEffects } from "../support/field-effects/reading.js";
import { serviceEffects } from "../support/field-effects/service.js";
import { writingEffects } from "../support/field-effects/writing.js";
import { type OpenedRest, openRest } from "../support/rest.js";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

const ROOT = resolve(import.meta.dirname, "../..");
const SETTINGS = { RECOLLECT_RATE_LIMIT: "0" };

const effects = CONTRACT.flatMap(({ effects }) => effects);

let plain: OpenedRest;
let reading: OpenedRest;
let model: ScriptedModel;
let probes = 0;

beforeAll(async () => {
  model = await startScriptedModel();
  const settings = {
    RECOLLECT_LLM_BASE_URL: model.url,
    RECOLLECT_LLM_MODEL: "scripted",
    RECOLLECT_LLM_API_KEY: "sk-x",
  };
  plain = await openRest({ asOwner: true, settings: SETTINGS });
  reading = await openRest({ asOwner: true, settings: { ...SETTINGS, ...settings } });
});
afterAll(async () => {
  await plain.close();
  await reading.close();
  await model.close();
});

test("no promise is listed twice", () => {
  const told = CONTRACT.flatMap(({ heading, effects: of }) => of.map(({ promise }) => `${heading}: ${promise}`));
  expect(told.filter((promise, at) => told.indexOf(promise) !== at)).toEqual([]);
});

test("the tests that promises refer to exist", () => {
  const missing = effects.filter(({ shown }) => {
    if (!("test" in shown)) return false;
    const path = resolve(ROOT, shown.test);
    if (shown.title === "" || !existsSync(path)) return true;
    const text = readFileSync(path, "utf8");
    return !['"', "`"].some((quote) => text.includes(`${quote}${shown.title}${quote}`));
  });
  expect(missing.map(({ shown }) => shown)).toEqual([]);
});

test("the fields that promises refer to have a probe", () => {
  const fields = { ...documentEffects, ...readingEffects, ...writingEffects, ...serviceEffects };
  const missing = effects.filter(({ shown }) => "field" in shown && !("with" in (fields[shown.field] ?? {})));
  expect(missing.map(({ shown }) => shown)).toEqual([]);
});

test("docs/promises.md is up to date; `vitest run -u` rewrites it", async () => {
  await expect(contractDocument(CONTRACT)).toMatchFileSnapshot(resolve(ROOT, "docs/promises.md"));
});

function probesOf({ promise, standing, shown }: ContractEffect): { promise: string; run: () => Promise<unknown> }[] {
  if (typeof shown !== "function") return [];
  const nextTag = () => `probe-${(probes += 1)}`;
  if (standing === "with-model") return [{ promise, run: () => shown({ ...openWorld(reading, nextTag()), model }) }];
  return [{ promise, run: () => shown(openWorld(plain, nextTag())) }];
}

const PROBED = CONTRACT.filter((group) => group.effects.some(({ shown }) => typeof shown === "function"));

describe.each(PROBED)("$heading", ({ effects: promised }) => {
  for (const { promise, run } of promised.flatMap(probesOf)) test(promise, run);
});
