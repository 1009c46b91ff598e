import { expect, test } from "vitest";
import { ConfigError, readConfig } from "../src/config.js";

const COLLECTOR = "http://127.0.0.1:4318";

function problemsOf(texts: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(texts);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
}

test("no traces are made unless somebody says where they go", () => {
  expect(readConfig({}).traces).toBeUndefined();
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR }).traces).toBeUndefined();
  expect(readConfig({ RECOLLECT_TRACES: `${COLLECTOR}/` }).traces).toEqual({ url: COLLECTOR, headers: {}, share: 1 });
});

test.each(["Bearer abc", "authorization=%zz", "authorization=a%0d%0ab", "a b=c"])(
  "headers that are none are refused without being shown: %s",
  (headers) => {
    const problems = problemsOf({ RECOLLECT_TRACES: COLLECTOR, RECOLLECT_TRACES_HEADERS: headers });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("RECOLLECT_TRACES_HEADERS must be headers such as");
    expect(problems[0]).not.toContain(headers);
  },
);

test.each([
  [{ RECOLLECT_TRACES: "collector:4318" }, "RECOLLECT_TRACES must be a URL that begins with http:// or https://"],
  [{ RECOLLECT_TRACES: COLLECTOR, RECOLLECT_TRACES_SHARE: "2" }, "RECOLLECT_TRACES_SHARE must be a number from 0 to 1"],
  [{ RECOLLECT_TRACES_HEADERS: "a=b" }, "RECOLLECT_TRACES is not"],
])("%j is refused", (texts, rule) => {
  expect(problemsOf(texts).join("\n")).toContain(rule);
});
