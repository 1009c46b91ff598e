import { once } from "../../lib/once.js";

/**
 * A WebAssembly module with one function, assembled here from instructions: dot products of 8-bit vectors with one 16-bit vector,
 * 16 numbers at a time (https://www.w3.org/TR/wasm-core-2/, fixed-width SIMD).
 *
 * `score(rows, count, stride, query, out)`: `count` vectors of `stride` bytes each start at `rows`; the vector at `query` has
 * as many 16-bit numbers. One 32-bit sum per vector is written, starting at `out`. `count` must be a positive multiple of 4 and
 * `stride` a multiple of 16. The caller keeps the sums within 32 bits.
 */
type DotKernel = (rows: number, count: number, stride: number, query: number, out: number) => void;

/** Memory and the function that works on it. */
export interface Kernel {
  readonly memory: KernelMemory;
  readonly score: DotKernel;
}

/** Linear memory of WebAssembly; each `grow` replaces `buffer`. */
interface KernelMemory {
  readonly buffer: ArrayBuffer;
  /** @throws RangeError when no more can be allocated */
  grow(pages: number): number;
}

interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly score: DotKernel } };
  readonly Memory: new (size: { initial: number }) => KernelMemory;
}

/** Part of every Node, but not of its type definitions; undefined when code generation is disabled (`--jitless`). */
const api = (globalThis as { readonly WebAssembly?: WebAssemblyApi }).WebAssembly;

/** The kernel of this process, or null where SIMD or address space is unavailable. */
export const dotKernel = once((): Kernel | null => {
  const bytes = instructionsOf();
  if (api === undefined || !api.validate(bytes)) return null;
  try {
    const memory = new api.Memory({ initial: 1 });
    return { memory, score: new api.Instance(new api.Module(bytes), { host: { memory } }).exports.score };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
});

const I32 = 0x7f;
const V128 = 0x7b;
const NOTHING = 0x40;
/** Flag of a memory without a maximum. */
const WITHOUT_MAXIMUM = 0x00;

/** Indexes of parameters, then of local variables. */
const ROWS = 0;
const COUNT = 1;
const STRIDE = 2;
const QUERY = 3;
const OUT = 4;
const AT_QUERY = 5;
const QUERY_END = 6;
/** Rows that are scored together, so that the query is read once for all of them: their addresses, and their sums. */
const TOGETHER = [ROWS, 7, 8, 9] as const;
const SUMS = [10, 11, 12, 13] as const;
const PART_OF_QUERY = 14;

/** A sequence of instructions. */
type Code = readonly (number | readonly number[])[];

const code = (...parts: Code): number[] => parts.flat();
const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const tee = (local: number): number[] => [0x22, local];
const constant = (value: number): number[] => [0x41, value];
const ADD = 0x6a;
const SUBTRACT = 0x6b;
const IS_BELOW = 0x49;
const END = 0x0b;
const STORE_32 = [0x36, 2, 0];
const simd = (opcode: number, ...rest: number[]): number[] => [0xfd, ...unsigned(opcode), ...rest];
const load128 = (offset: number): number[] => simd(0x00, 0, offset);
/** Eight 8-bit numbers, widened to 16 bits. */
const loadWidened = (offset: number): number[] => simd(0x01, 0, offset);
const ZEROS = simd(0x0c, ...new Uint8Array(16));
const lane = (index: number): number[] => simd(0x1b, index);
const ADD_LANES = simd(0xae);
/** Multiplies eight pairs and adds neighbouring products. */
const MULTIPLY_AND_ADD = simd(0xba);
/** Repeats the innermost loop while the value on the stack is not 0. */
const AGAIN_IF = [0x0d, 0];

const repeat = (...body: Code): number[] => code(0x03, NOTHING, ...body, END);
const advance = (local: number, by: number): number[] => code(get(local), constant(by), ADD, set(local));

function instructionsOf(): Uint8Array {
  const queryEnd = code(get(QUERY), get(STRIDE), get(STRIDE), ADD, ADD, set(QUERY_END));
  const hasMore = code(get(COUNT), constant(TOGETHER.length), SUBTRACT, tee(COUNT));
  return moduleOf(code(queryEnd, repeat(fourRows(), hasMore, AGAIN_IF)));
}

/** Scores the next four rows; afterwards the first address points past them. */
function fourRows(): number[] {
  const others = TOGETHER.slice(1).flatMap((row, at) => code(get(TOGETHER[at]!), get(STRIDE), ADD, set(row)));
  const eight = (at: 0 | 8): number[] =>
    code(
      code(get(AT_QUERY), load128(at * 2), set(PART_OF_QUERY)),
      ...TOGETHER.map((row, place) => {
        const sum = SUMS[place]!;
        return code(get(sum), get(row), loadWidened(at), get(PART_OF_QUERY), MULTIPLY_AND_ADD, ADD_LANES, set(sum));
      }),
    );
  const sixteen = code(eight(0), eight(8), ...TOGETHER.map((row) => advance(row, 16)));
  const hasMore = code(get(AT_QUERY), constant(32), ADD, tee(AT_QUERY), get(QUERY_END), IS_BELOW);
  return code(
    others,
    ...SUMS.map((sum) => code(ZEROS, set(sum))),
    code(get(QUERY), set(AT_QUERY)),
    repeat(sixteen, hasMore, AGAIN_IF),
    ...SUMS.map((sum) => code(get(OUT), sumOfLanes(sum), STORE_32, advance(OUT, 4))),
    // Each address has advanced by one row.
    code(get(TOGETHER[3]), set(ROWS)),
  );
}

function sumOfLanes(sum: number): number[] {
  const laneOfSum = (index: number): number[] => code(get(sum), lane(index));
  return code(laneOfSum(0), laneOfSum(1), ADD, laneOfSum(2), ADD, laneOfSum(3), ADD);
}

/** The binary format: a signature, an imported memory, and one function with its name. */
function moduleOf(instructions: readonly number[]): Uint8Array {
  const parameters = list(Array.from({ length: 5 }, () => [I32]));
  const locals = list([
    [1 + TOGETHER.length, I32],
    [SUMS.length + 1, V128],
  ]);
  const body = code(locals, instructions, 0x0b);
  const parts = [
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, [code(0x60, parameters, list([]))]),
    section(2, [code(text("host"), text("memory"), [0x02, WITHOUT_MAXIMUM, 1])]),
    section(3, [[0]]),
    section(7, [code(text("score"), [0x00, 0])]),
    section(10, [code(unsigned(body.length), body)]),
  ];
  return Uint8Array.from(parts.flat());
}

function section(id: number, entries: readonly number[][]): number[] {
  const content = list(entries);
  return [id, ...unsigned(content.length), ...content];
}

function list(entries: readonly number[][]): number[] {
  return [...unsigned(entries.length), ...entries.flat()];
}

function text(value: string): number[] {
  return list(Array.from(new TextEncoder().encode(value), (byte) => [byte]));
}

/** Unsigned LEB128: seven bits per byte, lowest first. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}
