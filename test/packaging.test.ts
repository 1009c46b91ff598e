import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { readConfig } from "../src/config.js";
import { SETTINGS } from "../src/config/settings.js";
import { renderChart, valueAt, valuesOfTemplates } from "./support/chart.js";

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

test("the nodes of Compose share what nodes have to share, and only the proxy is reached from outside", () => {
  const { services, networks } = parse(read("deploy/nodes.compose.yaml"));
  const { environment } = services.node as { environment: Record<string, string> };
  const asked = Object.values(environment).flatMap((text) => /\$\{(\w+):\?\}/.exec(text)?.[1] ?? []);
  expect(asked.toSorted()).toEqual([
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "POSTGRES_PASSWORD",
    "RECOLLECT_API_KEY",
    "RECOLLECT_BLOBS",
    "RECOLLECT_PUBLIC_URL",
    "RECOLLECT_SECRET_KEY",
  ]);
  const given: Record<string, string> = {
    POSTGRES_PASSWORD: "s3/cr#t@",
    RECOLLECT_API_KEY: "sm_tests_0123456789abcdefghijklmn",
    RECOLLECT_BLOBS: "s3://files",
    RECOLLECT_PUBLIC_URL: "https://memory.example",
    RECOLLECT_SECRET_KEY: "0123456789abcdef0123456789abcdef",
  };
  const filled = Object.entries(environment).map(([name, text]) => [
    name,
    text.replace(/\$\{(\w+):([?-])([^}]*)\}/, (_, wanted: string, kind: string, fallback: string) =>
      kind === "?" ? (given[wanted] ?? "given") : fallback,
    ),
  ]);
  const config = readConfig(Object.fromEntries(filled) as Record<string, string>);
  expect(config).toMatchObject({ hasSeveralNodes: true, isKeylessOff: true, vectors: "exact", warnings: [] });
  expect(services.node).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
  const published = Object.entries(services as Record<string, { ports?: string[] }>).filter(([, { ports }]) => ports);
  expect(published.map(([name]) => name)).toEqual(["front"]);
  const address: string = services.front.networks.inside.ipv4_address;
  expect(address).toBe(environment["RECOLLECT_TRUSTED_PROXIES"]);
  const [{ subnet, ip_range: givenOut }] = networks.inside.ipam.config;
  expect(isWithin(address, subnet)).toBe(true);
  // The other services are started first, and one of them would get the address.
  expect(isWithin(address, givenOut)).toBe(false);
});

function isWithin(address: string, network: string): boolean {
  const [base = "", length] = network.split("/");
  const list = new BlockList();
  list.addSubnet(base, Number(length));
  return list.check(address);
}

/** The memory of the process that reads files, besides its heap, according to the settings; and what a node itself needs. */
const BESIDE_HEAP_MEGABYTES = 256;
const OF_A_NODE_MEGABYTES = 512;

const CHART = join(ROOT, "deploy/helm");
const chartValues = () => ({
  ...parse(read("deploy/helm/values.yaml")),
  host: "memory.example",
  bucket: "s3://files/recollect",
  trustedProxies: "10.42.0.0/16",
  image: { repository: "registry.example/recollect", tag: "", pullPolicy: "Always", pullSecrets: [] },
  settings: { RECOLLECT_LOG_FORMAT: "json", RECOLLECT_CONCURRENCY: 4 },
});

test("the chart reads only values that it has, and refuses to be installed without host, bucket and image", () => {
  const values = parse(read("deploy/helm/values.yaml"));
  const schema = z.fromJSONSchema(JSON.parse(read("deploy/helm/values.schema.json")));
  const paths = [...valuesOfTemplates(CHART)];
  expect(paths).not.toEqual([]);
  for (const path of paths) expect(valueAt(values, path), path).toBeDefined();
  expect(schema.safeParse(chartValues()).error).toBeUndefined();
  const refused = schema.safeParse(values).error?.issues.map(({ path }) => path.join("."));
  expect([...new Set(refused)].toSorted()).toEqual(["bucket", "host", "image.repository"]);
  expect(schema.safeParse({ ...chartValues(), replica: 3 }).success).toBe(false);
});

test("the nodes of the chart share what nodes have to share, write to two folders alone, and are asked for their health", () => {
  const rendered = renderChart(CHART, chartValues());
  expect(rendered.map(({ kind }) => String(kind)).toSorted()).toEqual([
    "Deployment",
    "Ingress",
    "PodDisruptionBudget",
    "Service",
  ]);
  const deployment: any = rendered.find(({ kind }) => kind === "Deployment");
  const [container] = deployment.spec.template.spec.containers;
  const { version } = JSON.parse(read("package.json"));
  expect(container.image).toBe(`registry.example/recollect:${version}`);
  expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } });
  expect(container.volumeMounts.map((mount: any) => mount.mountPath)).toEqual(["/data", "/tmp"]);
  expect(container.readinessProbe.httpGet).toMatchObject({
    path: "/health/ready",
    httpHeaders: [{ name: "Host", value: "memory.example" }],
  });
  const environment = container.env.map(({ name, value }: any) => [name, value]);
  const secret = {
    DATABASE_URL: "postgres://recollect:secret@database:5432/recollect",
    RECOLLECT_API_KEY: "sm_tests_0123456789abcdefghijklmn",
    RECOLLECT_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    AWS_ACCESS_KEY_ID: "given",
    AWS_SECRET_ACCESS_KEY: "given",
  };
  expect(container.envFrom).toEqual([{ secretRef: { name: "recollect" } }]);
  const config = readConfig({ ...secret, ...Object.fromEntries(environment) });
  // Kubernetes may kill a whole node at its limit, so a file has to reach its own limit first.
  const [, gibibytes] = /^(\d+)Gi$/.exec(container.resources.limits.memory) ?? [];
  const ofOneFile = config.reading.memoryMegabytes + BESIDE_HEAP_MEGABYTES;
  expect(Number(gibibytes) * 1_024).toBeGreaterThanOrEqual(ofOneFile + OF_A_NODE_MEGABYTES);
  expect(config).toMatchObject({
    hasSeveralNodes: true,
    isKeylessOff: true,
    vectors: "exact",
    publicUrl: "https://memory.example",
    concurrency: 4,
    warnings: [],
  });
});

test("settings that the files name exist", () => {
  const named = [
    "Dockerfile",
    "compose.yaml",
    "deploy/nodes.compose.yaml",
    "deploy/recollect.service",
    "deploy/helm/templates/nodes.yaml",
  ].flatMap((path) => [...new Set(read(path).match(/\bRECOLLECT_[A-Z_]+/g))]);
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
