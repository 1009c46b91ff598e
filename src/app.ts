import { noteKey, requireSharedKey } from "./core/connections/key-proof.js";
import { resealAll } from "./core/connections/secrets.js";
import type { CoreContext } from "./core/context.js";
import { createCore, type Core } from "./core/index.js";
import { AppError } from "./core/errors.js";
import type { Store } from "./core/ports.js";
import { openEmbedders } from "./core/embeddings/open.js";
import { whereThereIsRoom } from "./core/upkeep/room.js";
import { enqueueRewriting } from "./core/upkeep/text-index.js";
import { takeUpEmbedding } from "./ingest/take-up.js";
import type { AttemptCounter } from "./lib/rate-limit.js";
import { type Tracer, traceTo } from "./lib/traces.js";
import { assemble, choiceOf, openStore, type ServiceOptions, systemClock } from "./assemble.js";

export type { ServiceOptions } from "./assemble.js";

/** The service on a data folder that this process owns. */
export interface Service {
  readonly core: Core;
  readonly organizationId: string;
  /** Resolves when no background work is due or running. */
  settle(): Promise<void>;
  /** As in `Store`. */
  readonly lost: Promise<AppError>;
  isInPlace(): boolean;
  fullAt(): Date | null;
  /** As in `Store`. */
  readonly attempts: AttemptCounter | null;
  close(): Promise<void>;
}

/**
 * Opens the store and starts background work. The caller must own the data folder.
 * @throws AppError when the store or a setting cannot be used; nothing is left open then
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { config, clock = systemClock } = options;
  const store = await openStore(options, clock);
  let tracer: Tracer | undefined;
  const parts = await assembleOver(options, store);
  const { context, vectors, runner, schedule, retryModel } = parts;
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([schedule.stop(), runner.stop(), context.calibrations.close()]);
    // What was put back does not have to wait for the others to poll.
    store.workSignal?.tell();
    await context.audit.close();
    await context.embedders.close();
    await vectors.close();
    await context.extractor.close();
    await store.close();
    traceTo(undefined);
    await tracer?.close();
  };
  try {
    tracer = await openTracer(options);
    if (config.hasSeveralNodes) await requireSharedKey(context);
    else await whereThereIsRoom(context, () => noteKey(context));
    await openEmbedders(context, {
      choice: choiceOf(config),
      isStated: config.embedding.isStated,
      isShortLived: options.isShortLived ?? false,
    });
    await whereThereIsRoom(context, () => enqueueRewriting(context));
    await whereThereIsRoom(context, () => takeUpEmbedding(context));
    await whereThereIsRoom(context, () => resealAll(context));
    await whereThereIsRoom(context, retryModel);
    await runner.start();
    store.workSignal?.listen(() => runner.offer());
    await schedule.start();
    // Last, because no failure may follow that would leave the engine's process running.
    if (options.engine === "background") vectors.start();
    if (!options.isShortLived) void warnOfFiles(context);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    core: createCore(context),
    organizationId: store.organizationId,
    settle: () => runner.idle(),
    lost: store.lost,
    isInPlace: () => store.isInPlace(),
    fullAt: () => store.fullAt(),
    attempts: store.attempts,
    close: () => (closed ??= close()),
  };
}

/** The service is of use without its files, and an upload that cannot be stored is refused. */
async function warnOfFiles({ blobs, log }: Pick<CoreContext, "blobs" | "log">): Promise<void> {
  const problem = await blobs.problem();
  if (problem !== null) log.warn("uploaded files can be neither stored nor read", { reason: problem });
}

async function assembleOver(options: ServiceOptions, store: Store): Promise<ReturnType<typeof assemble>> {
  try {
    return assemble(options, store);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Starts sending spans; its libraries are loaded only when traces are configured. */
async function openTracer({ config, version, log }: ServiceOptions): Promise<Tracer | undefined> {
  if (config.traces === undefined) return undefined;
  const { createOtlpTracer } = await import("./adapters/traces/otlp.js");
  const tracer = createOtlpTracer({ ...config.traces, version, log });
  traceTo(tracer);
  return tracer;
}
