import type { PictureKind } from "../../lib/picture-kind.js";

/** Width and height in pixels. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** The size of a picture as stated in its header; null where the header is truncated. */
export function dimensionsOf(bytes: Uint8Array, kind: PictureKind): Dimensions | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const { width, height } = READERS[kind](view);
    return width > 0 && height > 0 ? { width, height } : null;
  } catch {
    // Read past the last byte.
    return null;
  }
}

const NONE: Dimensions = { width: 0, height: 0 };

const READERS: Readonly<Record<PictureKind, (view: DataView) => Dimensions>> = {
  png: (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  gif: (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  bmp: (view) => ({ width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }),
  jpeg: sizeOfJpeg,
  webp: sizeOfWebp,
  tiff: sizeOfTiff,
  heif: () => NONE,
};

function sizeOfJpeg(view: DataView): Dimensions {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    // Frame markers are C0 to CF, except three that mark tables.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
  }
  return NONE;
}

function sizeOfWebp(view: DataView): Dimensions {
  const format = view.getUint8(15);
  const threeBytes = (at: number) => view.getUint16(at, true) + 0x10000 * view.getUint8(at + 2);
  if (format === 0x58) return { width: threeBytes(24) + 1, height: threeBytes(27) + 1 };
  if (format === 0x4c) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

const TIFF_WIDTH = 256;
const TIFF_HEIGHT = 257;

function sizeOfTiff(view: DataView): Dimensions {
  const isLittle = view.getUint8(0) === 0x49;
  const directory = view.getUint32(4, isLittle);
  const found = { width: 0, height: 0 };
  for (let entry = 0; entry < view.getUint16(directory, isLittle); entry += 1) {
    const at = directory + 2 + 12 * entry;
    const tag = view.getUint16(at, isLittle);
    const isShort = view.getUint16(at + 2, isLittle) === 3;
    const value = isShort ? view.getUint16(at + 8, isLittle) : view.getUint32(at + 8, isLittle);
    if (tag === TIFF_WIDTH) found.width = value;
    if (tag === TIFF_HEIGHT) found.height = value;
  }
  return found;
}
