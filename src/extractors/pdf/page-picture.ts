import { encodePng, shrink, type GreyPicture } from "../grey-picture.js";
import type { PdfPage } from "./open-pdf.js";
import { multiply } from "./page-fragments.js";

/** OCR programs need about this many dots per inch; twice as many only cost time. */
const ENOUGH_DOTS = 250;
const MAXIMUM_SHOWN_PIXELS = 25_000_000;
/** Strips of one scan have the same left edge and width, to within this many points. */
const SAME_EDGE = 3;

/** A picture as drawn on the page. */
interface DrawnPicture {
  readonly source: unknown;
  /** Maps the unit square to the page, with y pointing down. */
  readonly matrix: readonly number[];
  /** Share of the page that it covers. */
  readonly part: number;
}

/** The picture that fills a page, such as a scan. */
export interface PagePicture {
  /** Share of the page covered by pictures, from 0; more than 1 if they overlap. */
  readonly coverage: number;
  /** The largest picture of the page as PNG, upright, together with its other strips; null if none can be decoded. */
  png(): Promise<Uint8Array | null>;
}

/** Finds the pictures of a page. */
export async function pagePicture(page: PdfPage): Promise<PagePicture> {
  const drawn = await drawnPictures(page);
  return {
    coverage: drawn.reduce((sum, { part }) => sum + part, 0),
    png: () => encodeLargest(page, drawn),
  };
}

async function drawnPictures(page: PdfPage): Promise<DrawnPicture[]> {
  const { getResolvedPDFJS } = await import("unpdf");
  const { OPS } = await getResolvedPDFJS();
  const { fnArray: operations, argsArray } = await page.getOperatorList();
  const viewport = page.getViewport({ scale: 1 });
  const found: DrawnPicture[] = [];
  const saved: (readonly number[])[] = [];
  let matrix: readonly number[] = viewport.transform;
  for (const [at, operation] of operations.entries()) {
    const values: readonly unknown[] = Array.isArray(argsArray[at]) ? argsArray[at] : [];
    if (operation === OPS.save || operation === OPS.paintFormXObjectBegin) saved.push(matrix);
    if (operation === OPS.restore || operation === OPS.paintFormXObjectEnd) matrix = saved.pop() ?? matrix;
    if (operation === OPS.transform) matrix = multiply(matrix, numbersIn(values));
    if (operation === OPS.paintFormXObjectBegin) matrix = multiply(matrix, numbersIn(values[0]));
    const isPicture =
      operation === OPS.paintImageXObject ||
      operation === OPS.paintImageMaskXObject ||
      operation === OPS.paintInlineImageXObject;
    if (isPicture) found.push({ source: values[0], matrix, part: areaOf(matrix) / (viewport.width * viewport.height) });
  }
  return found;
}

function numbersIn(value: unknown): number[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [];
  return values.filter((one) => typeof one === "number");
}

function areaOf([a = 0, b = 0, c = 0, d = 0]: readonly number[]): number {
  return Math.abs(a * d - b * c);
}

async function encodeLargest(page: PdfPage, drawn: readonly DrawnPicture[]): Promise<Uint8Array | null> {
  const [largest, ...others] = drawn.toSorted((one, other) => other.part - one.part);
  if (!largest) return null;
  const first = await decode(page, largest);
  if (!first) return null;
  const strips = [{ top: topOf(largest), picture: first }];
  for (const other of others.filter((one) => areStrips(one, largest))) {
    const picture = await decode(page, other);
    if (picture?.width === first.width) strips.push({ top: topOf(other), picture });
  }
  const whole = stacked(strips.toSorted((one, other) => one.top - other.top).map(({ picture }) => picture));
  const dots = (72 * first.width) / Math.max(1, widthOf(largest));
  const bySize = Math.ceil(Math.sqrt((whole.width * whole.height) / MAXIMUM_SHOWN_PIXELS));
  const factor = Math.max(1, bySize, Math.floor(dots / ENOUGH_DOTS));
  return encodePng(shrink(whole, factor), Math.min(2_400, Math.max(70, dots / factor)));
}

function areStrips(one: DrawnPicture, other: DrawnPicture): boolean {
  const isClose = (first: number, second: number) => Math.abs(first - second) <= SAME_EDGE;
  return isClose(one.matrix[4] ?? 0, other.matrix[4] ?? 0) && isClose(widthOf(one), widthOf(other));
}

function widthOf({ matrix: [a = 0, , c = 0] }: DrawnPicture): number {
  return Math.max(Math.abs(a), Math.abs(c));
}

function topOf({ matrix: [, b = 0, , d = 0, , y = 0] }: DrawnPicture): number {
  return Math.min(y, y + b, y + d, y + b + d);
}

function stacked(pictures: readonly GreyPicture[]): GreyPicture {
  const [first] = pictures;
  if (first && pictures.length === 1) return first;
  const height = pictures.reduce((sum, picture) => sum + picture.height, 0);
  return { width: first?.width ?? 0, height, pixels: Buffer.concat(pictures.map(({ pixels }) => pixels)) };
}

/** Pixels as decoded by the library: one bit, three bytes or four bytes each. */
interface DecodedPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

async function decode(page: PdfPage, { source, matrix }: DrawnPicture): Promise<GreyPicture | null> {
  const picture = isDecoded(source) ? source : await stored(page, nameOf(source));
  const shade = isDecoded(picture) ? shadeReader(picture) : null;
  return isDecoded(picture) && shade ? upright(picture, shade, matrix) : null;
}

function nameOf(source: unknown): string | null {
  if (typeof source === "string") return source;
  return typeof source === "object" && source !== null && "data" in source && typeof source.data === "string"
    ? source.data
    : null;
}

function stored(page: PdfPage, name: string | null): Promise<unknown> {
  if (name === null) return Promise.resolve(null);
  // Objects shared by several pages are stored separately.
  const objects: { get(id: string, found: (value: unknown) => void): unknown } = name.startsWith("g_")
    ? page.commonObjs
    : page.objs;
  return new Promise((resolve) => objects.get(name, resolve));
}

function isDecoded(value: unknown): value is DecodedPicture {
  if (typeof value !== "object" || value === null) return false;
  if (!("width" in value) || !("height" in value) || !("data" in value)) return false;
  const isSized = Number.isInteger(value.width) && Number.isInteger(value.height);
  return isSized && (value.data instanceof Uint8Array || value.data instanceof Uint8ClampedArray);
}

type ShadeReader = (x: number, y: number) => number;

function shadeReader({ width, height, data }: DecodedPicture): ShadeReader | null {
  const bytes = data.length / (width * height);
  if (bytes === 1) return (x, y) => data[y * width + x] ?? 255;
  if (bytes === 3 || bytes === 4) {
    return (x, y) => {
      const at = bytes * (y * width + x);
      return Math.round(0.3 * (data[at] ?? 255) + 0.59 * (data[at + 1] ?? 255) + 0.11 * (data[at + 2] ?? 255));
    };
  }
  const row = (width + 7) >> 3;
  if (data.length < row * height || bytes > 1) return null;
  return (x, y) => ((data[y * row + (x >> 3)] ?? 0) & (0x80 >> (x & 7)) ? 255 : 0);
}

/** The picture as seen on the page: rotated and mirrored as drawn. */
function upright({ width, height }: DecodedPicture, shade: ShadeReader, matrix: readonly number[]): GreyPicture {
  const [a = 1, b = 0, c = 0, d = -1] = matrix;
  const isOnItsSide = Math.abs(b) > Math.abs(a);
  const [alongX, alongY] = isOnItsSide ? [-c, b] : [a, -d];
  const [shownWidth, shownHeight] = isOnItsSide ? [height, width] : [width, height];
  const pixels = new Uint8Array(shownWidth * shownHeight);
  for (let y = 0; y < shownHeight; y += 1) {
    const row = alongY >= 0 ? y : shownHeight - 1 - y;
    for (let x = 0; x < shownWidth; x += 1) {
      const column = alongX >= 0 ? x : shownWidth - 1 - x;
      pixels[y * shownWidth + x] = isOnItsSide ? shade(row, column) : shade(column, row);
    }
  }
  return { width: shownWidth, height: shownHeight, pixels };
}
