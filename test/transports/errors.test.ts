import { describe, expect, test } from "vitest";
import { AppError, ERROR_KINDS } from "../../src/core/errors.js";
import { errorBody, exitCodeOf, refusalOf, retryHeaders, statusOf } from "../../src/transports/errors.js";
import { BodyError } from "../../src/lib/request-body.js";
import { captureLog } from "../support/captured-log.js";

test("every error kind has its status", () => {
  expect(Object.fromEntries(ERROR_KINDS.map((kind) => [kind, statusOf(kind)]))).toEqual({
    invalid: 400,
    unauthorized: 401,
    forbidden: 403,
    not_found: 404,
    conflict: 409,
    too_large: 413,
    unsupported_type: 415,
    unsupported: 404,
    not_implemented: 501,
    rate_limited: 429,
    unavailable: 503,
    storage_full: 507,
    corrupt: 500,
    internal: 500,
  });
});

test.each(ERROR_KINDS)("the body for %s has text in every field that clients print", (kind) => {
  const body = errorBody({ kind, message: "What happened.", issues: [] });
  for (const field of [body.error, body.message, body.details ?? ""]) expect(field).toEqual(expect.any(String));
  expect([body.error, body.details]).toContain("What happened.");
  expect(body.message).toBe("What happened.");
});

describe("retries", () => {
  test("a final conflict must not be retried, a passing one may", () => {
    expect(retryHeaders({ kind: "conflict", retryAfter: undefined })).toEqual({ "x-should-retry": "false" });
    expect(retryHeaders({ kind: "conflict", retryAfter: 3 })).toEqual({ "retry-after": "3" });
  });

  test("server errors other than internal ones say whether to retry", () => {
    for (const kind of ERROR_KINDS) {
      const headers = retryHeaders({ kind, retryAfter: undefined });
      if (statusOf(kind) < 500 || kind === "internal") continue;
      expect(headers).toEqual(kind === "unavailable" ? { "retry-after": "2" } : { "x-should-retry": "false" });
    }
  });

  test("the delay is in whole seconds, from one second to one minute", () => {
    expect(retryHeaders({ kind: "rate_limited", retryAfter: 0.2 })).toEqual({ "retry-after": "1" });
    expect(retryHeaders({ kind: "rate_limited", retryAfter: 3_600 })).toEqual({ "retry-after": "60" });
    expect(retryHeaders({ kind: "rate_limited", retryAfter: undefined })).toEqual({ "retry-after": "1" });
    expect(retryHeaders({ kind: "unavailable", retryAfter: undefined })).toEqual({ "retry-after": "2" });
  });

  test("other errors say nothing about retries", () => {
    for (const kind of ["invalid", "not_found", "internal"] as const)
      expect(retryHeaders({ kind, retryAfter: undefined })).toEqual({});
  });
});

describe("what an error reveals", () => {
  test("an expected error: its own message, and nothing in the log", () => {
    const log = captureLog();
    const issues = [{ path: ["q"], message: "must not be empty" }];
    const refusal = refusalOf(new AppError("invalid", "q: must not be empty", { issues }), log, "here");
    expect(refusal).toEqual({
      kind: "invalid",
      message: "q: must not be empty",
      issues,
      retryAfter: undefined,
      paths: [],
    });
    expect(log.lines).toEqual([]);
  });

  test("an unexpected error: a fixed text with an id that refers to the log", () => {
    const log = captureLog();
    const refusal = refusalOf(new TypeError("secret sm_key /home/somebody"), log, "POST /v3/documents");
    expect(refusal.kind).toBe("internal");
    expect(refusal.message).not.toMatch(/secret|sm_key|somebody/);
    const [line] = log.lines;
    expect(refusal.message).toContain(String(line?.["id"]));
    expect(line).toMatchObject({ level: "error", where: "POST /v3/documents" });
    expect(String(line?.["error"])).toContain("secret sm_key");
  });

  test("a thrown value that is not an error", () => {
    const log = captureLog();
    expect(refusalOf("oops", log, "here").kind).toBe("internal");
    expect(log.lines).toHaveLength(1);
  });

  test("a corrupt store: its own message, and a line in the log", () => {
    const log = captureLog();
    expect(refusalOf(new AppError("corrupt", "The store x is damaged."), log, "here").message).toBe(
      "The store x is damaged.",
    );
    expect(log.lines).toHaveLength(1);
  });

  test.each([
    ["too_large", "too_large"],
    ["not_utf8", "invalid"],
    ["interrupted", "invalid"],
  ] as const)("a body that is %s is %s", (problem, kind) => {
    const log = captureLog();
    expect(refusalOf(new BodyError(problem, "the body is bad"), log, "here")).toMatchObject({
      kind,
      message: "The body is bad.",
    });
    expect(log.lines).toEqual([]);
  });
});

test("the command line exits with 2 for usage errors and with 1 for failures", () => {
  expect(ERROR_KINDS.filter((kind) => exitCodeOf(kind) === 2)).toEqual(["invalid"]);
});
