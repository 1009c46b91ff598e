import type Supermemory from "supermemory";
import { expect } from "vitest";
import { openClientService, type ClientService } from "../../support/client-service.js";

/** What both generations of the SDK have in common, in the types of the newer one. */
export interface SdkClient {
  add(body: Supermemory.AddParams): PromiseLike<Supermemory.AddResponse>;
  profile(body: Supermemory.ProfileParams): PromiseLike<Supermemory.ProfileResponse>;
  readonly search: {
    memories(body: Supermemory.SearchMemoriesParams): PromiseLike<Supermemory.SearchMemoriesResponse>;
    documents(body: Supermemory.SearchDocumentsParams): PromiseLike<Supermemory.SearchDocumentsResponse>;
    execute(body: Supermemory.SearchExecuteParams): PromiseLike<Supermemory.SearchExecuteResponse>;
  };
  readonly memories: {
    forget(body: Supermemory.MemoryForgetParams): PromiseLike<Supermemory.MemoryForgetResponse>;
    updateMemory(body: Supermemory.MemoryUpdateMemoryParams): PromiseLike<Supermemory.MemoryUpdateMemoryResponse>;
  };
  readonly documents: {
    list(body: Supermemory.DocumentListParams): PromiseLike<Supermemory.DocumentListResponse>;
    batchAdd(body: Supermemory.DocumentBatchAddParams): PromiseLike<Supermemory.DocumentBatchAddResponse>;
    deleteBulk(body: Supermemory.DocumentDeleteBulkParams): PromiseLike<Supermemory.DocumentDeleteBulkResponse>;
    listProcessing(): PromiseLike<Supermemory.DocumentListProcessingResponse>;
  };
  readonly settings: {
    get(): PromiseLike<Supermemory.SettingGetResponse>;
    update(body: Supermemory.SettingUpdateParams): PromiseLike<Supermemory.SettingUpdateResponse>;
  };
  readonly connections: ConnectionMethods;
}

interface ConnectionMethods {
  create(
    provider: "notion",
    body: Supermemory.ConnectionCreateParams,
  ): PromiseLike<Supermemory.ConnectionCreateResponse>;
  list(body: Supermemory.ConnectionListParams): PromiseLike<Supermemory.ConnectionListResponse>;
  configure(
    id: string,
    body: Supermemory.ConnectionConfigureParams,
  ): PromiseLike<Supermemory.ConnectionConfigureResponse>;
  deleteByID(id: string): PromiseLike<Supermemory.ConnectionDeleteByIDResponse>;
  deleteByProvider(
    provider: "notion",
    body: Supermemory.ConnectionDeleteByProviderParams,
  ): PromiseLike<Supermemory.ConnectionDeleteByProviderResponse>;
  getByID(id: string): PromiseLike<Supermemory.ConnectionGetByIDResponse>;
  getByTag(
    provider: "notion",
    body: Supermemory.ConnectionGetByTagParams,
  ): PromiseLike<Supermemory.ConnectionGetByTagResponse>;
  import(provider: "notion", body: Supermemory.ConnectionImportParams): PromiseLike<string>;
  listDocuments(
    provider: "notion",
    body: Supermemory.ConnectionListDocumentsParams,
  ): PromiseLike<Supermemory.ConnectionListDocumentsResponse>;
  resources(id: string): PromiseLike<Supermemory.ConnectionResourcesResponse>;
}

export interface SdkUnderTest<Client extends SdkClient = SdkClient> {
  readonly client: Client;
  readonly service: ClientService;
  settle(): Promise<void>;
  /** The call is refused with an error of this class of the SDK, and is not retried. */
  expectRefusal(call: () => PromiseLike<unknown>, errorClass: string): Promise<Error & { status?: number }>;
  close(): Promise<void>;
}

interface SdkOptions {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly fetch: typeof fetch;
}

/** A service, and an unmodified client: a key and a base URL are all that it gets. */
export async function openSdk<Client extends SdkClient>(
  create: (options: SdkOptions) => Client,
): Promise<SdkUnderTest<Client>> {
  const service = await openClientService();
  let requests = 0;
  const client = create({
    apiKey: service.key,
    baseURL: service.url,
    fetch: (input, init) => ((requests += 1), fetch(input, init)),
  });
  return {
    client,
    service,
    settle: () => service.settle(),
    async expectRefusal(call, errorClass) {
      requests = 0;
      const error: unknown = await call().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(Error);
      expect(requests).toBe(1);
      const refusal = error as Error & { status?: number };
      expect({ class: refusal.constructor.name, message: refusal.message }).toEqual({
        class: errorClass,
        message: expect.not.stringContaining("does not serve"),
      });
      return refusal;
    },
    close: () => service.close(),
  };
}

/** Methods of the SDK's client that send requests; everything else on it is the API. */
const TRANSPORT = new Set(
  `constructor withOptions defaultQuery validateHeaders authHeaders stringifyQuery getUserAgent defaultIdempotencyKey
   makeStatusError buildURL prepareOptions prepareRequest get post patch put delete methodRequest request makeRequest
   fetchWithTimeout shouldRetry retryRequest calculateDefaultRetryTimeoutMillis buildRequest buildHeaders _makeAbort
   buildBody`.split(/\s+/),
);

/** Every API method of an SDK client, found by reflection: `add`, `search`, `documents.get`, … */
export function methodsOf(client: object): string[] {
  const names = (owner: object) => Object.getOwnPropertyNames(Object.getPrototypeOf(owner)) as string[];
  const ownMethods = names(client).filter((name) => !TRANSPORT.has(name));
  const ofResources = Object.entries(client)
    .filter(([, value]) => isResource(value))
    .flatMap(([name, resource]) => [
      ...(typeof resource === "function" ? [name] : []),
      ...names(resource as object)
        .filter((method) => method !== "constructor")
        .map((method) => `${name}.${method}`),
    ]);
  return [...ownMethods, ...ofResources];
}

function isResource(value: unknown): boolean {
  return (typeof value === "object" || typeof value === "function") && value !== null && "_client" in value;
}
