import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { SETTINGS } from "../src/config.js";

test("docs/settings.md has the table of settings as it is", async () => {
  const page = await readFile(new URL("../docs/settings.md", import.meta.url), "utf8");
  const table = /<!-- settings -->\n([^]*?)\n<!-- \/settings -->/.exec(page)?.[1]?.trim();
  const rows = Object.entries(SETTINGS).map(([name, setting]) => {
    const fallback = "fallback" in setting && setting.fallback !== undefined ? `\`${setting.fallback}\`` : "";
    return `| \`${name}\` | ${fallback} | ${setting.description} |`;
  });
  expect(table).toBe(["| Variable | Default | What it does |", "| --- | --- | --- |", ...rows].join("\n"));
});
