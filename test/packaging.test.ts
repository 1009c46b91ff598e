import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { SETTINGS } from "../src/config/settings.js";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const canVerify = spawnSync("systemd-analyze", ["--version"]).status === 0;

test("the image is built of files that the build context lets in", () => {
  const letIn = read(".dockerignore")
    .split("\n")
    .flatMap((line) => /^!(\S+)$/.exec(line)?.[1] ?? []);
  const copied = [...read("Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = ""]) =>
    paths.split(" "),
  );
  expect(copied.length).toBeGreaterThan(0);
  for (const path of copied) expect(letIn, path).toContain(path);
  for (const path of letIn) expect(existsSync(join(ROOT, path)), path).toBe(true);
});

test("the image runs as an ordinary user, and is asked for its health", () => {
  const steps = read("Dockerfile").split("FROM ").at(-1) ?? "";
  expect(steps).toMatch(/^USER node$/m);
  expect(steps).toMatch(/^HEALTHCHECK [^]*\/health/m);
  expect(steps.indexOf("USER node")).toBeGreaterThan(steps.lastIndexOf("RUN "));
});

test("the single node of Compose writes to its volume alone, and asks everybody for a key", () => {
  const { services, volumes } = parse(read("compose.yaml"));
  expect(services.recollect).toMatchObject({
    init: true,
    read_only: true,
    cap_drop: ["ALL"],
    volumes: ["memory:/data"],
    environment: { RECOLLECT_KEYLESS: "off" },
  });
  expect(Object.keys(volumes)).toEqual(["memory"]);
  for (const port of services.recollect.ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});

test("settings that the files name exist", () => {
  const named = ["Dockerfile", "compose.yaml", "deploy/recollect.service"].flatMap((path) => [
    ...new Set(read(path).match(/\bRECOLLECT_[A-Z_]+/g)),
  ]);
  expect(named.length).toBeGreaterThan(0);
  for (const name of named) expect(Object.keys(SETTINGS)).toContain(name);
});

test.skipIf(!canVerify)(
  `systemd takes the unit${canVerify ? "" : " (left out: systemd-analyze is not installed)"}`,
  () => {
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", join(ROOT, "deploy/recollect.service")], {
      encoding: "utf8",
    });
    expect({ status, complaints: stderr.split("\n").filter((line) => line.includes("recollect.service")) }).toEqual({
      status: 0,
      complaints: [],
    });
  },
);
